public import JackdawTransport

/// The conversation with one reader: what a program wants and what comes from the link go in, what is to be sent and what
/// happened come out. A state machine without a clock and without a link of its own; ``ReaderSession`` runs it over both.
///
/// Times count from any beginning, and never back.
public struct ReaderDriver: ~Copyable {
    enum Phase {
        case off, poweringUp, working, ready, armed, lost
    }

    var phase = Phase.off
    var dialect: any ReaderDialect
    let times: ReaderTimes
    private var reader: FrameReader<AnyFrameFormat>
    /// What is being said; nil but in `working`.
    var work: ReaderWork?
    /// How often the reader was given power.
    var powerUpTries = 0
    /// Whether the wait for a card is given up as soon as it has begun.
    var isCancelWanted = false
    var powerDeadline: Duration?
    var swipeDeadline: Duration?
    var keepAliveDeadline: Duration?
    /// Until when what comes may answer what was sent several times.
    var settledAt: Duration?
    /// When what has come of a frame is none.
    private var silenceDeadline: Duration?
    /// Why the bytes that are being skipped are no frame.
    private var firstFault: FrameFault?
    private var foreign: ForeignBytesWatch
    private var outputs: [ReaderOutput] = []

    /// A conversation that was not begun.
    /// - Parameter dialect: how the reader's family speaks.
    public init(_ dialect: any ReaderDialect) {
        self.dialect = dialect
        self.dialect.reset()
        times = dialect.times
        reader = FrameReader(AnyFrameFormat(dialect.format(awaiting: nil)))
        foreign = ForeignBytesWatch(isFrameExpected: dialect.identification.contains(where: \.isAnswered))
    }

    /// The name of the reader's family.
    public var family: String { dialect.family }

    /// Where the conversation stands.
    public var state: ReaderState {
        switch phase {
        case .off: .off
        case .poweringUp: .poweringUp
        case .ready: .ready
        case .armed: .armed
        case .lost: .lost
        case .working: work?.purpose.state ?? .ready
        }
    }

    /// When ``advance(to:)`` has something to do; nil where nothing waits for time to pass.
    public var nextDeadline: Duration? {
        [powerDeadline, swipeDeadline, keepAliveDeadline, silenceDeadline, foreign.deadline, settledAt, work?.deadline]
            .compactMap(\.self).min()
    }

    /// Takes what the program wants.
    /// - Parameters:
    ///   - command: what.
    ///   - now: when.
    /// - Returns: what follows; a command that cannot be begun ends in an event `failed` and changes nothing.
    public mutating func perform(_ command: ReaderCommand, at now: Duration) -> [ReaderOutput] {
        do throws(ReaderError) {
            try begin(command, at: now)
        } catch {
            tell(.failed(error))
        }
        return takeOutputs()
    }

    /// Takes what came over the link.
    /// - Parameters:
    ///   - bytes: the next ones.
    ///   - now: when.
    /// - Returns: what follows.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderOutput] {
        guard phase != .lost else { return [] }
        cut(at: now) { reader, take in reader.receive(bytes, take) }
        if foreign.receive(bytes, pending: reader.pendingCount, at: now) { reportForeignBytes() }
        // Noise that nothing follows ends, too: what has no checks is not taken for a frame behind it.
        silenceDeadline = reader.pendingCount > 0 || firstFault != nil ? now + times.silence : nil
        return takeOutputs()
    }

    /// Lets time pass.
    /// - Parameter now: when it is.
    /// - Returns: what follows.
    public mutating func advance(to now: Duration) -> [ReaderOutput] {
        // What is due first comes first; each deadline that is met goes or is moved on.
        while let next = nextDeadline, next <= now {
            if silenceDeadline == next {
                silenceDeadline = nil
                cut(at: now) { reader, take in reader.finish(take) }
                if foreign.receive(Span(), pending: reader.pendingCount, at: now) { reportForeignBytes() }
            } else if foreign.deadline == next {
                reportForeignBytes()
            } else {
                meetDeadline(next, at: now)
            }
        }
        return takeOutputs()
    }

    /// Takes that the link has gone, whatever was being said. Nothing follows it.
    /// - Parameter error: why; nil where the other end closed it in good order.
    /// - Returns: what follows.
    public mutating func lose(_ error: LinkError?) -> [ReaderOutput] {
        guard phase != .lost else { return [] }
        stop(.lost)
        settledAt = nil
        reader.reset()
        silenceDeadline = nil
        foreign.forget()
        tell(.lost(error))
        return takeOutputs()
    }

    mutating func tell(_ event: ReaderEvent) { outputs.append(.event(event)) }

    mutating func put(_ output: ReaderOutput) { outputs.append(output) }

    /// Runs a body over the frames' reader, which is not here meanwhile: what a frame means changes everything else.
    private mutating func cut(
        at now: Duration,
        _ body: (inout FrameReader<AnyFrameFormat>, (FrameEvent, Span<UInt8>) -> Void) -> Void
    ) {
        var reader = FrameReader(self.reader.format)
        swap(&reader, &self.reader)
        body(&reader) { event, frame in take(event, frame, at: now) }
        swap(&reader, &self.reader)
    }

    private mutating func take(_ event: FrameEvent, _ frame: Span<UInt8>, at now: Duration) {
        switch event {
        case .frame:
            foreign.receiveFrame()
            // What came before a request has gone out does not answer it.
            let request = work.flatMap { $0.isAwaiting ? $0.requests.first : nil }
            for meaning in dialect.understand(frame, answering: request) { take(meaning, at: now) }
        case .fault(let fault, _): firstFault = fault
        case .skipped(let range):
            guard let fault = firstFault else { return }
            firstFault = nil
            tell(.dropped(.noise(fault, count: range.count)))
        }
    }

    private mutating func reportForeignBytes() { tell(.dropped(.foreign(foreign.report(family: family)))) }

    private mutating func takeOutputs() -> [ReaderOutput] {
        if let request = work?.requests.first, work?.tries ?? 0 > 0 {
            work?.isAwaiting = true
            reader.format = AnyFrameFormat(dialect.format(awaiting: request))
        } else {
            reader.format = AnyFrameFormat(dialect.format(awaiting: nil))
        }
        defer { outputs = [] }
        return outputs
    }
}
