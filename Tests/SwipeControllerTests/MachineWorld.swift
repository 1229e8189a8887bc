import JackdawReaders
import JackdawTransport
import Testing

@testable import SwipeController

/// A jack, readers and a person for a controller's machine, in a time of their own.
struct MachineWorld {
    /// What can be put into the jack.
    enum Thing: CaseIterable {
        case uniMag, ips, ipsEnterprise, headphones

        var reader: ReaderKind? {
            switch self {
            case .uniMag: .uniMag
            case .ips: .ips
            case .ipsEnterprise: .ipsEnterprise
            case .headphones: nil
            }
        }
    }

    private(set) var machine: SwipeMachine
    /// What a delegate and a stream receive.
    private let toldLog: ToldLog
    /// All lines that were reported, whatever a test has removed from ``log``.
    private var whole: [String] = []
    private(set) var now = Duration.zero
    /// The announcements, a line each.
    var log: [String] = [] { didSet { if log.count > oldValue.count { whole += log[oldValue.count...] } } }
    /// What a person is asked and shown, what becomes of the volume and of links.
    var asides: [String] = []
    private(set) var attached: Thing?
    /// What a connection detector receives.
    private(set) var jack: [Bool] = []
    private(set) var open: Set<ReaderKind> = []
    /// What is looked for, while it is.
    private(set) var searched: [ReaderKind]?
    /// Readers that wait for a card.
    private(set) var waiting: Set<ReaderKind> = []
    private var pending: [(time: Duration, order: Int, input: SwipeInput)] = []
    private var count = 0

    /// What a person and the program answer; nil where they do not.
    var answer: Bool? = true
    var volumeIsFull = false
    var volumeCanBeRaised = true
    /// The time that a reader takes to report its presence.
    var powerUpTime = Duration.milliseconds(300)
    var linksFail = false
    /// Whether the reader is heard before any tone.
    var isHeard = false
    /// Whether what is found by its sound cannot be connected to.
    var vanishes = false
    var refusesToWait = false
    /// Whether a cancellation reaches a reader whose wait has just ended by itself.
    var cancelsLate = false
    /// Whether a UniMag is too far away from the volume that it needs.
    var isDeaf = false
    /// The flags of the last event of each reader.
    private(set) var told: [ReaderKind: DeviceFlags] = [:]

    /// The flags that came with each result of autodetection, by its line in the log.
    private(set) var detected: [Int: [ReaderKind: DeviceFlags]] = [:]

    init(_ type: AudioJackReaderType, order: [ReaderKind] = [.ipsEnterprise, .ips, .uniMag]) {
        machine = SwipeMachine(type, order: order)
        toldLog = ToldLog(type)
    }

    mutating func attach(_ thing: Thing) {
        attached = thing
        receive(.attached)
    }

    mutating func detach() {
        attached = nil
        receive(.detached)
    }

    mutating func call(_ call: SwipeInput) { receive(call) }

    mutating func receive(_ input: SwipeInput) { take(machine.receive(input, at: now)) }

    mutating func attachIDynamo() {
        open.insert(.iDynamo)
        receive(.opened(.reader(.iDynamo)))
    }

    /// A card goes through a reader, if it waits for one.
    /// - Parameters:
    ///   - reader: the reader.
    ///   - isRead: whether it can be read.
    ///   - isLate: whether it waited until just before.
    mutating func swipe(_ reader: ReaderKind, isRead: Bool = true, isLate: Bool = false) {
        guard waiting.contains(reader) || isLate else { return }
        guard isRead else { return receive(.reader(reader, .badSwipe("noise"))) }
        waiting.remove(reader)
        dropTimeOuts(of: reader)
        var builder = ReaderSwipe.Builder()
        let track = Array(";4111111111111111=2912?".utf8)
        builder.add(.track(2), track.span)
        receive(.reader(reader, .swipe(builder.finish(family: "test", cipher: nil))))
        receive(.reader(reader, .ready))
    }

    /// A UniMag restarts by itself, as if its plug was touched.
    mutating func restart() {
        guard waiting.contains(.uniMag) else { return }
        waiting.remove(.uniMag)
        dropTimeOuts(of: .uniMag)
        receive(.reader(.uniMag, .failed(ReaderError(.restarted, "restarted"))))
        receive(.reader(.uniMag, .connected(ReaderIdentity(family: "test", facts: []))))
        receive(.reader(.uniMag, .ready))
    }

    /// The reader's link breaks.
    mutating func lose(_ reader: ReaderKind) {
        guard open.contains(reader) else { return }
        forget(reader)
        receive(.reader(reader, .lost(nil)))
    }

    /// Lets time pass, and what is due happen.
    mutating func run(_ duration: Duration = .seconds(2)) {
        let end = now + duration
        while true {
            let next = pending.min { ($0.time, $0.order) < ($1.time, $1.order) }
            let times = [next?.time, machine.nextDeadline].compactMap(\.self)
            guard let time = times.min(), time <= end else { break }
            now = max(now, time)
            if let next, next.time <= now {
                pending.removeAll { $0.order == next.order }
                if case .searched = next.input { searched = nil }
                if case .openFailed = next.input { searched = nil }
                receive(next.input)
            } else {
                take(machine.advance(to: now))
            }
        }
        now = end
    }

    // MARK: what follows of what the machine wants

    private mutating func take(_ outputs: [SwipeOutput]) {
        for output in outputs {
            switch output {
            case .effect(let effect): take(effect)
            case .announcement(let announcement): take(announcement)
            }
        }
    }

    /// Delegate and stream received what the log has, line by line. Nothing can be reported after it.
    func verify(sourceLocation: SourceLocation = #_sourceLocation) async {
        await toldLog.verify(whole, sourceLocation: sourceLocation)
    }

    private mutating func take(_ announcement: SwipeAnnouncement) {
        toldLog.take(announcement)
        switch announcement {
        case .device(let what, let reader, let flags):
            told[reader] = flags
            log.append("\(reader) \(Self.words(what))")
        case .autodetectStarted: log.append("autodetect")
        case .autodetectComplete(let found):
            for reader in ReaderKind.allCases where reader != .iDynamo { told[reader] = found.flags[reader] }
            detected[log.count] = found.flags
            log.append("autodetected \(found.result), type \(found.type)")
        case .tested(let reader, let isThere): log.append("tested \(reader) \(isThere)")
        case .typeChanged(let type): asides.append("type \(type)")
        case .jackChanged(let isPlugged): jack.append(isPlugged)
        case .warned(let code, _, let reader):
            log.append("warning \(code.rawValue)" + (reader.map { " \($0)" } ?? ""))
        }
    }

    private mutating func take(_ effect: SwipeEffect) {
        switch effect {
        case .open(let user): open(user)
        case .close(.reader(let reader)):
            asides.append("close \(reader)")
            forget(reader)
            schedule(.milliseconds(10), .closed(.reader(reader)))
        case .close(let user):
            asides.append("end search")
            endSearch()
            schedule(.milliseconds(10), .closed(user))
        case .permitTones(let isAllowed):
            asides.append(isAllowed ? "tones" : "no tones")
            search(playingTones: isAllowed)
        case .perform(let reader, let command): perform(command, reader)
        case .end:
            asides.append("end")
            forget(.iDynamo)
        case .readVolume: schedule(.zero, .volumeRead(isFull: volumeIsFull))
        case .raiseVolume:
            asides.append("volume up")
            schedule(.milliseconds(5), .volumeRaised(isFull: volumeIsFull || volumeCanBeRaised))
        case .restoreVolume: asides.append("volume back")
        case .ask(let question):
            asides.append("ask \(question.contains("volume") ? "to raise the volume" : "to power up")")
            if let answer { schedule(.milliseconds(500), .answered(answer)) }
        case .askForTones: if let answer { schedule(.milliseconds(1), .answered(answer)) }
        case .show(let text): asides.append("show \(text)")
        case .dismiss:
            pending.removeAll { if case .answered = $0.input { true } else { false } }
            asides.append("dismiss")
        }
    }

    private mutating func open(_ user: AudioUser) {
        precondition(open.subtracting([.iDynamo]).isEmpty && searched == nil, "one has the sound card")
        guard !linksFail else { return schedule(.milliseconds(10), .openFailed(user, "busy")) }
        schedule(.milliseconds(10), .opened(user))
        switch user {
        case .reader(let reader):
            asides.append("open \(reader)")
            open.insert(reader)
        case .search(let readers):
            asides.append("search \(readers.map { "\($0)" }.joined(separator: ", "))")
            searched = readers
            guard isHeard, let heard = attached?.reader, readers.contains(heard) else {
                return schedule(.milliseconds(260), .tonesWanted)
            }
            schedule(.milliseconds(200), .searched(ReaderSearchReport(found: heard.family)))
        }
    }

    /// Readers in turn, of which the one that is there answers; the others have five seconds.
    private mutating func search(playingTones: Bool) {
        guard let searched else { return }
        guard playingTones else { return schedule(.milliseconds(1), .searched(ReaderSearchReport())) }
        guard let thing = attached?.reader, let turn = searched.firstIndex(of: thing), !(isDeaf && thing == .uniMag)
        else { return schedule(.seconds(5), .searched(ReaderSearchReport())) }
        schedule(.milliseconds(300 * (turn + 1)), .searched(ReaderSearchReport(found: thing.family)))
    }

    private mutating func endSearch() {
        searched = nil
        pending.removeAll {
            switch $0.input {
            case .tonesWanted, .searched: true
            default: false
            }
        }
    }

    private mutating func perform(_ command: ReaderCommand, _ reader: ReaderKind) {
        guard open.contains(reader) else { return }
        switch command {
        case .connect:
            let isThere = attached?.reader == reader && !isDeaf && !vanishes
            if isThere || reader != .uniMag {
                let delay: Duration = reader == .uniMag ? powerUpTime : .milliseconds(20)
                schedule(delay, .reader(reader, .connected(ReaderIdentity(family: "test", facts: []))))
                schedule(delay, .reader(reader, .ready))
            } else {
                schedule(.seconds(13), .reader(reader, .failed(ReaderError(.noAnswer, "no answer"))))
            }
        case .requestSwipe(let duration):
            guard !refusesToWait else {
                schedule(.seconds(1), .reader(reader, .failed(ReaderError(.noAnswer, "no answer"))))
                return schedule(.seconds(1), .reader(reader, .ready))
            }
            schedule(.milliseconds(20), .reader(reader, .waitingForCard))
            waiting.insert(reader)
            schedule(duration, .reader(reader, .timedOut))
            schedule(duration, .reader(reader, .ready))
        case .cancel:
            dropTimeOuts(of: reader)
            let wasWaiting = waiting.remove(reader) != nil
            guard !cancelsLate || !wasWaiting else {
                schedule(.zero, .reader(reader, .timedOut))
                schedule(.zero, .reader(reader, .ready))
                let error = ReaderError(.nothingToCancel, "there is no wait for a card")
                return schedule(.milliseconds(1), .reader(reader, .failed(error)))
            }
            schedule(.milliseconds(20), .reader(reader, .cancelled))
            schedule(.milliseconds(20), .reader(reader, .ready))
        case .powerDown:
            dropTimeOuts(of: reader)
            waiting.remove(reader)
            schedule(.milliseconds(20), .reader(reader, .poweredDown))
        case .ask, .set: break
        }
    }

    private mutating func schedule(_ delay: Duration, _ input: SwipeInput) {
        count += 1
        pending.append((now + delay, count, input))
    }

    /// The reader sends none of its pending reports any more.
    private mutating func dropTimeOuts(of reader: ReaderKind) {
        pending.removeAll { if case .reader(reader, _) = $0.input { true } else { false } }
    }

    private mutating func forget(_ reader: ReaderKind) {
        open.remove(reader)
        waiting.remove(reader)
        dropTimeOuts(of: reader)
    }

    private static func words(_ event: SwipeAnnouncement.DeviceEvent) -> String {
        switch event {
        case .activationFinished(let result): "activation \(result)"
        case .unready(let reason): "unready \(reason)"
        case .swiped(let swipe): "swiped \(swipe == nil ? "badly" : "well")"
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .deactivated: "deactivated"
        case .ready: "ready"
        }
    }
}

/// Worlds with a UniMag.
extension MachineWorld {
    static let unprompted: @Sendable (inout UniMagSettings) -> Void = {
        $0.options.activateReaderWithoutPromptingUser = true
    }
    static let onRequest: @Sendable (inout UniMagSettings) -> Void = {
        $0.options.activateReaderWithoutPromptingUser = true
        $0.alwaysAcceptSwipe = false
    }

    /// A world in which a UniMag is activated and ready.
    static func ready(_ change: @escaping @Sendable (inout UniMagSettings) -> Void = unprompted) -> MachineWorld {
        var world = MachineWorld(.unimag)
        world.call(.configure(change))
        world.attach(.uniMag)
        world.run()
        world.log = []
        world.asides = []
        return world
    }
}
