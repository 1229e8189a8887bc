/// What a track's content was recognised as. The raw value is its name for machines.
public enum TrackFormat: String, Sendable, Hashable, CaseIterable {
    /// A payment card's track 1 of format B (ISO/IEC 7813).
    case iso7813Track1 = "iso7813-track1"
    /// A payment card's track 2 (ISO/IEC 7813).
    case iso7813Track2 = "iso7813-track2"
    /// A payment card's track 3 (ISO/IEC 4909).
    case iso4909Track3 = "iso4909-track3"
    /// Track 1 of a North American driving licence or identity card (AAMVA).
    case aamvaTrack1 = "aamva-track1"
    /// Track 2 of a North American driving licence or identity card (AAMVA).
    case aamvaTrack2 = "aamva-track2"
    /// Track 3 of a North American driving licence or identity card (AAMVA).
    case aamvaTrack3 = "aamva-track3"
    /// A layout of the issuer's own, by the format code that the track bears.
    case proprietary
    /// Anything else between two sentinels.
    case unknown
}
