/// A command to a card and its answer, with the meaning of both.
///
/// Card data is masked or left out, unless the caller asked for it; PINs and keys always are.
public struct ExplainedExchange: Sendable, Hashable {
    /// The number of the command's line in its trace, from 1; nil if it is not from a trace.
    public let line: Int?
    /// The command with its data.
    public let command: ExplainedCommand
    /// The answer; nil if the card did not answer.
    public let answer: ExplainedAnswer?
    /// Certificates and signatures that could be opened with the objects that came so far. None without keys.
    public let recovered: [RecoveredBlock]
}

/// A command, with the meaning of its parameters and data.
public struct ExplainedCommand: Sendable, Hashable {
    /// The name, for example `READ RECORD`; `Command 00 0C` if it is not known, and `Not a command` of other octets.
    public let name: String
    /// CLA, INS, P1 and P2 in hexadecimal digits; nil of octets that are not a command.
    public let header: String?
    /// The parameters in words.
    public let parameters: [ExplainedObject.Detail]
    /// The data of the command.
    public let data: ExplainedData
}

/// An answer, with the meaning of its status word and data.
public struct ExplainedAnswer: Sendable, Hashable {
    /// The status word; nil if there are fewer than two octets, or if it is masked in the trace.
    public let status: StatusWord?
    /// The meaning of the status word; nil if it is not known.
    public let meaning: String?
    /// The data, without the status word. An answer in several parts has its data in the last one.
    public let data: ExplainedData
}

/// The data of a command or an answer.
public struct ExplainedData: Sendable, Hashable {
    /// Number of octets, shown or not.
    public let count: Int
    /// The objects: those of BER-TLV, and the values of a list (DOL) or of format 1, which have no tags in the data.
    /// Places are those in the data; in a value without a tag, `start` is that of the value.
    public let objects: [ExplainedObject]
    /// The data in hexadecimal digits, if it is not objects and is shown; else nil.
    public let digits: String?
    /// The reason why the data is not explained; nil if it is.
    public let problem: String?

    /// Whether there is data that is not shown.
    public var isHidden: Bool { count > 0 && objects.isEmpty && digits == nil }

    init(_ count: Int, _ objects: [ExplainedObject] = [], digits: String? = nil, problem: String? = nil) {
        self.count = count
        self.objects = objects
        self.digits = digits
        self.problem = problem
    }
}

/// A certificate or signature that was opened with its signer's public key (EMV Book 2, sections 5 and 6).
public struct RecoveredBlock: Sendable, Hashable {
    /// The tag of the certificate or signature.
    public let tag: Tag
    /// The key that opens it: `CA key A000000003 92`, `issuer key` or `card key`.
    public let signer: String
    /// The fields in their order. The hash is not checked. Without card data, of hashes, of the data authentication
    /// code and of the card's own expiry, serial number and key only the number of octets is shown.
    public let fields: [ExplainedObject.Detail]
}
