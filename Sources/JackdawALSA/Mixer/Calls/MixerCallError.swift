import Glibc
import JackdawTransport

/// A call into a mixer library that failed.
struct MixerCallError: Error, Sendable, Hashable {
    /// The C function.
    let function: String
    /// The error number it returned, positive as in `errno`.
    let number: CInt

    /// Whether the card has gone: nothing will succeed from here on.
    var isDisconnected: Bool { number == ENODEV }

    /// What it means to somebody who has just named a card.
    func whileOpening(_ card: String) -> LinkError {
        switch number {
        case ENOENT, ENODEV, ENXIO:
            LinkError(
                .notFound, link: card, "there is no such sound card", remedy: "`jackdaw devices` lists those there are",
                underlying: words)
        case EACCES, EPERM:
            LinkError(
                .notPermitted, link: card, "this user may not set its levels",
                remedy: "type: sudo usermod -aG audio $USER, then log in again", underlying: words)
        default: whileOpen(card)
        }
    }

    /// What it means once the card was opened.
    func whileOpen(_ card: String) -> LinkError {
        switch number {
        case ENODEV: LinkError(.disconnected, link: card, "the sound card has gone", underlying: words)
        case EBUSY, EACCES, EPERM:
            LinkError(
                .busy, link: card, "another program holds its levels",
                remedy: "end the one that `fuser -v /dev/snd/*` names", underlying: words)
        default: LinkError(.system, link: card, "its levels cannot be read or set", underlying: words)
        }
    }

    private var words: String {
        let message = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        return "\(function): \(message)"
    }
}
