import Glibc
import Testing

@testable import jackdaw_cli

/// Questions to the person at the terminal, from tasks.
@Suite struct ConversationTests {
    /// Asks, with this typed on standard input, which then ends.
    private func answers(_ questions: [String], typed: String) throws -> (answers: [String?], messages: String) {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        _ = unsafe write(ends[1], typed, typed.utf8.count)
        close(ends[1])
        let recorder = ConsoleRecorder()
        let conversation = try Conversation()
        let answers = try conversation.run(on: recorder.console, input: ends[0], isInterrupted: { false }) {
            () async throws(CommandError) in
            var answers: [String?] = []
            for question in questions { answers.append(await conversation.ask(question)) }
            return answers
        }
        return (answers, recorder.messages)
    }

    @Test func eachQuestionGetsItsLine() throws {
        let run = try answers(["one?", "two?", "three?"], typed: "yes\n4711\n")
        #expect(run.answers == ["yes", "4711", nil])
        #expect(run.messages == "jackdaw: one?\njackdaw: two?\njackdaw: three?\n")
    }

    /// What was told before the end is written, in its order.
    @Test func whatWasToldIsWritten() throws {
        let recorder = ConsoleRecorder()
        let conversation = try Conversation()
        try conversation.run(on: recorder.console, isInterrupted: { false }) { () async throws(CommandError) in
            for number in 0..<100 { conversation.result("\(number)") }
        }
        #expect(recorder.output.split(separator: "\n").map(String.init) == (0..<100).map(String.init))
    }

    /// An interruption cancels the work, and the question with it.
    @Test func anInterruptionEndsAQuestion() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let recorder = ConsoleRecorder()
        let conversation = try Conversation()
        do throws(CommandError) {
            try conversation.run(
                on: recorder.console, input: ends[0], isInterrupted: { recorder.messages.contains("well?") }
            ) { () async throws(CommandError) in
                let answer = await conversation.ask("well?")
                conversation.message("answer: \(answer ?? "none")")
            }
            Issue.record("it was not interrupted")
        } catch {
            #expect(error.status == .interrupted)
        }
        #expect(recorder.messages == "jackdaw: well?\njackdaw: answer: none\n")
    }
}
