/// One command as T=0 carries it out: the answer's data is asked for with GET RESPONSE, and a wrong length is corrected
/// (EMV Contact Interface, annex A; ISO/IEC 7816-4 section 5.3.4).
///
/// 6Cxx says that the card did not carry the command out, and that it has xx octets: a command without data is sent
/// again with this length, once. A second 6Cxx to the same command is an error of the card and becomes the answer. A
/// command with data is never sent again: T=0 states the length of its data, not that of its answer, which GET RESPONSE
/// corrects. So a card receives a GENERATE AC once.
///
/// Over T=1 and contactless each command has its answer at once; there, no exchange is needed.
///
/// ```swift
/// var exchange = CardExchange(command)
/// var answer = try card.transmit(command)
/// while let next = exchange.receive(answer) { answer = try card.transmit(next) }
/// let whole = exchange.response
/// ```
public struct CardExchange: Sendable {
    /// The whole answer. Before the last answer, the part that was received.
    public private(set) var response = CardResponse(status: StatusWord(rawValue: 0x6F00))

    private let command: CardCommand
    /// The command that was sent last: ``command`` or a GET RESPONSE, with its length corrected.
    private var sent: CardCommand
    /// Whether the length of the command that was sent last is corrected.
    private var isCorrected = false
    /// The warning that came without data; the data follows.
    private var warning: StatusWord?
    /// The number of further commands that are allowed.
    private var left = 64

    /// The exchange of a command. The caller sends the command.
    public init(_ command: CardCommand) {
        self.command = command
        sent = command
    }

    /// Takes an answer of the card.
    /// - Returns: the command to send next; nil if ``response`` is complete.
    public mutating func receive(_ answer: CardResponse) -> CardCommand? {
        let data = SecretOctets(joining: [response.data, answer.data])
        response = CardResponse(data, answer.status)
        if let next = next(after: answer, hasData: !data.isEmpty) {
            sent = next
            return next
        }
        if let warning {
            // The data belongs to the warning; without data, the warning is the answer.
            response = CardResponse(answer.status == .success ? data : SecretOctets([]), warning)
        }
        return nil
    }

    private mutating func next(after answer: CardResponse, hasData: Bool) -> CardCommand? {
        guard left > 0 else { return nil }
        left -= 1
        let count = answer.status.second
        switch answer.status.first {
        case 0x61:
            isCorrected = false
            return Self.getResponse(count)
        case 0x6C where answer.data.isEmpty && sent.data.isEmpty && sent.expectedLength != nil && !isCorrected:
            // Only the length of the last command is wrong. The first command is not sent again after a GET RESPONSE.
            isCorrected = true
            return CardCommand(
                checked: sent.classOctet, sent.instruction, sent.parameter1, sent.parameter2, sent.data,
                count == 0 ? 256 : Int(count))
        case 0x62, 0x63:
            guard warning == nil, !hasData, !command.data.isEmpty, command.expectedLength != nil else { return nil }
            warning = answer.status
            isCorrected = false
            return Self.getResponse(0)
        default: return nil
        }
    }

    private static func getResponse(_ count: UInt8) -> CardCommand {
        CardCommand(checked: 0x00, 0xC0, 0x00, 0x00, SecretOctets([]), count == 0 ? 256 : Int(count))
    }
}
