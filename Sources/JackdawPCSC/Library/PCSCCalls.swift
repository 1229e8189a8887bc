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
    /// The state was returned by a call. In a state that the caller knows it has no meaning for the library.
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
    /// - Throws: ``PCSCFailure``: `insufficientBuffer` if a reader was plugged in while they were listed.
    func readerNames(_ context: ServiceContext) throws(PCSCFailure) -> [String]

    /// Waits until a state differs from the given one (`SCardGetStatusChange`).
    /// - Parameters:
    ///   - context: the context, in which no other call runs.
    ///   - readers: the states that the caller knows; receives the present ones.
    ///   - milliseconds: the longest wait; 0 only looks at the states.
    /// - Throws: ``PCSCFailure``: `timeout` after the longest wait, `cancelled` after ``cancel(_:)``.
    func waitForChange(
        _ context: ServiceContext, _ readers: inout [ReaderStatus], milliseconds: UInt32
    ) throws(PCSCFailure)

    /// Ends the wait that another thread has in the context (`SCardCancel`). Without effect if there is none.
    func cancel(_ context: ServiceContext)

    /// Powers the card of a reader and shares it with other programs (`SCardConnect`). Waits without limit for the end
    /// of other programs' transactions.
    func connect(_ context: ServiceContext, reader: String) throws(PCSCFailure) -> (CardHandle, CardProtocol)

    /// Connects again, after another program has reset the card, or to reset it
    /// (`SCardReconnect`). A transaction goes on.
    /// - Parameters:
    ///   - card: the connection.
    ///   - isReset: whether the card is reset.
    /// - Returns: the protocol of the card.
    /// - Throws: ``PCSCFailure``.
    func reconnect(_ card: CardHandle, isReset: Bool) throws(PCSCFailure) -> CardProtocol

    /// Begins a transaction: from now on, no other program sends the card commands (`SCardBeginTransaction`). Waits
    /// without limit for the end of other programs' transactions.
    func beginTransaction(_ card: CardHandle) throws(PCSCFailure)

    /// Resets the card and ends the transaction (`SCardEndTransaction`).
    func endTransaction(_ card: CardHandle) throws(PCSCFailure)

    /// The card's answer to reset (`SCardStatus`), 2 to 33 octets.
    func answerToReset(_ card: CardHandle) throws(PCSCFailure) -> [UInt8]

    /// Sends a command and waits for the answer (`SCardTransmit`).
    func transmit(
        _ card: CardHandle, _ cardProtocol: CardProtocol, _ command: Span<UInt8>
    ) throws(PCSCFailure) -> SecretPacket

    /// Ends the connection (`SCardDisconnect`).
    /// - Parameters:
    ///   - card: the connection.
    ///   - isReset: whether the card is reset.
    func disconnect(_ card: CardHandle, isReset: Bool)
}

extension PCSCCalls {
    /// The names of the readers, listed again if a reader is plugged in in that time.
    func currentReaderNames(_ context: ServiceContext) throws(PCSCFailure) -> [String] {
        for _ in 1..<CallLimits.repeats {
            do throws(PCSCFailure) { return try readerNames(context) } catch {
                guard error == .insufficientBuffer else { throw error }
            }
        }
        return try readerNames(context)
    }
}
