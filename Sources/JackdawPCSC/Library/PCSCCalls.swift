/// A context of pcscd (`SCARDCONTEXT`), in which one call at a time runs.
struct ServiceContext: Sendable, Hashable {
    let rawValue: Int
}

/// A connection to a card (`SCARDHANDLE`).
struct CardHandle: Sendable, Hashable {
    let rawValue: Int
}

/// The protocol between reader and card.
enum CardProtocol: Sendable, Hashable {
    /// T=0, which carries octets.
    case t0
    /// T=1, which carries blocks.
    case t1
}

/// The state of a reader, as `SCardGetStatusChange` takes and returns it.
struct ReaderStatus: Sendable, Hashable {
    /// The reader's name, or ``newReaders``.
    let name: String
    /// The state that the caller knows (`SCARD_STATE_*`), with the counter of changes in bits 16 to 31; 0 for none.
    /// The call replaces it by the present state.
    var state: UInt32 = 0
    /// The card's answer to reset, of the present state; empty without a card.
    var answerToReset: [UInt8] = []

    /// The name of a reader that does not exist, whose state changes when a reader is plugged in or out.
    static let newReaders = #"\\?PnP?\Notification"#

    // The bits of a state: SCARD_STATE_* of pcsclite.h.
    static let changed: UInt32 = 0x0002
    static let unknown: UInt32 = 0x0004
    static let unavailable: UInt32 = 0x0008
    static let empty: UInt32 = 0x0010
    static let present: UInt32 = 0x0020
    static let exclusive: UInt32 = 0x0080
    static let inUse: UInt32 = 0x0100
    static let mute: UInt32 = 0x0200
}

/// The calls of libpcsclite, which block. Tests replace them.
protocol PCSCCalls: Sendable {
    /// Connects to pcscd (`SCardEstablishContext`).
    func establish() throws(PCSCFailure) -> ServiceContext

    /// Ends a context (`SCardReleaseContext`).
    func release(_ context: ServiceContext)

    /// The names of the readers in the order of their numbers (`SCardListReaders`).
    func readerNames(_ context: ServiceContext) throws(PCSCFailure) -> [String]

    /// Waits until a state differs from the given one (`SCardGetStatusChange`).
    /// - Parameters:
    ///   - context: the context, in which no other call runs.
    ///   - readers: the states that the caller knows; receives the present ones.
    ///   - milliseconds: the longest wait; nil for no limit.
    /// - Throws: ``PCSCFailure``: `timeout` after the longest wait, `cancelled` after ``cancel(_:)``.
    func waitForChange(
        _ context: ServiceContext, _ readers: inout [ReaderStatus], milliseconds: UInt32?
    ) throws(PCSCFailure)

    /// Ends the wait that another thread has in the context (`SCardCancel`). Without effect if there is none.
    func cancel(_ context: ServiceContext)

    /// Powers the card of a reader and shares it with other programs (`SCardConnect`).
    func connect(_ context: ServiceContext, reader: String) throws(PCSCFailure) -> (CardHandle, CardProtocol)

    /// Resets the card (`SCardReconnect`).
    func reset(_ card: CardHandle) throws(PCSCFailure) -> CardProtocol

    /// The card's answer to reset (`SCardStatus`), 2 to 33 octets.
    func answerToReset(_ card: CardHandle) throws(PCSCFailure) -> [UInt8]

    /// Sends a command and waits for the answer (`SCardTransmit`).
    /// - Returns: the answer. The caller wipes it.
    func transmit(
        _ card: CardHandle, _ cardProtocol: CardProtocol, _ command: Span<UInt8>
    ) throws(PCSCFailure) -> [UInt8]

    /// Resets the card and ends the connection (`SCardDisconnect`).
    func disconnect(_ card: CardHandle)
}
