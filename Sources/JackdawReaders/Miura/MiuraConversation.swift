/// The commands of a payment at a Miura reader, and the one that waits for its answer.
///
/// A reader answers one command after the other, and an answer does not name its command. Only ABORT may be sent while a
/// payment waits: the reader answers it first, and then the payment, with status 9F41 (`MpiClientMTAbort` of Miura's SDK
/// for Android).
struct MiuraConversation {
    /// The purpose of a command.
    enum Purpose {
        case reset
        case battery
        case contactless
        case start
        /// CONTINUE TRANSACTION with an application.
        case choice
        /// CONTINUE TRANSACTION with the issuer's answer.
        case completion
        /// CONTINUE TRANSACTION after a tap, whose result the payment knows.
        case farewell
        case abort
        case display

        /// Whether the command is answered with the result of a payment.
        var isTransaction: Bool {
            switch self {
            case .contactless, .start, .choice, .completion, .farewell: true
            case .reset, .battery, .abort, .display: false
            }
        }
    }

    private struct Command {
        let purpose: Purpose
        let bytes: [UInt8]
    }

    /// The most commands that wait.
    private static let maxWaiting = 16

    /// The limit of the answer to a command that is not part of a payment.
    private let limit: Duration
    private var waiting: [Command] = []
    /// The command that was sent and not answered; nil if there is none.
    private(set) var open: Purpose?
    private var openDeadline: Duration?
    /// Whether ABORT was sent while a payment waits, and not answered.
    private(set) var isAborting = false
    private var abortDeadline: Duration?
    /// Whether the open payment was aborted, so that its result does not matter.
    private(set) var isOpenAborted = false

    init(limit: Duration) { self.limit = limit }

    /// The time at which ``expire(at:)`` gives a command up; nil if there is none.
    var nextDeadline: Duration? { [openDeadline, abortDeadline].compactMap(\.self).min() }

    /// Whether a command of a purpose waits, or was sent and not answered.
    func has(_ purpose: Purpose) -> Bool { open == purpose || waiting.contains { $0.purpose == purpose } }

    /// Appends a command, unless too many wait.
    mutating func append(_ command: MiuraCommand, _ purpose: Purpose) {
        guard waiting.count < Self.maxWaiting else { return }
        waiting.append(Command(purpose: purpose, bytes: command.frame()))
    }

    /// Inserts a command before those that wait.
    mutating func appendFirst(_ command: MiuraCommand, _ purpose: Purpose) {
        waiting.insert(Command(purpose: purpose, bytes: command.frame()), at: 0)
    }

    /// Drops the commands of a purpose that wait.
    mutating func drop(_ purpose: Purpose) { waiting.removeAll { $0.purpose == purpose } }

    /// Takes the next command, if none waits for its answer.
    /// - Returns: its bytes; nil if nothing is sent now.
    mutating func next(at now: Duration) -> [UInt8]? {
        guard open == nil, !isAborting, !waiting.isEmpty else { return nil }
        let command = waiting.removeFirst()
        open = command.purpose
        openDeadline = command.purpose.isTransaction ? nil : now + limit
        isOpenAborted = false
        return command.bytes
    }

    /// Drops the commands that wait, and aborts a payment that was sent.
    /// - Returns: the bytes of ABORT; nil if no payment was sent.
    mutating func abort(at now: Duration) -> [UInt8]? {
        waiting = []
        guard let open, open.isTransaction, !isOpenAborted else { return nil }
        isAborting = true
        isOpenAborted = true
        abortDeadline = now + limit
        openDeadline = now + limit
        return MiuraCommand.abort.frame()
    }

    /// The answer to ABORT came.
    mutating func closeAbort() {
        isAborting = false
        abortDeadline = nil
    }

    /// Closes the open command, as its answer came.
    mutating func close() {
        open = nil
        openDeadline = nil
        isOpenAborted = false
    }

    /// A part of an answer came: the limit begins again.
    mutating func extend(at now: Duration) {
        if openDeadline != nil { openDeadline = now + limit }
    }

    /// Gives up commands whose answers did not come in time.
    /// - Returns: the purpose of the open command, if it was given up.
    mutating func expire(at now: Duration) -> Purpose? {
        if let deadline = abortDeadline, deadline <= now { closeAbort() }
        guard let deadline = openDeadline, deadline <= now, let purpose = open else { return nil }
        close()
        return purpose
    }
}
