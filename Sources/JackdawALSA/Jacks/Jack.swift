/// A socket of a sound card that senses whether a plug is in it.
public struct Jack: Sendable, Hashable, CustomStringConvertible {
    /// The kind of plug that the jack is for.
    public enum Kind: String, Sendable, Hashable {
        /// A microphone, or a device that acts as one: a magnetic head.
        case microphone
        /// Headphones without a microphone.
        case headphone
        /// Headphones with a microphone, or a card reader that acts as a headset.
        case headset
        /// A line input or output.
        case line
        /// A display with sound, loudspeakers, a dock.
        case other
    }

    /// The jack's name without the word "Jack": `Mic`, `Front Headphone`.
    public let name: String
    /// The kind of plug that the jack is for.
    public let kind: Kind
    /// The source of the jack's state.
    let origin: Origin

    /// The source from which the state of a jack is read.
    enum Origin: Sendable, Hashable {
        /// A control element, by its number.
        case element(UInt32)
        /// A switch of an input device by its number, and the device's file.
        case inputSwitch(UInt16, file: String)
    }

    public var description: String { name }
}

/// A change of a jack, or of the card that has it.
public enum JackEvent: Sendable, Hashable {
    /// A plug was inserted, at a time in nanoseconds of the monotonic clock.
    case attached(Jack, time: Int64)
    /// The plug was removed, at a time in nanoseconds of the monotonic clock.
    case detached(Jack, time: Int64)
    /// The card was disconnected with all its jacks. This is the last event.
    case gone
}

/// A jack and whether a plug is in it.
public struct JackState: Sendable, Hashable {
    /// The jack whose state it is.
    public let jack: Jack
    /// Whether a plug is in the jack.
    public let isPlugged: Bool
}

extension Jack.Kind {
    /// The kind of a jack by its name, as Linux drivers name jacks: `Mic`, `Headphone`, `Headset Mic`, `Line Out`.
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

/// Separates plugs from bounces: contacts that meet while a plug slides in close and open many times, and a headset
/// that passes the wrong contacts looks like a plug that is inserted and removed. A state counts after it has lasted
/// for the settling time.
///
/// It neither waits nor reads a clock; times are nanoseconds of the caller's clock, and never decrease.
package struct JackDebouncer: Sendable {
    /// How long a state has to last before it counts (ns).
    private let settlingTime: Int64
    private var jacks: [Tracked] = []

    private struct Tracked: Sendable {
        let jack: Jack
        /// The state that was reported last.
        var isPlugged: Bool
        /// The time since which the jack has the opposite of the reported state; nil if it has not.
        var changed: Int64?
    }

    /// A debouncer of jacks whose state is known.
    /// - Parameters:
    ///   - states: the jacks, and whether a plug is in them now.
    ///   - settlingTime: how long a new state has to last before it is reported.
    package init(_ states: [JackState] = [], settlingTime: Duration = .milliseconds(100)) {
        self.settlingTime = max(0, settlingTime.nanoseconds)
        jacks = states.map { Tracked(jack: $0.jack, isPlugged: $0.isPlugged) }
    }

    /// The jacks with the states that were reported last.
    package var states: [JackState] { jacks.map { JackState(jack: $0.jack, isPlugged: $0.isPlugged) } }

    /// When ``advance(to:)`` will return an event if no jack changes until then; nil if no change is pending.
    package var nextDeadline: Int64? { jacks.compactMap { deadline(of: $0) }.min() }

    /// Updates the state of a jack, changed or not. An unknown jack counts as empty before.
    /// - Parameters:
    ///   - jack: the jack.
    ///   - isPlugged: whether a plug is in it.
    ///   - time: when the state was read.
    /// - Returns: the events that have become certain by that time.
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

    /// Advances the time.
    /// - Parameter time: the time now.
    /// - Returns: the events that have become certain by that time, in the order in which they happened.
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

    /// Removes a jack that no longer exists.
    /// - Parameters:
    ///   - jack: the jack.
    ///   - time: when it was removed.
    /// - Returns: the events that had become certain by then, and the removal of a plug that was in the jack.
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
    /// The duration in nanoseconds, limited to the range of 64 bits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isMore) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond || isMore ? (seconds < 0 ? .min : .max) : sum
    }
}
