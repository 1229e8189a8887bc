import JackdawEMV
package import JackdawReaders

/// The reader of a till: simulated in this program with the card in it, or at a link whose bytes the caller carries.
package struct TillReader<Terminal: ReaderModel>: ~Copyable {
    package private(set) var isConnected = true
    /// The simulated reader; nil if it is at a link.
    private var simulated: SimulatedReader?
    private var input: LinkInput
    /// Whether a simulated reader goes on with a payment while its link is lost.
    private let goesOnAlone: Bool
    /// The number of the reader's reasons that were taken.
    private var reasonCount = 0

    /// - Parameters:
    ///   - terminal: the reader, with the card and the cardholder; nil if it is at a link.
    ///   - messages: the format of the reader's messages.
    ///   - goesOnAlone: whether a simulated reader goes on with a payment while its link is lost.
    ///   - deck: cards that are presented to a simulated reader beside its own. Default: none.
    ///   - faults: the faults of a simulated reader. Default: none.
    package init(
        _ terminal: Terminal?, _ messages: any FrameFormat, goesOnAlone: Bool = false, deck: [Presentation] = [],
        faults: [PlannedFault] = []
    ) {
        simulated = if let terminal { SimulatedReader(terminal, deck: deck, faults: faults) } else { nil }
        input = LinkInput(messages)
        self.goesOnAlone = goesOnAlone
    }

    /// The simulated reader with its state; nil if it is at a link.
    package var terminal: Terminal? { simulated?.model(as: Terminal.self) }

    private var isRunning: Bool { isConnected || goesOnAlone }

    /// The time of the next step of a simulated reader; nil if it has none.
    package var nextDeadline: Duration? {
        guard isRunning else { return nil }
        return switch simulated {
        case let reader?: reader.nextDeadline
        case nil: nil
        }
    }

    /// Takes the steps of a simulated reader up to a time.
    /// - Returns: its outputs; none while the link is lost.
    package mutating func advance(to now: Duration) -> [SimulatedReader.Output] {
        guard isRunning else { return [] }
        let outputs = simulated?.advance(to: now) ?? []
        return isConnected ? outputs : []
    }

    /// Sends a message to the reader.
    /// - Returns: false if the link is lost.
    package mutating func send(_ message: [UInt8], at now: Duration) -> Bool {
        guard isConnected else { return false }
        if simulated == nil { input.unsent.append(message) } else { simulated?.receive(message.span, at: now) }
        return true
    }

    /// Switches the power of a simulated reader on the audio jack.
    package mutating func setPower(_ isOn: Bool, at now: Duration) { simulated?.setPower(isOn, at: now) }

    /// Cuts bytes from the link into messages.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - take: receives each message that is complete; it is overwritten after the call.
    mutating func receive(_ bytes: [UInt8], _ take: ([UInt8]) -> Void) { input.receive(bytes, take) }

    /// Returns the messages for a reader at a link since the last call.
    mutating func takeTasks() -> [LinkTask] { input.takeTasks() }

    /// The link is lost.
    package mutating func lose() { isConnected = false }

    /// The link is there again. What was under way on the old one is lost.
    mutating func connect() {
        isConnected = true
        input.reset()
        simulated?.reconnect()
    }
}

extension TillReader where Terminal: KernelTerminal {
    /// Returns the reasons of a simulated reader since the last call. Its kernel is ahead of its messages.
    mutating func takeReasons() -> [PaymentReason] {
        guard let terminal else { return [] }
        defer { reasonCount = terminal.reasons.count }
        return Array(terminal.reasons.dropFirst(reasonCount))
    }
}
