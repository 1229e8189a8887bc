/// A time of the calendar, with the zone in which it is shown.
package struct CivilTime: Sendable, Hashable {
    package let year: Int
    package let month: Int
    package let day: Int
    /// The second of the day, 0 to 86,399.
    package let second: Int
    /// The minutes by which the zone is ahead of UTC.
    package let offset: Int

    /// The latest time, in seconds since 1970: the end of the year 9999.
    static let last: Int64 = 253_402_300_799

    /// - Parameters:
    ///   - milliseconds: since 1970-01-01 00:00 UTC; times before 1970 and after 9999 are moved to these limits.
    ///   - offset: the minutes by which the zone is ahead of UTC, -1,440 to 1,440.
    package init(milliseconds: Int64, offset: Int) {
        let local = milliseconds / 1000 + Int64(offset) * 60
        let seconds = Int(min(max(0, local), Self.last))
        let days = seconds / 86_400
        second = seconds % 86_400
        self.offset = offset
        // Days are counted from 0000-03-01, in eras of 400 years, as leap days then come at the ends of years.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01 in the zone.
    package var dayNumber: Int { Self.dayNumber(year: year, month: month, day: day) }

    /// The quarter of the year, 1 to 4.
    package var quarter: Int { (month - 1) / 3 + 1 }

    /// As in ISO 8601: `2016-01-28T15:47:07+01:00`.
    package var iso8601: String {
        let clock = "\(Self.two(second / 3600)):\(Self.two(second / 60 % 60)):\(Self.two(second % 60))"
        let date = "\(Self.four(year))-\(Self.two(month))-\(Self.two(day))"
        guard offset != 0 else { return "\(date)T\(clock)Z" }
        let size = abs(offset)
        return "\(date)T\(clock)\(offset < 0 ? "-" : "+")\(Self.two(size / 60)):\(Self.two(size % 60))"
    }

    /// The date with slashes: `2016/01/28`.
    package var slashed: String { "\(Self.four(year))/\(Self.two(month))/\(Self.two(day))" }

    /// Days from 1970-01-01 to a date of the years from 1970 on.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Days from 1970-01-01 to a date in the form `2016-01-28`; nil if it is none, or before 1970.
    package static func dayNumber(dashed text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            year >= 1970, (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let number = dayNumber(year: year, month: month, day: day)
        // A day beyond the end of its month is another date.
        let date = CivilTime(milliseconds: Int64(number) * 86_400_000, offset: 0)
        return date.month == month && date.day == day ? number : nil
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func four(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

extension Duration {
    /// Whole milliseconds, at least 0 and at most those of the year 9999.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return min(seconds, CivilTime.last) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
