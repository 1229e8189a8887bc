/// A kind of sound file. A struct, so that kinds can be added.
public struct AudioContainer: Sendable, Hashable, CustomStringConvertible {
    enum Kind: String {
        case wav = "WAV"
        case rf64 = "RF64"
        case w64 = "W64"
        case flac = "FLAC"
        case aiff = "AIFF"
        case au = "AU"
        case caf = "CAF"
        case ogg = "Ogg"
        case raw
    }

    let kind: Kind

    /// Microsoft RIFF/WAVE.
    public static let wav = AudioContainer(kind: .wav)
    /// WAV with 64-bit sizes (EBU Tech 3306).
    public static let rf64 = AudioContainer(kind: .rf64)
    /// Sony Wave64.
    public static let w64 = AudioContainer(kind: .w64)
    /// Free Lossless Audio Codec.
    public static let flac = AudioContainer(kind: .flac)
    /// Apple AIFF and AIFF-C.
    public static let aiff = AudioContainer(kind: .aiff)
    /// Sun and NeXT audio.
    public static let au = AudioContainer(kind: .au)
    /// Apple Core Audio Format.
    public static let caf = AudioContainer(kind: .caf)
    /// Ogg with Vorbis, Opus or FLAC.
    public static let ogg = AudioContainer(kind: .ogg)
    /// Samples without a header.
    public static let raw = AudioContainer(kind: .raw)

    /// The usual name: `WAV`, `FLAC`, `raw`, ...
    public var name: String { kind.rawValue }

    /// The name.
    public var description: String { name }
}
