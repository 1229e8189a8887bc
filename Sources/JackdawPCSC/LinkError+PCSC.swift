import JackdawTransport

extension LinkError {
    /// The error of a failed call of libpcsclite; its code is the cause.
    /// - Parameters:
    ///   - failure: the failure.
    ///   - link: the name of the link; `pcsc` for calls about all readers.
    init(_ failure: PCSCFailure, link: String) {
        let (code, message, remedy): (LinkError.Code, String, String?) =
            switch failure {
            case .noService, .serviceStopped, .communicationError:
                (
                    .serviceMissing, "pcscd is not running",
                    "start it with: sudo systemctl start pcscd.socket (Debian: sudo apt install pcscd)"
                )
            case .securityViolation:
                (
                    .notPermitted, "this user may not use pcscd",
                    "allow org.debian.pcsc-lite.access_pcsc and access_card in a rule of polkit"
                )
            case .noReaders, .unknownReader, .readerUnavailable:
                (.notFound, "the reader is not there", "plug it in, and list the readers with jackdaw devices")
            case .noSmartCard, .removedCard: (.notFound, "there is no card in the reader", "insert a card")
            case .sharingViolation:
                (.busy, "another program uses the card alone", "end that program, such as scdaemon of GnuPG")
            case .resetCard: (.busy, "another program resets the card again and again", "end that program")
            case .unresponsiveCard, .unpoweredCard, .notTransacted:
                (.outOfRange, "the card does not answer", "insert it again with the chip ahead, or clean its contacts")
            case .protocolMismatch, .unsupportedCard:
                (
                    .unsupported, "the card's protocol is not T=0 or T=1, or another program uses it with another one",
                    "end other programs that use the card"
                )
            case .cancelled: (.cancelled, "cancelled", nil)
            case .noMemory: (.system, "pcscd is out of memory", nil)
            default: (.system, "libpcsclite failed", nil)
            }
        self.init(code, link: link, message, remedy: remedy, underlying: failure.description)
    }

    /// The error of a link whose card does not take commands any more.
    static func cardLost(_ failure: PCSCFailure, link: String) -> LinkError {
        let (message, remedy): (String, String) =
            switch failure {
            case .removedCard, .noSmartCard: ("the card was removed", "insert it, and open the link again")
            case .resetCard: ("another program has reset the card", "end that program, and open the link again")
            case .readerUnavailable, .unknownReader:
                ("the reader was unplugged", "plug it in, and open the link again")
            case .noService, .serviceStopped, .communicationError, .invalidHandle:
                ("pcscd has ended", "start it with: sudo systemctl start pcscd.socket")
            default: ("the card does not answer", "insert it again, and open the link again")
            }
        return LinkError(
            .disconnected, link: link, message, remedy: remedy, underlying: failure.description)
    }
}
