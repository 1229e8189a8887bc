import JackdawEMV
import JackdawTestSupport
import Testing

/// A card that answers as in a dialogue, over T=0. Each command must be the one of the dialogue.
struct ScriptedCard {
    private let name: String
    private var exchanges: ArraySlice<(command: [UInt8], response: [UInt8]?)>

    init<Input, Output>(_ name: String, _ exchanges: [VectorRow<Input, Output>.Exchange]) {
        self.name = name
        self.exchanges = exchanges.map { (hex($0.c), $0.r.map { hex($0) }) }[...]
    }

    /// Whether all commands of the dialogue were sent.
    var isDone: Bool { exchanges.isEmpty }

    /// Whether the dialogue has a SELECT of an application.
    func isSelected(_ name: [UInt8]) -> Bool {
        exchanges.contains { $0.command == [0x00, 0xA4, 0x04, 0x00, UInt8(name.count)] + name + [0x00] }
    }

    /// Answers a command; nil if the card was removed.
    mutating func send(_ command: CardCommand) throws -> CardResponse? {
        var exchange = CardExchange(command)
        var next: CardCommand? = command
        while let sent = next {
            let first = exchanges.popFirst()
            let expected = try #require(first, "\(name): a command after the end of the dialogue")
            #expect(masked(sent.octets) == masked(expected.command), "\(name)")
            guard let response = expected.response else { return nil }
            next = exchange.receive(try CardResponse(response.span))
        }
        return exchange.response
    }

    /// GENERATE AC without its random octets: the last four of its data.
    private func masked(_ command: [UInt8]) -> [UInt8] {
        guard command.starts(with: [0x80, 0xAE]), command.count == 35 else { return command }
        return Array(command[..<30]) + Array(command[34...])
    }
}
