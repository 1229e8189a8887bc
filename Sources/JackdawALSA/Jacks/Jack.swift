/// A socket of a sound card that knows whether something is plugged into it.
public struct Jack: Sendable, Hashable, CustomStringConvertible {
    /// What belongs into it.
    public enum Kind: String, Sendable, Hashable {
        /// A microphone, or what passes for one: a magnetic head.
        case microphone
        /// Headphones.
        case headphone
        /// Headphones with a microphone, or a card reader that passes for them.
        case headset
        /// A line input or output.
        case line
        /// A display with sound, loudspeakers, a dock.
        case other
    }

    /// Its name without the word that it is a jack: `Mic`, `Front Headphone`.
    public let name: String
    /// What belongs into it.
    public let kind: Kind
    /// Where its state comes from.
    let origin: Origin

    /// What the state of a jack is read from.
    enum Origin: Sendable, Hashable {
        /// A control element by its number.
        case element(UInt32)
        /// A switch of an input device by its number, and the device's file.
        case inputSwitch(UInt16, file: String)
    }

    /// Its name.
    public var description: String { name }
}

/// What has happened to a jack, or to the card that has it.
public enum JackEvent: Sendable, Hashable {
    /// Something was plugged in; when that was, in nanoseconds of the monotonic clock.
    case attached(Jack, time: Int64)
    /// What was plugged in was pulled out; when that was, in nanoseconds of the monotonic clock.
    case detached(Jack, time: Int64)
    /// The card has gone with all its jacks. Nothing comes after that.
    case gone
}

/// A jack and whether something is plugged into it.
public struct JackState: Sendable, Hashable {
    /// The jack.
    public let jack: Jack
    /// Whether something is plugged into it.
    public let isPlugged: Bool
}

extension Jack.Kind {
    /// What belongs into a jack by its name, as Linux drivers name them: `Mic`, `Headphone`, `Headset Mic`, `Line Out`.
    init(naming name: String) {
        let words = name.lowercased().split { !$0.isLetter }
        func has(_ beginning: String) -> Bool { words.contains { $0.hasPrefix(beginning) } }
        let isMicrophone = has("mic")
        let isHeadphone = has("headphone") || words.contains("hp")
        if isMicrophone && isHeadphone || has("headset") && !isMicrophone {
            self = .headset
        } else if isMicrophone {
            self = .microphone
        } else if isHeadphone {
            self = .headphone
        } else if has("line") {
            self = .line
        } else {
            self = .other
        }
    }
}

/// Tells plugs from bounces: contacts that meet while a plug slides in make and break many times, and a headset's passing
/// the wrong contacts looks like a plug that comes and goes. A state counts once it has lasted.
///
/// It neither waits nor reads a clock; times are nanoseconds of whatever clock the caller has, and never run back.
package struct JackDebouncer: Sendable {
    /// How long a state has to last (ns).
    private let settlingTime: Int64
    private var jacks: [Tracked] = []

    private struct Tracked: Sendable {
        let jack: Jack
        /// What was told last.
        var isPlugged: Bool
        /// Since when the jack says the opposite of what was told; nil where it does not.
        var changed: Int64?
    }

    /// A debouncer of jacks whose state is known.
    /// - Parameters:
    ///   - states: the jacks, and whether something is plugged into them now.
    ///   - settlingTime: how long a new state has to last before it is told.
    package init(_ states: [JackState] = [], settlingTime: Duration = .milliseconds(100)) {
        self.settlingTime = max(0, settlingTime.nanoseconds)
        jacks = states.map { Tracked(jack: $0.jack, isPlugged: $0.isPlugged) }
    }

    /// The jacks, and whether something is plugged into them, as it was told last.
    package var states: [JackState] { jacks.map { JackState(jack: $0.jack, isPlugged: $0.isPlugged) } }

    /// When ``advance(to:)`` has something to tell if no jack changes until then; nil where nothing is under way.
    package var nextDeadline: Int64? { jacks.compactMap { deadline(of: $0) }.min() }

    /// Takes what a jack says, changed or not. A jack that was not known is taken for empty before.
    /// - Parameters:
    ///   - jack: the jack.
    ///   - isPlugged: whether something is plugged into it.
    ///   - time: when it said so.
    /// - Returns: what has come to be certain by that time.
    package mutating func receive(_ jack: Jack, isPlugged: Bool, at time: Int64) -> [JackEvent] {
        var events = advance(to: time)
        let place = jacks.firstIndex { $0.jack == jack } ?? jacks.endIndex
        if place == jacks.endIndex { jacks.append(Tracked(jack: jack, isPlugged: false)) }
        if jacks[place].isPlugged == isPlugged {
            jacks[place].changed = nil
        } else if jacks[place].changed == nil {
            jacks[place].changed = time
            if settlingTime == 0 { events += advance(to: time) }
        }
        return events
    }

    /// Lets time pass.
    /// - Parameter time: the time now.
    /// - Returns: what has come to be certain by that time, in the order in which it happened.
    package mutating func advance(to time: Int64) -> [JackEvent] {
        var settled: [(changed: Int64, event: JackEvent)] = []
        for place in jacks.indices {
            guard let changed = jacks[place].changed, let deadline = deadline(of: jacks[place]), deadline <= time
            else { continue }
            jacks[place].isPlugged.toggle()
            jacks[place].changed = nil
            let jack = jacks[place].jack
            let event: JackEvent =
                jacks[place].isPlugged ? .attached(jack, time: changed) : .detached(jack, time: changed)
            settled.append((changed, event))
        }
        return settled.sorted { $0.changed < $1.changed }.map(\.event)
    }

    /// Takes a jack away, which is no longer there.
    /// - Parameters:
    ///   - jack: the jack.
    ///   - time: when it went.
    /// - Returns: what had come to be certain by then, and that what was plugged in is no longer.
    package mutating func remove(_ jack: Jack, at time: Int64) -> [JackEvent] {
        var events = advance(to: time)
        guard let place = jacks.firstIndex(where: { $0.jack == jack }) else { return events }
        if jacks.remove(at: place).isPlugged { events.append(.detached(jack, time: time)) }
        return events
    }

    private func deadline(of tracked: Tracked) -> Int64? {
        tracked.changed.map { changed in
            let (deadline, isBeyond) = changed.addingReportingOverflow(settlingTime)
            return isBeyond ? .max : deadline
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, at most what 64 bits hold.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isMore) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond || isMore ? (seconds < 0 ? .min : .max) : sum
    }
}
