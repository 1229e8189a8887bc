import Glibc
import JackdawSystem
public import JackdawTransport

/// Watches the jacks of a sound card: the plugs that are in them at the start, and each plug that is inserted or
/// removed.
///
/// It reads jacks from the card's control elements if the card senses any there, and otherwise from input switches. A
/// card without either does not sense plugs. One thread at a time may use a monitor.
public final class JackMonitor {
    private let link: String
    private var sources: [any JackSource]
    private let waiting: any Waiting
    private var debouncer: JackDebouncer
    private var isGone = false

    /// Watches a card of this system.
    /// - Parameters:
    ///   - card: the card's number, its short name, or an ALSA name of it: `1`, `PCH`, `hw:PCH,0`.
    ///   - settlingTime: how long a plug has to stay before it counts.
    /// - Throws: `LinkError`: with code `unsupported` if the card does not sense plugs.
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
    ///   - sources: the sources from which the jacks are read.
    ///   - settlingTime: how long a plug has to stay before it counts.
    ///   - waiting: the wait and the clock.
    init(
        link: String, sources: [any JackSource], settlingTime: Duration = .milliseconds(100), waiting: some Waiting
    ) {
        self.link = link
        self.sources = sources
        self.waiting = waiting
        debouncer = JackDebouncer(sources.flatMap(\.initialStates), settlingTime: settlingTime)
    }

    /// The jacks, and whether plugs are in them according to the events so far.
    public var states: [JackState] { debouncer.states }

    /// The descriptors to poll in a wait that includes other events. Call ``receive(within:_:)`` when one of them is
    /// ready, and after ``nextDeadline``.
    package var descriptors: [PollDescriptor] { isGone ? [] : sources.flatMap(\.descriptors) }

    /// When an event may be due although no descriptor is ready, in nanoseconds of the monotonic clock; nil if no event
    /// is pending.
    public var nextDeadline: Int64? { isGone ? nil : debouncer.nextDeadline }

    /// Waits until one of several monitors may have an event. A signal ends the wait.
    /// - Parameters:
    ///   - monitors: monitors of one system.
    ///   - timeout: the longest wait.
    public static func wait(for monitors: [JackMonitor], within timeout: Duration) {
        guard let waiting = monitors.first?.waiting else { return }
        var descriptors = monitors.flatMap(\.descriptors)
        let now = waiting.now()
        let remaining = (monitors.compactMap(\.nextDeadline).min() ?? .max).subtractingReportingOverflow(now)
        let length = min(max(0, timeout.nanoseconds), max(0, remaining.partialValue))
        // A failure here occurs again in `receive`, which reports it.
        try? waiting.wait(for: &descriptors, milliseconds: length.wholeMilliseconds)
    }

    /// Waits for the next events. A signal ends the wait.
    /// - Parameters:
    ///   - timeout: the longest wait.
    ///   - take: receives each event.
    /// - Returns: whether there was an event.
    /// - Throws: `LinkError` if no more events can come; with code `disconnected` after ``JackEvent/gone``.
    public func receive(within timeout: Duration, _ take: (JackEvent) -> Void) throws(LinkError) -> Bool {
        guard !isGone else {
            throw LinkError(
                .disconnected, link: link, "the sound card was removed", remedy: "plug it in again, and start again")
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

    /// Waits once and reads the sources.
    /// - Throws: `SystemFailure`, with `ENODEV` if the card or its last jack was removed.
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

    /// Reads a source; if the source was disconnected, reports its jacks as removed.
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
    /// Nanoseconds as milliseconds, rounded up: a wait that ends too early would become a busy loop.
    fileprivate var wholeMilliseconds: Int32 { Int32(clamping: self / 1_000_000 + (self % 1_000_000 > 0 ? 1 : 0)) }
}

/// Opens the sources of jacks; tests open scripted ones.
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

/// Finds the sources of a card's jacks.
struct JackSearch {
    let files: any SystemFiles
    let openings: any JackOpenings

    /// Opens the sources of a card's jacks: its control elements, or if these sense no jack, input switches.
    /// - Parameter name: a number, a short name, or an ALSA name.
    /// - Returns: one source at least.
    /// - Throws: `LinkError` if there is no source, or none can be opened.
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
                .unsupported, link: name, "card \(card.id) has no jack detection",
                remedy: "detect the reader by its sound: jackdaw listen")
        }
        throw diagnosis.error(openingFile: failure.file, link: name, failure.cause)
    }
}

/// A source of jack states: the control elements of a card, or the switches of an input device.
protocol JackSource: AnyObject {
    /// The jacks with their states when the source was opened.
    var initialStates: [JackState] { get }
    /// The descriptors to poll.
    var descriptors: [PollDescriptor] { get }
    /// Reads the pending events, without waiting.
    /// - Parameter answered: the source's descriptors with their answers.
    /// - Returns: the readings, in order.
    /// - Throws: `SystemFailure`, with `ENODEV` if the device was disconnected.
    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading]
}

/// A reading of a source.
enum JackReading: Hashable {
    /// The state of a jack, changed or not.
    case state(Jack, isPlugged: Bool)
    /// The jack was removed.
    case removed(Jack)
}
