import JackdawBytes
public import JackdawCards
public import JackdawPayments

/// The result of a request: the reply, and what must be done beside.
public struct SandboxOutput: Sendable {
    /// The reply to a request.
    public enum Reply: Sendable {
        /// The answer is sent at this time.
        case answer(HTTPAnswer, at: Duration)
        /// The answer is begun at this time, and the connection ends after some bytes of the body.
        case cut(HTTPAnswer, after: Int, at: Duration)
        /// No answer comes, and the connection stays open until the client closes it.
        case silent
    }

    /// The reply to the client, with its time.
    public internal(set) var reply: Reply
    /// The effects, in the order in which they are carried out.
    public internal(set) var effects: [SandboxEffect]

    package init(_ reply: Reply, _ effects: [SandboxEffect] = []) {
        self.reply = reply
        self.effects = effects
    }

    /// The time of the reply; nil if none comes.
    var due: Duration? {
        switch reply {
        case .answer(_, let due), .cut(_, _, let due): due
        case .silent: nil
        }
    }

    mutating func delay(by delay: Duration) {
        if case .answer(let answer, let due) = reply { reply = .answer(answer, at: due + delay) }
    }
}

/// What a program must do beside the answer. A sandbox does not learn whether it was done.
public enum SandboxEffect: Sendable {
    /// Sends a callback about a payment that was executed.
    case callback(SandboxCallback)
    /// Sends a message to a person.
    case message(SandboxMessage)
}

/// A POST to the address that a client gave for its payment, after the payment is executed.
public struct SandboxCallback: RedactedDescription {
    /// The absolute address: `https://` or `http://`. It comes from a client: a program decides where it may lead.
    public let url: String
    /// The 18 fields, in the order of the Accept SDK integration guide 1.6.182, 3.2.1.
    public let fields: [HTTPField]
    /// The time at which it is sent, since 1970-01-01 00:00 UTC.
    public let due: Duration

    /// The fields as `application/x-www-form-urlencoded`. The guide does not name the encoding.
    public var body: HTTPBody {
        let pairs = fields.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        return HTTPBody(copying: Array(pairs.joined(separator: "&").utf8).span)
    }

    /// The number of fields.
    public var description: String { "callback with \(fields.count) fields" }
}

/// A message to a person, which a program may send or show.
public struct SandboxMessage: RedactedDescription {
    /// The kind of a message.
    public enum Kind: String, Sendable, Hashable {
        /// A receipt of a payment was asked for; the text is the payment's identifier.
        case receipt
        /// A password was reset; the text is the new password.
        case password
        /// A user has forgotten the name; the text is the name.
        case userIdentifier
    }

    /// The kind, which names the meaning of the text.
    public let kind: Kind
    /// The address: e-mail, or a phone number.
    public let address: String
    /// The text. It may be a password, so logs do not have it.
    public let text: SecretText

    init(_ kind: Kind, to address: String, _ text: String) {
        self.kind = kind
        self.address = address
        self.text = SecretText(copying: Array(text.utf8).span)
    }

    /// The kind, and neither address nor text.
    public var description: String { "message: \(kind.rawValue)" }
}

extension HTTPAnswer {
    /// The same answer with a damaged body of the same length: every third byte is FF, which is never in UTF-8.
    var garbled: HTTPAnswer {
        var octets = body.withBytes { Array(span: $0) }
        for index in stride(from: 0, to: octets.count, by: 3) { octets[index] = 0xFF }
        return HTTPAnswer(status: status, headers: headers, body: HTTPBody(copying: octets.span))
    }
}
