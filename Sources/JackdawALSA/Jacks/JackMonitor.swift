import Glibc
import JackdawSystem
public import JackdawTransport

/// Watches the jacks of a sound card: what is plugged in when it is opened, and what comes and goes from then on.
///
/// Jacks are read from the card's control elements where it senses any, and else from input switches. A card of
/// which neither is there cannot tell. For one thread at a time.
public final class JackMonitor {
    private let link: String
    private var sources: [any JackSource]
    private let waiting: any Waiting
    private var debouncer: JackDebouncer
    private var isGone = false

    /// Watches a card of this system.
    /// - Parameters:
    ///   - card: the card's number, its short name, or an ALSA name that leads to it: `1`, `PCH`, `hw:PCH,0`.
    ///   - settlingTime: how long a plug has to stay before it counts.
    /// - Throws: `LinkError`: with code `unsupported` where the card does not sense what is plugged in.
    public convenience init(
        card: String, settlingTime: Duration = .milliseconds(100)
    ) throws(LinkError) {
        try self.init(card: card, settlingTime: settlingTime, files: LinuxFiles(), openings: SystemOpenings())
    }

    convenience init(
        card: String, settlingTime: Duration = .milliseconds(100), files: any SystemFiles,
        openings: some JackOpenings, waiting: some Waiting = SystemWaiting()
    ) throws(LinkError) {
        let search = JackSearch(files: files, openings: openings)
        self.init(
            link: card, sources: try search.sources(of: card), settlingTime: settlingTime, waiting: waiting)
    }

    /// A monitor of sources that are open.
    /// - Parameters:
    ///   - link: the name of the card in errors.
    ///   - sources: where the jacks are read.
    ///   - settlingTime: how long a plug has to stay before it counts.
    ///   - waiting: how to wait, and the clock.
    init(
        link: String, sources: [any JackSource], settlingTime: Duration = .milliseconds(100), waiting: some Waiting
    ) {
        self.link = link
        self.sources = sources
        self.waiting = waiting
        debouncer = JackDebouncer(sources.flatMap(\.initialStates), settlingTime: settlingTime)
    }

    /// The jacks, and whether something is plugged into them by what was told so far.
    public var states: [JackState] { debouncer.states }

    /// What to wait for beside other things; ``receive(within:_:)`` is to be called when something comes, and after
    /// ``nextDeadline``.
    package var descriptors: [PollDescriptor] { isGone ? [] : sources.flatMap(\.descriptors) }

    /// When there may be something to tell though nothing comes at the descriptors, in nanoseconds of the monotonic clock.
    public var nextDeadline: Int64? { isGone ? nil : debouncer.nextDeadline }

    /// Waits until one of several monitors may have something to tell. A signal ends the wait.
    /// - Parameters:
    ///   - monitors: monitors of one system.
    ///   - timeout: how long to wait at most.
    public static func wait(for monitors: [JackMonitor], within timeout: Duration) {
        guard let waiting = monitors.first?.waiting else { return }
        var descriptors = monitors.flatMap(\.descriptors)
        let now = waiting.now()
        let remaining = (monitors.compactMap(\.nextDeadline).min() ?? .max).subtractingReportingOverflow(now)
        let length = min(max(0, timeout.nanoseconds), max(0, remaining.partialValue))
        // What fails here fails again where it is told.
        try? waiting.wait(for: &descriptors, milliseconds: length.wholeMilliseconds)
    }

    /// Waits for what happens next. A signal ends the wait.
    /// - Parameters:
    ///   - timeout: how long to wait at most.
    ///   - take: gets what happened.
    /// - Returns: whether anything happened.
    /// - Throws: `LinkError` where nothing will ever come again; with code `disconnected` behind ``JackEvent/gone``.
    public func receive(within timeout: Duration, _ take: (JackEvent) -> Void) throws(LinkError) -> Bool {
        guard !isGone else {
            throw LinkError(
                .disconnected, link: link, "the sound card has gone", remedy: "plug it in again, and start again")
        }
        let (sum, isBeyond) = waiting.now().addingReportingOverflow(max(0, timeout.nanoseconds))
        let end = isBeyond ? .max : sum
        while true {
            var events = debouncer.advance(to: waiting.now())
            if events.isEmpty {
                let wake = min(end, debouncer.nextDeadline ?? end)
                do throws(SystemFailure) {
                    events = try look(until: wake)
                } catch {
                    switch error.code {
                    case EINTR: return false
                    case ENODEV:
                        isGone = true
                        events = [.gone]
                    default:
                        throw LinkError(
                            .system, link: link, "its jacks cannot be read", underlying: error.message)
                    }
                }
            }
            guard events.isEmpty else {
                events.forEach(take)
                return true
            }
            if waiting.now() >= end { return false }
        }
    }

    /// Waits and reads.
    /// - Throws: ``SystemFailure``, with `ENODEV` where the card or its last jack has gone.
    private func look(until end: Int64) throws(SystemFailure) -> [JackEvent] {
        var answered = sources.flatMap(\.descriptors)
        let remaining = max(0, end.subtractingReportingOverflow(waiting.now()).partialValue)
        try waiting.wait(for: &answered, milliseconds: remaining.wholeMilliseconds)
        var events: [JackEvent] = []
        var rest = answered[...]
        for source in sources {
            let own = Array(rest.prefix(source.descriptors.count))
            rest = rest.dropFirst(own.count)
            guard own.contains(where: { !$0.answer.isEmpty }) else { continue }
            for reading in try readings(of: source, own) {
                let now = waiting.now()
                switch reading {
                case .state(let jack, let isPlugged):
                    events += debouncer.receive(jack, isPlugged: isPlugged, at: now)
                case .removed(let jack): events += debouncer.remove(jack, at: now)
                }
            }
        }
        if debouncer.states.isEmpty { throw SystemFailure(code: ENODEV) }
        return events
    }

    /// What a source has read; where it has gone, that its jacks have.
    private func readings(
        of source: any JackSource, _ answered: [PollDescriptor]
    ) throws(SystemFailure) -> [JackReading] {
        do throws(SystemFailure) {
            return try source.read(answered)
        } catch {
            guard error.code == ENODEV else { throw error }
            sources.removeAll { $0 === source }
            return source.initialStates.map { .removed($0.jack) }
        }
    }
}

extension Int64 {
    /// Nanoseconds as milliseconds, rounded up: waking too early would turn a wait into a loop.
    fileprivate var wholeMilliseconds: Int32 { Int32(clamping: self / 1_000_000 + (self % 1_000_000 > 0 ? 1 : 0)) }
}

/// How what jacks are read from is opened; tests open what they have scripted.
protocol JackOpenings {
    /// Opens a control device by its ALSA name. The corresponding C function is `snd_ctl_open`.
    func control(_ name: String) throws(SystemFailure) -> any ControlCalls
    /// Opens an input device by its file. The corresponding C function is `open`.
    func inputDevice(_ file: String) throws(SystemFailure) -> any SwitchCalls
}

/// Opens the devices of this system.
struct SystemOpenings: JackOpenings {
    func control(_ name: String) throws(SystemFailure) -> any ControlCalls { try LibraryControl(name) }
    func inputDevice(_ file: String) throws(SystemFailure) -> any SwitchCalls { try EventDevice(file) }
}

/// Finds what a card's jacks can be read from.
struct JackSearch {
    let files: any SystemFiles
    let openings: any JackOpenings

    /// Opens what the jacks of a card can be read from: its control elements, or where they sense none, input switches.
    /// - Parameter name: a number, a short name, or an ALSA name.
    /// - Returns: one source at least.
    /// - Throws: `LinkError`.
    func sources(of name: String) throws(LinkError) -> [any JackSource] {
        let diagnosis = DeviceDiagnosis(files: files)
        let cards = (try? KernelSound(files: files).cards()) ?? []
        let wanted = PCMAddress(name).card ?? name
        guard let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted }) else {
            throw diagnosis.error(opening: "hw:\(wanted)", .capture, errno: ENODEV)
        }
        var failures: [(file: String, cause: SystemFailure)] = []
        do throws(SystemFailure) {
            let source = try ElementJacks(try openings.control("hw:\(card.number)"))
            if !source.initialStates.isEmpty { return [source] }
        } catch {
            failures.append(("/dev/snd/controlC\(card.number)", error))
        }
        var sources: [any JackSource] = []
        for device in InputDevice.ofCard(card, among: cards, files) {
            do throws(SystemFailure) {
                sources.append(try SwitchJacks(device, try openings.inputDevice(device.file)))
            } catch {
                failures.append((device.file, error))
            }
        }
        guard sources.isEmpty else { return sources }
        guard let failure = failures.first else {
            throw LinkError(
                .unsupported, link: name, "card \(card.id) does not sense what is plugged into it",
                remedy: "go by the sound: jackdaw listen")
        }
        throw diagnosis.error(openingFile: failure.file, link: name, failure.cause)
    }
}

/// What jacks are sensed by: the control elements of a card, or the switches of an input device.
protocol JackSource: AnyObject {
    /// The jacks as they were when the source was opened.
    var initialStates: [JackState] { get }
    /// What to wait for.
    var descriptors: [PollDescriptor] { get }
    /// Reads what has come, without waiting.
    /// - Parameter answered: the source's descriptors with what came at them.
    /// - Returns: what was read, in its order.
    /// - Throws: ``SystemFailure``, with `ENODEV` where the device has gone.
    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading]
}

/// What a source has read.
enum JackReading: Hashable {
    /// What a jack says, changed or not.
    case state(Jack, isPlugged: Bool)
    /// A jack that is no longer there.
    case removed(Jack)
}
