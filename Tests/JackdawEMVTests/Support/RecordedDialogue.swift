import JackdawEMV
import JackdawTestSupport
import Testing

/// A dialogue with a card of a public project, from `apdu_traces.json` of ``ThirdPartyVectors``.
struct RecordedDialogue: Decodable {
    struct Exchange: Decodable {
        /// The command, in hexadecimal digits.
        let c: String
        /// The answer; nil if the card did not answer.
        let r: String?
    }

    let id: String
    let exchanges: [Exchange]

    private static let file = "apdu_traces"

    /// Runs a suite only if the dialogues are there.
    static var areThere: some SuiteTrait {
        .enabled(if: ThirdPartyVectors.has(file), Comment(rawValue: ThirdPartyVectors.comment))
    }

    /// All dialogues, in their order.
    static let all = Result { try ThirdPartyVectors.rows(file, as: Self.self) }

    /// The dialogue with an identifier.
    static func find(_ id: String) throws -> Self { try #require(try all.get().first { $0.id == id }) }

    /// The commands and answers, as the reader of traces returns them.
    func read() throws -> [TraceExchange] {
        guard !exchanges.isEmpty else { return [] }
        return try JackdawEMVTests.exchanges(exchanges.map { "\($0.c)\n" + ($0.r.map { "\($0)\n" } ?? "") }.joined())
    }
}
