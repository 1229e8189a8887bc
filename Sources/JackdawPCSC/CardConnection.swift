import JackdawTransport

/// A connection to the card in a reader, in a transaction: no other program sends the card commands or resets it. Its
/// calls block, and one thread uses it. Its end resets the card.
///
/// The selected application, a verified PIN and the steps of a payment are states of the card, which a command of
/// another program between two commands would change. So the transaction lasts as long as the connection.
struct CardConnection: ~Copyable {
    private let service: OwnedContext
    private let card: CardHandle
    private var cardProtocol: CardProtocol
    /// The name of the reader.
    let reader: String
    /// The card's answer to its last reset.
    private(set) var answerToReset: [UInt8]

    /// Connects to the card in the reader that a link names, and waits for the end of other programs' transactions.
    init(_ link: LinkName, _ calls: any PCSCCalls) throws(LinkError) {
        let service = try Self.named(link) { () throws(PCSCFailure) in try OwnedContext(calls) }
        let context = service.context
        let names = try Self.named(link) { () throws(PCSCFailure) in try calls.currentReaderNames(context) }
        let reader = try ReaderLookup.reader(link, in: names)
        (card, cardProtocol, answerToReset) = try Self.named(link) { () throws(PCSCFailure) in
            try Self.connect(calls, context, reader)
        }
        self.service = service
        self.reader = reader
    }

    /// Runs calls whose failure is an error of the link.
    private static func named<Value: ~Copyable>(
        _ link: LinkName, _ calls: () throws(PCSCFailure) -> Value
    ) throws(LinkError) -> Value {
        do throws(PCSCFailure) { return try calls() } catch { throw LinkError(error, link: link.description) }
    }

    deinit { Self.end(card, service.calls) }

    private static func connect(
        _ calls: any PCSCCalls, _ context: ServiceContext, _ reader: String
    ) throws(PCSCFailure) -> (CardHandle, CardProtocol, [UInt8]) {
        let (card, first) = try calls.connect(context, reader: reader)
        var isTransaction = false
        do throws(PCSCFailure) {
            let cardProtocol = try beginTransaction(calls, card, first)
            isTransaction = true
            return (card, cardProtocol, try calls.answerToReset(card))
        } catch {
            if isTransaction { end(card, calls) } else { calls.disconnect(card, isReset: false) }
            throw error
        }
    }

    /// Begins the transaction. The program whose transaction was before may have reset the card at its end.
    /// - Returns: the protocol of the card.
    private static func beginTransaction(
        _ calls: any PCSCCalls, _ card: CardHandle, _ first: CardProtocol
    ) throws(PCSCFailure) -> CardProtocol {
        var cardProtocol = first
        for _ in 1..<CallLimits.repeats {
            do throws(PCSCFailure) {
                try calls.beginTransaction(card)
                return cardProtocol
            } catch {
                guard error == .resetCard else { throw error }
            }
            cardProtocol = try calls.reconnect(card, isReset: false)
        }
        try calls.beginTransaction(card)
        return cardProtocol
    }

    /// Resets the card before another program can use it, and disconnects.
    private static func end(_ card: CardHandle, _ calls: any PCSCCalls) {
        do throws(PCSCFailure) {
            try calls.endTransaction(card)
            calls.disconnect(card, isReset: false)
        } catch {
            calls.disconnect(card, isReset: true)
        }
    }

    /// Sends a command and waits for the answer.
    func transmit(_ command: SecretPacket) throws(PCSCFailure) -> SecretPacket {
        try command.withOctets(over: cardProtocol) { octets throws(PCSCFailure) in
            try service.calls.transmit(card, cardProtocol, octets)
        }
    }

    /// Resets the card (a warm reset) within the transaction, and reads its new answer to reset.
    mutating func reset() throws(PCSCFailure) {
        cardProtocol = try service.calls.reconnect(card, isReset: true)
        answerToReset = try service.calls.answerToReset(card)
    }
}

/// A context of pcscd, which its owner ends.
private struct OwnedContext: ~Copyable {
    let calls: any PCSCCalls
    let context: ServiceContext

    init(_ calls: any PCSCCalls) throws(PCSCFailure) {
        context = try calls.establish()
        self.calls = calls
    }

    deinit { calls.release(context) }
}

extension SecretPacket {
    /// Runs a body over the octets that the reader sends for a command over a protocol.
    ///
    /// T=0 has no command without a fifth octet, and none with both data and an expected length: the card offers its
    /// answer with 61xx (ISO/IEC 7816-3 section 12.2).
    fileprivate func withOctets<Result, Failure: Error>(
        over cardProtocol: CardProtocol, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withOctets { octets throws(Failure) in
            guard cardProtocol == .t0 else { return try body(octets) }
            if octets.count == 4 {
                // A header holds no secret.
                let command = [octets[0], octets[1], octets[2], octets[3], 0]
                return try body(command.span)
            }
            let hasBoth = octets.count > 5 && octets[4] != 0 && octets.count == 6 + Int(octets[4])
            return try body(hasBoth ? octets.extracting(droppingLast: 1) : octets)
        }
    }
}
