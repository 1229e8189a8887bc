import Glibc

/// The time of day in events for programs.
package struct WallClock: Sendable {
    /// The time since the beginning of 1970 (UTC).
    package var now: @Sendable () -> Duration = { now(CLOCK_REALTIME) }
    /// The time of the clock that the kernel uses for its events (`CLOCK_MONOTONIC`).
    package var monotonic: @Sendable () -> Duration = { now(CLOCK_MONOTONIC) }

    /// Reads the clocks of the system.
    package init() {}

    /// Reads other clocks, for tests.
    package init(now: @escaping @Sendable () -> Duration, monotonic: @escaping @Sendable () -> Duration) {
        self.now = now
        self.monotonic = monotonic
    }

    /// Converts the time of a kernel event to the time of day.
    /// - Parameter nanoseconds: the time by `CLOCK_MONOTONIC`.
    /// - Returns: the time since the beginning of 1970 (UTC).
    package func time(ofMonotonic nanoseconds: Int64) -> Duration {
        now() - (monotonic() - .nanoseconds(nanoseconds))
    }

    /// A time in ISO 8601 form, in UTC, to the millisecond: `2026-01-31T09:05:00.250Z`.
    package static func text(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        let days = milliseconds.dividedRoundingDown(by: 86_400_000)
        let rest = milliseconds - days * 86_400_000
        let (year, month, day) = date(ofDay: days)
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        let clock = "\(digits(rest / 3_600_000, 2)):\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1_000 % 60, 2))"
        return "\(date)T\(clock).\(digits(rest % 1_000, 3))Z"
    }

    /// A time as HTTP writes it (RFC 9110, 5.6.7), to the second: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func httpText(_ time: Duration) -> String {
        let seconds = time.components.seconds
        let days = seconds.dividedRoundingDown(by: 86_400)
        let rest = seconds - days * 86_400
        let (year, month, day) = date(ofDay: days)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The first day of 1970 was a Thursday.
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let weekday = weekdays[Int(days - days.dividedRoundingDown(by: 7) * 7)]
        let clock = "\(digits(rest / 3_600, 2)):\(digits(rest / 60 % 60, 2)):\(digits(rest % 60, 2))"
        return "\(weekday), \(digits(day, 2)) \(months[Int(month) - 1]) \(digits(year, 4)) \(clock) GMT"
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// The date a number of days after the beginning of 1970, by the Gregorian calendar. Years are counted from March,
    /// so that the leap day is the last of a year; an era is the 400 years after which the calendar repeats.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysOfEra: Int64 = 146_097
        // From 1 March of the year 0 on.
        let shifted = day + 719_468
        let era = shifted.dividedRoundingDown(by: daysOfEra)
        let dayOfEra = shifted - era * daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    private static func now(_ clock: clockid_t) -> Duration {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Int64 {
    fileprivate func dividedRoundingDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension JSONObject {
    /// Adds the time of an event, in the same field for every event.
    package mutating func add(time: Duration) { add("time", WallClock.text(time)) }
}
