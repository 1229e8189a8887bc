import JackdawBytes
import JackdawTransport

/// A connection to the card in a reader. Its calls block, and one at a time may run.
final class CardConnection: Sendable {
    private let calls: any PCSCCalls
    private let context: ServiceContext
    private let card: CardHandle
    /// The name of the reader.
    let reader: String
    private let contact: Lock<Contact>

    /// The facts that a reset may change.
    private struct Contact {
        var cardProtocol: CardProtocol
        var answerToReset: [UInt8]
    }

    /// Connects to the card in the reader that a link names.
    init(_ link: LinkName, _ calls: any PCSCCalls) throws(LinkError) {
        let context: ServiceContext
        do throws(PCSCFailure) { context = try calls.establish() } catch {
            throw LinkError(error, link: link.description)
        }
        do throws(LinkError) {
            (reader, card, contact) = try Self.connect(link, calls, context)
        } catch {
            calls.release(context)
            throw error
        }
        self.calls = calls
        self.context = context
    }

    private static func connect(
        _ link: LinkName, _ calls: any PCSCCalls, _ context: ServiceContext
    ) throws(LinkError) -> (String, CardHandle, Lock<Contact>) {
        let names: [String]
        do throws(PCSCFailure) { names = try calls.readerNames(context) } catch {
            throw LinkError(error, link: link.description)
        }
        let reader = try ReaderLookup.reader(link, in: names)
        do throws(PCSCFailure) {
            let (card, cardProtocol) = try calls.connect(context, reader: reader)
            do throws(PCSCFailure) {
                let answer = try calls.answerToReset(card)
                return (reader, card, Lock(Contact(cardProtocol: cardProtocol, answerToReset: answer)))
            } catch {
                calls.disconnect(card)
                throw error
            }
        } catch {
            throw LinkError(error, link: link.description)
        }
    }

    /// The card's last answer to reset.
    var answerToReset: [UInt8] { contact.withLock { $0.answerToReset } }

    /// Sends a command and waits for the answer.
    /// - Returns: the answer. The caller wipes it.
    func transmit(_ command: SecretCommand) throws(PCSCFailure) -> [UInt8] {
        let cardProtocol = contact.withLock { $0.cardProtocol }
        return try command.withOctets(over: cardProtocol) { octets throws(PCSCFailure) in
            try calls.transmit(card, cardProtocol, octets)
        }
    }

    /// Resets the card.
    /// - Returns: its answer to reset.
    func reset() throws(PCSCFailure) -> [UInt8] {
        let cardProtocol = try calls.reset(card)
        let answer = try calls.answerToReset(card)
        contact.withLock { $0 = Contact(cardProtocol: cardProtocol, answerToReset: answer) }
        return answer
    }

    /// Resets the card and ends the connection. Call once, last.
    func end() {
        calls.disconnect(card)
        calls.release(context)
    }
}

/// A command in memory that is wiped: it may carry a PIN.
final class SecretCommand: Sendable {
    private let octets: SecretBuffer<UInt8>

    /// Copies an APDU, which the caller wipes.
    init(copying octets: [UInt8]) { self.octets = SecretBuffer(copying: octets) }

    /// Runs a body over the octets that the reader sends over a protocol.
    ///
    /// T=0 has no command without a fifth octet, and none with both data and an expected length: the card offers its
    /// answer with 61xx (ISO/IEC 7816-3 section 12.2).
    func withOctets<Result, Failure: Error>(
        over cardProtocol: CardProtocol, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try octets.withElements { octets throws(Failure) in
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
