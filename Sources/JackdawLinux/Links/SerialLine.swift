import Glibc
internal import JackdawSystem
internal import JackdawTransport

/// Opens serial lines and other ends of pseudo-terminals by their paths.
struct SerialLine: Sendable {
    let loop: EventLoop
    var calls: any TerminalCalls = SystemTerminalCalls()

    /// Opens a line for this program alone, raw, at the speed that it has; what came before is forgotten.
    /// - Parameter link: a name with the scheme `pty`.
    /// - Returns: the link.
    /// - Throws: `LinkError`.
    func open(_ link: LinkName) throws(LinkError) -> SocketLink {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try calls.open(link.address)
        } catch {
            throw SocketFailures.terminal.notConnected(error, link.description)
        }
        do throws(SystemFailure) {
            // First, so that nothing is changed for another program that has it.
            try calls.lock(descriptor)
            try calls.makeRaw(descriptor)
            try calls.discardInput(descriptor)
        } catch {
            calls.close(descriptor)
            throw SocketFailures.terminal.notConnected(error, link.description)
        }
        return try SocketLink(
            descriptor, link: link, format: .indivisible, failures: .terminal, loop: loop, calls: calls)
    }
}

extension SocketFailures {
    /// What failures of terminals mean.
    static let terminal = SocketFailures(
        noSocket: { .system($0, link: $1, "no terminal to spare") },
        notConnected: { failure, link in
            let (code, message, remedy): (LinkError.Code, String, String?) =
                switch failure.code {
                case ENOENT, ENXIO, ENODEV, ENOTDIR:
                    (.notFound, "there is no such line", "plug the reader in, and look for its path in /dev")
                case EACCES, EPERM, EROFS:
                    (
                        .notPermitted, "this user may not open it",
                        "sudo usermod -aG dialout USER, and log in again, or whatever group has it"
                    )
                case EBUSY, EAGAIN: (.busy, "another program has it", "end that program")
                case ENOTTY, EISDIR, EINVAL, ELOOP, ENAMETOOLONG:
                    (.unsupported, "is no serial line and no terminal", "give the path of one, such as /dev/ttyACM0")
                case EIO: (.disconnected, "the line was hung up", "plug the reader in again")
                default: (.system, "cannot be opened", nil)
                }
            return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
        },
        lost: { failure, link, undelivered in
            LinkError(
                .disconnected, link: link, "the line was hung up",
                remedy: "look whether the reader is plugged in, and what has the other end still runs",
                underlying: failure.message, undelivered: undelivered)
        })
}
