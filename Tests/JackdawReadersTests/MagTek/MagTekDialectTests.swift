@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// What MagTek's answers mean, which do not say what they answer.
@Suite struct MagTekDialectTests {
    private var dialect = MagTekDialect()

    private mutating func facts(answering index: Int) -> [ReaderFact]? {
        let request = dialect.identification[index]
        let answer = Array("000431323334\r".utf8)
        guard case .done(let facts)? = dialect.understand(answer.span, answering: request).first else { return nil }
        return facts
    }

    @Test mutating func anAnswerThatComesTwiceAnswersOneRequest() {
        #expect(facts(answering: 0) == [.firmware("1234")])
        #expect(facts(answering: 1) == nil)
        // A reader whose number is that of its software says so again when it is asked again.
        #expect(facts(answering: 1) == [.serialNumber("1234")])
    }

    @Test mutating func theSameQuestionMayHaveTheSameAnswer() {
        #expect(facts(answering: 1) == [.serialNumber("1234")])
        #expect(facts(answering: 1) == [.serialNumber("1234")])
        dialect.reset()
        #expect(facts(answering: 0) == [.firmware("1234")])
    }
}
