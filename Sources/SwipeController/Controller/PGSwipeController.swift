public import JackdawReaders

/// The readers of a program: one for the audio jack, of the type that is enabled, and iDynamo beside it. Made near the program's
/// start; its delegate is told everything that happens.
///
/// ```swift
/// let controller = PGSwipeController(environment, delegate: self, audioReader: .unimag)
/// for await event in controller.events {
///     if case .didSwipeCard(let card?, let reader) = event { print(reader, card) }
/// }
/// ```
public final class PGSwipeController: Sendable {
    private let engine: SwipeEngine

    /// A controller whose delegate is told what is attached already, too.
    /// - Parameters:
    ///   - environment: the jack and the readers' links.
    ///   - delegate: who is told what happens; not kept alive.
    ///   - audioReader: which type of reader is enabled.
    ///   - messageOptions: how a UniMag deals with the person in front of it.
    ///   - interaction: how that person is asked.
    ///   - order: in which order autodetection tries types; the vendor's own texts do not agree on it.
    ///   - executor: where the delegate is called.
    ///   - clock: what times are measured with.
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

    /// A controller without a delegate. One that is set later misses the connection of what is attached already; the first
    /// stream of ``events`` does not.
    /// - Parameter environment: the jack and the readers' links.
    public convenience init(_ environment: any SwipeEnvironment) { self.init(environment, delegate: nil) }

    private init(_ engine: SwipeEngine) { self.engine = engine }

    deinit { shutdown() }

    /// Who is told what happens; not kept alive.
    public var delegate: (any PGSwipeDelegate)? {
        get { engine.teller.delegate }
        set { engine.teller.delegate = newValue }
    }

    /// What happens, in the delegate's order; another stream each time.
    ///
    /// The first stream begins with everything since the controller was made, so that one that is requested right after `init`
    /// misses nothing; the others begin with what comes next. Until it is requested, 64 events are kept for it at most, and no
    /// card that the delegate or ``PGSwipeUniMag/nextSwipe()`` receives: after more events, or such a card, the first stream
    /// begins with what comes next, too.
    public var events: AsyncStream<PGSwipeEvent> { engine.teller.events() }

    /// Which type of reader is enabled, as far as the last event has told.
    public var audioJackReaderType: AudioJackReaderType { engine.teller.type }

    /// What the last autodetection saw, as far as it has been told of: which tests were made, what was heard and when. Nil before
    /// the first one, and where there was nothing to look for.
    public var autodetectReport: ReaderSearchReport? { engine.teller.report }

    /// Tells whether something is in the audio jack.
    public var connectionDetector: PGAudioJackConnectionDetector { engine.teller.connectionDetector }

    /// IPS Enterprise's encrypted reader.
    public var ipsEnterpriseReader: PGSwipeIpsEnterprise { device(.ipsEnterprise) }
    /// IPS's encrypted reader.
    public var ipsReader: PGSwipeIps { device(.ips) }
    /// MagTek's iDynamo.
    public var iDynamoReader: PGSwipeIDynamo { device(.iDynamo) }
    /// ID TECH's UniMag and Shuttle.
    public var uniMagReader: PGSwipeUniMag { device(.uniMag) }

    /// Enables another type of reader. Not to be done again and again: readers may malfunction by it.
    /// - Parameters:
    ///   - type: which one; with `autodetectOnConnect` none, until something is attached.
    ///   - messageOptions: for `unimag` only, in place of the defaults.
    public func setAudioJackReaderType(
        _ type: AudioJackReaderType, messageOptions: PGSwipeUniMagMessageOptions? = nil
    ) {
        engine.perform(.setType(type, messageOptions))
    }

    /// Finds out which reader is attached: by listening, and by very loud tones where that is not enough and
    /// ``SwipeInteraction/mayPlayLoudTones()`` agrees. Each type has 5 s to answer. That it has begun and what it has found are
    /// events; ``autodetectReport`` tells more.
    public func beginAutodetectAudioJackCardReader() { engine.perform(.beginAutodetect) }

    /// The same, waited for.
    /// - Returns: what was found; where it goes on already, what it finds.
    public func autodetect() async -> CardReaderAutodetectResult {
        let events = engine.teller.laterEvents(takesCards: false)
        beginAutodetectAudioJackCardReader()
        for await event in events {
            if case .deviceAutodetectComplete(let result) = event { return result }
        }
        return .fail
    }

    /// Lets go of all readers. Nothing is told any more.
    public func shutdown() { engine.perform(.shutDown) }

    private func device<Device: PGSwipeDevice>(_ reader: ReaderKind) -> Device {
        guard let device = engine.teller.devices[reader] as? Device else {
            preconditionFailure("each kind has its class")
        }
        return device
    }
}
