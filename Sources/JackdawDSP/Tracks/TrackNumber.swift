/// One of the three stripes of a magnetic card (ISO/IEC 7811-2 and -6).
public enum TrackNumber: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// 210 bits per inch, 7-bit alphanumeric characters (IATA).
    case one = 1
    /// 75 bits per inch, 5-bit numeric characters (ABA).
    case two = 2
    /// 210 bits per inch, 5-bit numeric characters (thrift; AAMVA writes 7-bit characters here).
    case three = 3

    /// Recording density in bits per inch (ISO/IEC 7811-2).
    public var bitsPerInch: Double { self == .two ? 75 : 210 }

    /// The character code that the standard prescribes for this track.
    public var characterCode: CharacterCode { self == .one ? .alphanumeric : .numeric }

    /// Tracks in the order of their numbers.
    public static func < (left: TrackNumber, right: TrackNumber) -> Bool { left.rawValue < right.rawValue }
}
