import JackdawBytes
public import JackdawCards
public import JackdawEMV
public import JackdawTransport

/// An event of a virtual card in a virtual reader.
public enum VirtualCardEvent: Sendable, Equatable {
    /// The reader gave the card power.
    case poweredOn
    /// The reader took the card's power.
    case poweredOff
    /// The reader reset the card.
    case reset
    /// The card answered a command. Both may hold card data or a PIN, in wiped memory.
    case answered(command: SecretOctets, response: CardResponse)

    /// The octets of an answered command that may be shown if card data may: all of them, but none of a command whose
    /// data may be a PIN, or that is not one; nil of other events too.
    package var revealedCommand: SecretOctets? {
        guard case .answered(let octets, _) = self else { return nil }
        return octets.withOctets { (try? CardCommand($0))?.mayHaveSecret ?? true } ? nil : octets
    }

    /// The name of an answered command's instruction: `SELECT`; nil of other events, and if the card does not know it.
    public var instruction: String? {
        guard case .answered(let command, _) = self else { return nil }
        return command.withOctets { octets in
            (try? CardCommand(octets)).flatMap { CardInstruction($0)?.rawValue }
        }
    }
}

/// Puts a virtual card into a virtual reader, over a link to vsmartcard's vpcd.
///
/// ```swift
/// var host = VirtualCardHost(card)
/// try await host.run(over: link) { event in print(event) }
/// ```
public struct VirtualCardHost: Sendable {
    /// The card, which keeps its counters when a link ends.
    public private(set) var card: VirtualCard
    private var frames = VirtualReaderFrames()

    /// A host without a link.
    public init(_ card: VirtualCard) { self.card = card }

    /// Answers the reader until the link ends.
    /// - Parameters:
    ///   - transport: the open link to the reader; the caller closes it.
    ///   - report: receives each event after its answer was sent. Questions for the ATR are not reported, as the reader
    ///     asks again and again.
    /// - Throws: `LinkError` if the link was lost, or the task was cancelled.
    public mutating func run(
        over transport: any Transport, _ report: (VirtualCardEvent) async -> Void
    ) async throws(LinkError) {
        defer {
            card.powerOff()
            frames.wipe()
        }
        while true {
            var messages: [VirtualReaderFrames.Message] = []
            let isOpen = try await receive(from: transport, into: &messages)
            guard isOpen else { return }
            for message in messages {
                var answer: [UInt8] = []
                defer { answer.wipe() }
                let event = self.answer(message, &answer)
                if !answer.isEmpty { try await transport.send(answer) }
                if let event { await report(event) }
            }
        }
    }

    private mutating func receive(
        from transport: any Transport, into messages: inout [VirtualReaderFrames.Message]
    ) async throws(LinkError) -> Bool {
        var frames = frames
        self.frames = VirtualReaderFrames()
        defer { self.frames = frames }
        return try await transport.receive { octets in
            frames.receive(octets) { messages.append($0) }
        }
    }

    /// - Parameters:
    ///   - message: the message.
    ///   - answer: receives the answer with its length, if there is one. The caller wipes it.
    /// - Returns: the event to report.
    private mutating func answer(
        _ message: VirtualReaderFrames.Message, _ answer: inout [UInt8]
    ) -> VirtualCardEvent? {
        switch message {
        case .powerOff:
            card.powerOff()
            return .poweredOff
        case .powerOn:
            _ = card.powerOn()
            return .poweredOn
        case .reset:
            _ = card.powerOn()
            return .reset
        case .answerToReset:
            answer = VirtualReaderFrames.frame(card.answerToReset)
            return nil
        case .command(let command):
            let response = command.withOctets { card.receive($0) }
            var octets = response.octets
            defer { octets.wipe() }
            answer = VirtualReaderFrames.frame(octets)
            return .answered(command: command, response: response)
        case .unknown: return nil
        }
    }
}

extension VirtualCardHost: RedactedDescription {
    /// The card's description, and nothing of the octets that were received.
    public var description: String { "host of a \(card)" }
}
