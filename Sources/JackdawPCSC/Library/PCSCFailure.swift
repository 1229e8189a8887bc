/// A call of libpcsclite that failed.
struct PCSCFailure: Error, Sendable, Hashable {
    /// The code that the call returned (pcsclite.h), 32 bits of it.
    let code: UInt32

    init(code: UInt32) { self.code = code }

    /// The wait was cancelled (`SCardCancel`).
    static let cancelled = PCSCFailure(code: 0x8010_0002)
    static let invalidHandle = PCSCFailure(code: 0x8010_0003)
    static let noMemory = PCSCFailure(code: 0x8010_0006)
    /// The list of readers has grown since its size was asked for.
    static let insufficientBuffer = PCSCFailure(code: 0x8010_0008)
    static let unknownReader = PCSCFailure(code: 0x8010_0009)
    /// The time of a wait is over.
    static let timeout = PCSCFailure(code: 0x8010_000A)
    /// Another program has the card for itself.
    static let sharingViolation = PCSCFailure(code: 0x8010_000B)
    static let noSmartCard = PCSCFailure(code: 0x8010_000C)
    /// The card has neither T=0 nor T=1, or another program uses it with another protocol.
    static let protocolMismatch = PCSCFailure(code: 0x8010_000F)
    static let communicationError = PCSCFailure(code: 0x8010_0013)
    /// The reader got no valid answer from the card.
    static let notTransacted = PCSCFailure(code: 0x8010_0016)
    static let readerUnavailable = PCSCFailure(code: 0x8010_0017)
    /// pcscd does not run.
    static let noService = PCSCFailure(code: 0x8010_001D)
    /// pcscd has ended while the call ran.
    static let serviceStopped = PCSCFailure(code: 0x8010_001E)
    static let noReaders = PCSCFailure(code: 0x8010_002E)
    static let unsupportedCard = PCSCFailure(code: 0x8010_0065)
    /// The card does not answer a reset.
    static let unresponsiveCard = PCSCFailure(code: 0x8010_0066)
    static let unpoweredCard = PCSCFailure(code: 0x8010_0067)
    /// Another program has reset the card.
    static let resetCard = PCSCFailure(code: 0x8010_0068)
    static let removedCard = PCSCFailure(code: 0x8010_0069)
    /// pcscd's rules (polkit) refuse this user.
    static let securityViolation = PCSCFailure(code: 0x8010_006A)

    /// The code as pcsclite.h has it: `SCARD_E_NO_SERVICE 0x8010001D`; only the number of a code that is not listed
    /// here.
    var description: String {
        let digits = String(code, radix: 16, uppercase: true)
        let number = "0x" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
        return Self.names[self].map { "\($0) \(number)" } ?? number
    }

    private static let names: [PCSCFailure: String] = [
        cancelled: "SCARD_E_CANCELLED", invalidHandle: "SCARD_E_INVALID_HANDLE", noMemory: "SCARD_E_NO_MEMORY",
        insufficientBuffer: "SCARD_E_INSUFFICIENT_BUFFER", unknownReader: "SCARD_E_UNKNOWN_READER",
        timeout: "SCARD_E_TIMEOUT", sharingViolation: "SCARD_E_SHARING_VIOLATION",
        noSmartCard: "SCARD_E_NO_SMARTCARD", protocolMismatch: "SCARD_E_PROTO_MISMATCH",
        communicationError: "SCARD_F_COMM_ERROR", notTransacted: "SCARD_E_NOT_TRANSACTED",
        readerUnavailable: "SCARD_E_READER_UNAVAILABLE", noService: "SCARD_E_NO_SERVICE",
        serviceStopped: "SCARD_E_SERVICE_STOPPED", noReaders: "SCARD_E_NO_READERS_AVAILABLE",
        unsupportedCard: "SCARD_W_UNSUPPORTED_CARD", unresponsiveCard: "SCARD_W_UNRESPONSIVE_CARD",
        unpoweredCard: "SCARD_W_UNPOWERED_CARD", resetCard: "SCARD_W_RESET_CARD",
        removedCard: "SCARD_W_REMOVED_CARD", securityViolation: "SCARD_W_SECURITY_VIOLATION",
    ]
}
