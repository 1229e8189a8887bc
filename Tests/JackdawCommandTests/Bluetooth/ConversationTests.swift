import Glibc
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Questions of tasks to the user at the terminal.
@Suite struct ConversationTests {
    /// Asks questions. Standard input has the typed text, and then ends.
    private func answers(_ questions: [String], typed: String) async throws -> (answers: [String?], messages: String) {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        _ = unsafe write(ends[1], typed, typed.utf8.count)
        close(ends[1])
        let input = ends[0]
        return try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            let answers = try conversation.run(on: recorder.console, input: input, isInterrupted: { false }) {
                () async throws(CommandError) in
                var answers: [String?] = []
                for question in questions { answers.append(await conversation.ask(question)) }
                return answers
            }
            return (answers, recorder.messages)
        }
    }

    @Test func eachQuestionGetsItsLine() async throws {
        let run = try await answers(["one?", "two?", "three?"], typed: "yes\n4711\n")
        #expect(run.answers == ["yes", "4711", nil])
        #expect(run.messages == "jackdaw: one?\njackdaw: two?\njackdaw: three?\n")
    }

    /// A task with many lines waits for the console, so that few lines are queued.
    @Test func manyLinesWaitForTheConsole() async throws {
        let count = 20 * Conversation.maxLines
        let (output, most) = try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            let most = try conversation.run(on: recorder.console, isInterrupted: { false }) {
                () async throws(CommandError) in
                var most = 0
                for number in 0..<count {
                    conversation.result("\(number)")
                    most = max(most, conversation.lineCount)
                    await conversation.waitForRoom()
                }
                return most
            }
            return (recorder.output, most)
        }
        #expect(output == (0..<count).map { "\($0)\n" }.joined())
        #expect(most <= Conversation.maxLines)
    }

    /// Several lines are pasted at once, and the terminal stays open.
    @Test(.timeLimit(.minutes(30))) func linesThatWereTypedAheadAnswerLaterQuestions() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        _ = unsafe write(ends[1], "yes\n4711\n", 9)
        let input = ends[0]
        let answers = try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            return try conversation.run(on: recorder.console, input: input, isInterrupted: { false }) {
                () async throws(CommandError) in
                [await conversation.ask("one?"), await conversation.ask("two?")]
            }
        }
        #expect(answers == ["yes", "4711"])
    }

    /// A device withdraws its question while the user reads it.
    @Test func aWithdrawnQuestionIsReportedIfItWasShown() async throws {
        let shown = Shared(false)
        let messages = try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            try conversation.run(
                on: recorder.console, input: -1,
                isInterrupted: {
                    if recorder.messages.contains("well?") { shown.with { $0 = true } }
                    return false
                }
            ) { () async throws(CommandError) in
                let asking = Task { await conversation.ask("well?") }
                try? await shown.until { $0 }
                asking.cancel()
                _ = await asking.value
            }
            return recorder.messages
        }
        #expect(messages == "jackdaw: well?\njackdaw: no answer is wanted any more\n")
    }

    /// Lines that were queued before the end of the work are written in their order.
    @Test func queuedLinesAreWritten() async throws {
        let output = try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            try conversation.run(on: recorder.console, isInterrupted: { false }) { () async throws(CommandError) in
                for number in 0..<100 { conversation.result("\(number)") }
            }
            return recorder.output
        }
        let expected = (0..<100).map { "\($0)\n" }.joined()
        #expect(output == expected)
    }

    /// An interrupt cancels the work and its question.
    @Test func anInterruptionEndsAQuestion() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let input = ends[0]
        let (status, messages) = try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            var status = jackdaw_cli.ExitStatus.done
            do throws(CommandError) {
                try conversation.run(
                    on: recorder.console, input: input, isInterrupted: { recorder.messages.contains("well?") }
                ) { () async throws(CommandError) in
                    let answer = await conversation.ask("well?")
                    conversation.message("answer: \(answer ?? "none")")
                }
            } catch {
                status = error.status
            }
            return (status, recorder.messages)
        }
        #expect(status == .interrupted)
        #expect(messages == "jackdaw: well?\njackdaw: answer: none\n")
    }
}
