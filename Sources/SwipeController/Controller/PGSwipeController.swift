public import JackdawReaders

/// The entry point to the readers of a program: one reader on the audio jack, of the enabled type, and iDynamo in
/// addition. Create it near the start of the program; its delegate receives all events.
///
/// ```swift
/// let controller = PGSwipeController(environment, delegate: self, audioReader: .unimag)
/// for await event in controller.events {
///     if case .didSwipeCard(let card?, let reader) = event { print(reader, card) }
/// }
/// ```
public final class PGSwipeController: Sendable {
    private let engine: SwipeEngine

    /// Creates a controller whose delegate also receives the connection of readers that are already attached.
    /// - Parameters:
    ///   - environment: the jack and the readers' links.
    ///   - delegate: receives all events; not retained.
    ///   - audioReader: the enabled reader type.
    ///   - messageOptions: the questions and messages of a UniMag.
    ///   - interaction: asks the user of the app.
    ///   - order: the order in which autodetection tries types; the vendor's documents contradict each other on it.
    ///   - executor: calls the delegate's methods.
    ///   - clock: measures times.
    public convenience init(
        _ environment: any SwipeEnvironment, delegate: (any PGSwipeDelegate)?,
        audioReader: AudioJackReaderType = .unimag, messageOptions: PGSwipeUniMagMessageOptions? = nil,
        interaction: any SwipeInteraction = NoInteraction(),
        order: [AudioJackReaderType] = [.ipsEnterprise, .ips, .unimag], executor: DelegateExecutor = .main,
        clock: any Clock<Duration> = SuspendingClock()
    ) {
        var machine = SwipeMachine(audioReader, order: order.compactMap { ReaderKind($0) })
        if let messageOptions { machine.settings.options = messageOptions }
        self.init(
            SwipeEngine(
                machine, environment, interaction, delegate: delegate, executor: executor, clock: clock))
    }

    /// Creates a controller without a delegate. A delegate that is set later misses the connection of readers that are
    /// already attached; the first stream of ``events`` has it.
    /// - Parameter environment: the jack and the readers' links.
    public convenience init(_ environment: any SwipeEnvironment) { self.init(environment, delegate: nil) }

    private init(_ engine: SwipeEngine) { self.engine = engine }

    deinit { shutdown() }

    /// The receiver of all events; not retained.
    public var delegate: (any PGSwipeDelegate)? {
        get { engine.teller.delegate }
        set { engine.teller.delegate = newValue }
    }

    /// The events in the delegate's order; each access returns a new stream.
    ///
    /// The first stream begins with all events since the controller was created, so that a stream requested right after
    /// `init` misses no event; the others begin with the next event. Until the first stream is requested, the
    /// controller keeps at most 64 events for it, and no card that the delegate or ``PGSwipeUniMag/nextSwipe()``
    /// receives: after more events, or after such a card, the first stream also begins with the next event.
    public var events: AsyncStream<PGSwipeEvent> { engine.teller.events() }

    /// The reader type that was enabled when the last event was delivered. After
    /// ``setAudioJackReaderType(_:messageOptions:)`` it changes with the event that reports the new type.
    public var audioJackReaderType: AudioJackReaderType { engine.teller.type }

    /// The report of the last autodetection whose result was delivered: the tests made, the signals received, and their
    /// times. Nil before the first autodetection, and if no reader was searched for.
    public var autodetectReport: ReaderSearchReport? { engine.teller.report }

    /// Reports whether an object is in the audio jack.
    public var connectionDetector: PGAudioJackConnectionDetector { engine.teller.connectionDetector }

    /// IPS Enterprise's encrypted reader for the audio jack.
    public var ipsEnterpriseReader: PGSwipeIpsEnterprise { device(.ipsEnterprise) }
    /// IPS's encrypted reader for the audio jack.
    public var ipsReader: PGSwipeIps { device(.ips) }
    /// MagTek's iDynamo, on its own connector.
    public var iDynamoReader: PGSwipeIDynamo { device(.iDynamo) }
    /// ID TECH's UniMag and Shuttle.
    public var uniMagReader: PGSwipeUniMag { device(.uniMag) }

    /// Enables another reader type. Do not call it repeatedly: readers may malfunction.
    /// - Parameters:
    ///   - type: the reader type; `autodetectOnConnect` enables no reader until one is attached.
    ///   - messageOptions: for `unimag` only, instead of the defaults.
    public func setAudioJackReaderType(
        _ type: AudioJackReaderType, messageOptions: PGSwipeUniMagMessageOptions? = nil
    ) {
        engine.receive(.setType(type, messageOptions))
    }

    /// Detects the attached reader: first without tones, then with very loud tones if that is not enough and
    /// ``SwipeInteraction/mayPlayLoudTones()`` agrees. Each type has 5 s to answer. The start and the result are
    /// events; ``autodetectReport`` has the details.
    public func beginAutodetectAudioJackCardReader() { engine.receive(.beginAutodetect) }

    /// Runs autodetection, and waits for its result.
    /// - Returns: the result; if autodetection is already running, the result of that run.
    public func autodetect() async -> CardReaderAutodetectResult {
        let events = engine.teller.laterEvents(takesCards: false)
        beginAutodetectAudioJackCardReader()
        for await event in events {
            if case .deviceAutodetectComplete(let result) = event { return result }
        }
        return .fail
    }

    /// Releases all readers. No event follows.
    public func shutdown() { engine.receive(.shutDown) }

    private func device<Device: PGSwipeDevice>(_ reader: ReaderKind) -> Device {
        guard let device = engine.teller.devices[reader] as? Device else {
            preconditionFailure("each kind of reader has one class")
        }
        return device
    }
}
