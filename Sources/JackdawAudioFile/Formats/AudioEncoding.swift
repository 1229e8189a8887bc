/// How a sample is stored. A struct, so that encodings can be added.
public struct AudioEncoding: Sendable, Hashable, CustomStringConvertible {
    enum Kind {
        case unsigned8, signed8, int16, int24, int32, float32, float64, muLaw, aLaw, other
    }

    let kind: Kind
    /// A name for people: `16-bit`, `32-bit float`, `Vorbis`, ...
    public let name: String

    /// Unsigned 8-bit integers around 128.
    public static let unsigned8 = AudioEncoding(kind: .unsigned8, name: "8-bit unsigned")
    /// Signed 8-bit integers.
    public static let signed8 = AudioEncoding(kind: .signed8, name: "8-bit")
    /// Signed 16-bit integers.
    public static let int16 = AudioEncoding(kind: .int16, name: "16-bit")
    /// Signed 24-bit integers.
    public static let int24 = AudioEncoding(kind: .int24, name: "24-bit")
    /// Signed 32-bit integers.
    public static let int32 = AudioEncoding(kind: .int32, name: "32-bit")
    /// IEEE 754 single precision, full scale ±1.
    public static let float32 = AudioEncoding(kind: .float32, name: "32-bit float")
    /// IEEE 754 double precision, full scale ±1.
    public static let float64 = AudioEncoding(kind: .float64, name: "64-bit float")
    /// µ-law (ITU-T G.711), 14 bits in 8.
    public static let muLaw = AudioEncoding(kind: .muLaw, name: "µ-law")
    /// A-law (ITU-T G.711), 13 bits in 8.
    public static let aLaw = AudioEncoding(kind: .aLaw, name: "A-law")

    /// Any other encoding that libsndfile reads, by its name there.
    static func other(_ name: String) -> AudioEncoding { AudioEncoding(kind: .other, name: name) }

    /// The name.
    public var description: String { name }

    /// Bytes a sample takes in a file, or nil where samples have no fixed size.
    var bytesPerSample: Int? {
        switch kind {
        case .unsigned8, .signed8, .muLaw, .aLaw: 1
        case .int16: 2
        case .int24: 3
        case .int32, .float32: 4
        case .float64: 8
        case .other: nil
        }
    }

    var fitsSixteenBits: Bool {
        switch kind {
        case .unsigned8, .signed8, .int16, .muLaw, .aLaw: true
        case .int24, .int32, .float32, .float64, .other: false
        }
    }

    /// Whether a file can hold numbers that are not finite.
    var isFloatingPoint: Bool {
        switch kind {
        case .float32, .float64, .other: true
        case .unsigned8, .signed8, .int16, .int24, .int32, .muLaw, .aLaw: false
        }
    }
}
