import Glibc
import JackdawSystem

/// What tasks tell and ask the person at the terminal while the command's own thread waits for them: it alone writes and reads.
final class Conversation: Sendable {
    /// What is to be written.
    private enum Line {
        case result(String)
        case object(JSONObject)
        case message(String)
        case status(String)
    }

    private struct Question {
        let number: Int
        let text: String
        let answer: CheckedContinuation<String?, Never>
        var isShown = false
    }

    private struct State {
        var lines: [Line] = []
        /// Who has more to say and waits until these are written.
        var speakers: [CheckedContinuation<Void, Never>] = []
        var questions: [Question] = []
        var nextNumber = 0
        /// Questions that were given up before they were asked.
        var givenUp: Set<Int> = []
        /// Whether the person has ended it all.
        var isInterrupted = false
    }

    private let state = SystemLock(State())
    private let bell: WakeUp

    init() throws(CommandError) {
        do throws(SystemFailure) {
            bell = try WakeUp()
        } catch {
            throw Timers.failure(error)
        }
    }

    /// Writes a line to standard output.
    func result(_ line: String) { add(.result(line)) }

    /// Writes an object as a line of standard output.
    func result(_ object: JSONObject) { add(.object(object)) }

    /// Writes a line to standard error.
    func message(_ line: String) { add(.message(line)) }

    /// Shows a line that the next one replaces; on a terminal only.
    func status(_ line: String) { add(.status(line)) }

    /// Lines that wait to be written before ``waitForRoom()`` waits.
    static let mostLines = 256

    /// How many lines wait to be written.
    var lineCount: Int { state.withLock { $0.lines.count } }

    /// Waits while whoever reads the output is behind; what is not received meanwhile stays with the device.
    func waitForRoom() async {
        await withCheckedContinuation { speaker in
            let waits = state.withLock { state in
                guard state.lines.count >= Self.mostLines else { return false }
                state.speakers.append(speaker)
                return true
            }
            if !waits { speaker.resume() }
        }
    }

    /// Asks, and waits for the answer.
    /// - Returns: the line that was typed; nil where there is none to come, or the task was cancelled.
    func ask(_ text: String) async -> String? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                let isAsked = state.withLock { state in
                    guard state.givenUp.remove(number) == nil else { return false }
                    state.questions.append(Question(number: number, text: text, answer: answer))
                    return true
                }
                if isAsked { bell.ring() } else { answer.resume(returning: nil) }
            }
        } onCancel: {
            let question: Question? = state.withLock { state in
                guard let index = state.questions.firstIndex(where: { $0.number == number }) else {
                    state.givenUp.insert(number)
                    return nil
                }
                let question = state.questions.remove(at: index)
                if question.isShown, !state.isInterrupted {
                    state.lines.append(.message("no answer is wanted any more"))
                }
                return question
            }
            question?.answer.resume(returning: nil)
            bell.ring()
        }
    }

    /// Asks a question that a yes answers.
    func agrees(to question: String) async -> Bool {
        guard let answer = await ask(question)?.lowercased() else { return false }
        return ["y", "yes"].contains(answer)
    }

    /// Does asynchronous work while this thread writes and reads for it; Ctrl-C cancels it.
    /// - Parameters:
    ///   - console: where to write.
    ///   - input: the descriptor to read answers from.
    ///   - isInterrupted: whether the user wants the command to end.
    ///   - work: what to do.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws, or `interrupted`.
    func run<Value: Sendable>(
        on console: Console, input: Int32 = STDIN_FILENO,
        isInterrupted: () -> Bool = { Interruption.isRequested },
        _ work: @escaping @Sendable () async throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        try Timers.start()
        let outcome = SystemLock<Result<Value, CommandError>?>(nil)
        let task = Task { [bell] in
            let result: Result<Value, CommandError>
            do throws(CommandError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            bell.ring()
        }
        // It may be a code.
        var typed: [UInt8] = []
        defer { typed.removeWiping() }
        var isCancelled = false
        while true {
            let isAsking = write(on: console)
            if let result = outcome.withLock({ $0 }) {
                // What it said last came before its end.
                _ = write(on: console)
                if isCancelled { throw .interrupted }
                return try result.get()
            }
            if !isCancelled, isInterrupted() || console.hasFailed {
                Interruption.giveTime()
                isCancelled = true
                state.withLock { $0.isInterrupted = true }
                task.cancel()
            }
            wait(for: isAsking ? input : nil, &typed)
        }
    }

    private func add(_ line: Line) {
        state.withLock { $0.lines.append(line) }
        bell.ring()
    }

    /// Writes what there is to be written.
    /// - Returns: whether an answer is wanted.
    private func write(on console: Console) -> Bool {
        let (lines, speakers, question) = state.withLock { state in
            defer {
                state.lines = []
                state.speakers = []
                if !state.questions.isEmpty { state.questions[0].isShown = true }
            }
            return (state.lines, state.speakers, state.questions.first)
        }
        for line in lines {
            switch line {
            case .result(let text): console.result(text)
            case .object(let object): console.result(object)
            case .message(let text): console.message(text)
            case .status(let text): console.status(text)
            }
        }
        console.flush()
        for speaker in speakers { speaker.resume() }
        guard let question else { return false }
        if !question.isShown { console.message(question.text) }
        return true
    }

    /// Waits for something to write, an answer, or a moment, to see whether to end.
    private func wait(for input: Int32?, _ typed: inout [UInt8]) {
        // Typed ahead, it is not told of by the system again.
        if input != nil, answerLine(of: &typed) { return }
        var entries = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)]
        if let input { entries.append(pollfd(fd: input, events: Int16(POLLIN), revents: 0)) }
        guard unsafe poll(&entries, nfds_t(entries.count), 200) > 0 else { return }
        if entries[0].revents != 0 { bell.clear() }
        guard let input, entries[1].revents != 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(input, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        typed += buffer.prefix(max(0, count))
        buffer.removeWiping()
        guard !answerLine(of: &typed), count <= 0 || typed.count > 1_024 else { return }
        answer(nil)
        typed.removeWiping()
    }

    /// Answers with the first line.
    /// - Returns: whether there is one.
    private func answerLine(of typed: inout [UInt8]) -> Bool {
        guard let end = typed.firstIndex(of: UInt8(ascii: "\n")) else { return false }
        answer(String(decoding: typed[..<end], as: UTF8.self))
        let rest = Array(typed[(end + 1)...])
        typed.removeWiping()
        typed = rest
        return true
    }

    private func answer(_ text: String?) {
        let question = state.withLock { state in state.questions.isEmpty ? nil : state.questions.removeFirst() }
        question?.answer.resume(returning: text)
    }
}
