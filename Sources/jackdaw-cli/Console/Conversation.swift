import Glibc
import JackdawBytes
import JackdawSystem
import JackdawTransport

/// The terminal I/O of asynchronous tasks. The command's own thread, which waits for the tasks, does all writing and
/// reading.
final class Conversation: Sendable {
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
        /// Tasks that wait until these lines are written.
        var speakers: [CheckedContinuation<Void, Never>] = []
        var questions: [Question] = []
        var nextNumber = 0
        /// Numbers of questions that were cancelled before they were asked.
        var givenUp: Set<Int> = []
        /// Whether the user has interrupted the command.
        var isInterrupted = false
    }

    private let state = Lock(State())
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

    /// Number of queued lines from which ``waitForRoom()`` waits.
    static let maxLines = 256

    /// Number of queued lines.
    var lineCount: Int { state.withLock { $0.lines.count } }

    /// Waits while the output is read too slowly; in that time unreceived data stays with the device.
    func waitForRoom() async {
        await withCheckedContinuation { speaker in
            let waits = state.withLock { state in
                guard state.lines.count >= Self.maxLines else { return false }
                state.speakers.append(speaker)
                return true
            }
            if !waits { speaker.resume() }
        }
    }

    /// Asks a question and waits for the answer.
    /// - Returns: the line that was typed; nil if standard input has ended, or the task was cancelled.
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

    /// Asks a question; returns true for `y` or `yes`.
    func agrees(to question: String) async -> Bool {
        guard let answer = await ask(question)?.lowercased() else { return false }
        return ["y", "yes"].contains(answer)
    }

    /// Runs asynchronous work while this thread writes and reads for it; Ctrl-C cancels the work.
    /// - Parameters:
    ///   - console: writes the lines.
    ///   - input: the descriptor to read answers from.
    ///   - isInterrupted: whether the user wants the command to end.
    ///   - work: the work.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work, or `interrupted`.
    func run<Value: Sendable>(
        on console: Console, input: Int32 = STDIN_FILENO,
        isInterrupted: () -> Bool = { Interruption.isRequested },
        _ work: @escaping @Sendable () async throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        try Timers.start()
        let outcome = Lock<Result<Value, CommandError>?>(nil)
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
        // The input may be a PIN code.
        var typed: [UInt8] = []
        defer { typed.wipe() }
        var isCancelled = false
        while true {
            let isAsking = write(on: console)
            if let result = outcome.withLock({ $0 }) {
                // The work may have queued more lines just before its end.
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

    /// Writes the queued lines.
    /// - Returns: whether a question is open.
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

    /// Waits for lines to write or an answer, at most 200 ms, after which the caller checks whether to end.
    private func wait(for input: Int32?, _ typed: inout [UInt8]) {
        // `poll` does not report input again that was read together with an earlier answer.
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
        buffer.wipe()
        guard !answerLine(of: &typed), count <= 0 || typed.count > 1_024 else { return }
        answer(nil)
        typed.wipe()
    }

    /// Answers the question with the first line.
    /// - Returns: whether there is a complete line.
    private func answerLine(of typed: inout [UInt8]) -> Bool {
        guard let end = typed.firstIndex(of: UInt8(ascii: "\n")) else { return false }
        answer(String(decoding: typed[..<end], as: UTF8.self))
        let rest = Array(typed[(end + 1)...])
        typed.wipe()
        typed = rest
        return true
    }

    private func answer(_ text: String?) {
        let question = state.withLock { state in state.questions.isEmpty ? nil : state.questions.removeFirst() }
        question?.answer.resume(returning: text)
    }
}
