/// How long a line idles that is asked to: one meaning for all encoders.
enum IdleTime {
    /// What one call appends at most, in seconds: its samples have to fit the memory.
    static let longest = 600.0

    /// The seconds that are meant: 0 for what is negative, not a number or without end, and no more than the longest.
    static func bounded(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(0, seconds), longest) : 0
    }
}
