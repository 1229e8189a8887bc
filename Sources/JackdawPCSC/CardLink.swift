public import JackdawTransport

/// A link to the card in a reader: each packet sent is one command (APDU), each packet received is the answer to one
/// command, in the same order: its data, then SW1 and SW2.
///
/// Over T=0 the card offers data with the status 61xx and corrects lengths with 6Cxx; the link passes these answers on,
/// and the program sends GET RESPONSE. A command that fails loses the link: the card was
/// removed, or it does not answer.
///
/// While the link is open it holds a transaction of PC/SC: no other program can send the card commands or reset it. Other
/// programs that ask for the card wait until the link is closed or lost. Then the card is reset, so that the next program
/// does not find a verified PIN; a link that is released without ``close()`` does the same.
public final class CardLink: Transport, CardResetting {
    /// The name that opened the link.
    public let link: LinkName
    /// The name of the reader.
    public let reader: String
    private let session: CardSession

    init(_ link: LinkName, reader: String, _ session: CardSession) {
        self.link = link
        self.reader = reader
        self.session = session
    }

    deinit { session.endSoon() }

    /// The answer of the card to its last reset, 2 to 33 octets.
    public func answerToReset() async -> [UInt8] { session.answerToReset }

    /// Waits for the answer to the next command and passes it to `take`. Only one task at a time may receive.
    /// - Parameter take: receives the answer, 2 octets at least.
    /// - Returns: true; a card never ends the link in good order.
    /// - Throws: `LinkError` if the link was lost, again at each call, or if the task was cancelled, which loses no
    ///   answer.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        try await session.receive(take)
        return true
    }

    /// Sends one command, after the answer to the command before. Does not wait for its own answer. Only one task at a
    /// time may send.
    /// - Parameter bytes: the command, 4 octets at least.
    /// - Throws: `LinkError` if the link was lost, or if the task was cancelled while it waited; nothing was sent.
    public func send(_ bytes: [UInt8]) async throws(LinkError) {
        guard !bytes.isEmpty else { return }
        guard bytes.count >= 4 else {
            throw LinkError(
                .unsupported, link: link.description, "a command has 4 octets at least", undelivered: bytes.count)
        }
        try await session.transmit(bytes)
    }

    /// Resets the card (a warm reset), after the answer to the command before. Its state, such as a verified PIN, is
    /// lost.
    /// - Returns: the answer to reset.
    /// - Throws: `LinkError` if the link was lost before or by the reset, or if the task was cancelled before it.
    public func resetCard() async throws(LinkError) -> [UInt8] { try await session.reset() }

    /// Has no effect: a card has no end of data.
    public func endSending() async throws(LinkError) {}

    /// Closes the link, and waits 5 s at most for the reset of the card. If the card has not answered a command yet, the
    /// call returns at once, and the card is reset after its answer.
    public func close() async { await session.close() }
}
