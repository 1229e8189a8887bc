/// The range of a file's samples according to its header, in the formats that libsndfile reads and whose headers have
/// it: AIFF, AU, W64, RF64, RIFX, WAV of any encoding, and CAF. libsndfile silently shortens a length that the file
/// does not hold.
struct SampleClaim {
    /// The length of the samples in bytes.
    let byteCount: Int
    /// The offset of the first byte after the samples, from the start of the file.
    let end: Int

    /// A file with more chunks before its samples is not a recording.
    private static let chunkLimit = 256
    /// Lengths that stand for "unknown", or for a length elsewhere.
    private static let unknown32: UInt64 = 0xFFFF_FFFF

    /// Reads the length and the end of the samples from a header.
    /// - Returns: nil if the header does not have the end of the samples.
    /// - Throws: ``AudioFileError`` with code `io`.
    init?(in header: inout HeaderBytes) throws(AudioFileError) {
        let start = Array(try header.read(at: 0, count: 12))
        let found: (offset: UInt64, count: UInt64)?
        switch (String(decoding: start.prefix(4), as: UTF8.self), String(decoding: start.dropFirst(8), as: UTF8.self)) {
        case ("FORM", _): found = try Self.chunk("SSND", in: &header, .aiff)
        case ("RIFX", _): found = try Self.chunk("data", in: &header, .rifx)
        case ("RIFF", _): found = try Self.chunk("data", in: &header, .riff)
        case ("RF64", _): found = try Self.chunk("data", in: &header, .riff, longSize: Self.rf64Size(in: &header))
        case ("riff", _): found = try Self.chunk("data", in: &header, .w64)
        case ("caff", _): found = try Self.chunk("data", in: &header, .caf)
        case (".snd", _):
            found = (start.number(at: 4, bytes: 4, isBig: true), start.number(at: 8, bytes: 4, isBig: true))
        case ("dns.", _):
            found = (start.number(at: 4, bytes: 4, isBig: false), start.number(at: 8, bytes: 4, isBig: false))
        default: found = nil
        }
        guard let (offset, count) = found, count != Self.unknown32, count != .max else { return nil }
        byteCount = Int(clamping: count)
        let (sum, overflow) = offset.addingReportingOverflow(count)
        end = overflow ? .max : Int(clamping: sum)
    }

    /// The layout of the chunks of a format.
    private struct Chunks {
        /// The numbers of bytes before the first chunk, of a chunk's name, and of its length.
        let first: UInt64
        let name: Int
        let size: Int
        let isBig: Bool
        /// The number of header bytes that the length includes, and the alignment of chunks in bytes.
        var counted: UInt64 = 0
        var alignment: UInt64 = 2

        static let aiff = Chunks(first: 12, name: 4, size: 4, isBig: true)
        static let rifx = Chunks(first: 12, name: 4, size: 4, isBig: true)
        static let riff = Chunks(first: 12, name: 4, size: 4, isBig: false)
        static let w64 = Chunks(first: 40, name: 16, size: 8, isBig: false, counted: 24, alignment: 8)
        static let caf = Chunks(first: 8, name: 4, size: 8, isBig: true, alignment: 1)
    }

    /// The start of a chunk's content, and its length: `longSize` if the chunk itself has no room for that.
    private static func chunk(
        _ name: String, in header: inout HeaderBytes, _ chunks: Chunks, longSize: UInt64? = nil
    ) throws(AudioFileError) -> (offset: UInt64, count: UInt64)? {
        var offset = chunks.first
        for _ in 0..<chunkLimit {
            let length = chunks.name + chunks.size
            guard let place = Int(exactly: offset), place < Int.max - length else { return nil }
            let chunk = Array(try header.read(at: place, count: length))
            guard chunk.count == length else { return nil }
            let size = chunk.number(at: chunks.name, bytes: chunks.size, isBig: chunks.isBig)
            let content = offset + UInt64(length)
            if chunk.starts(with: name.utf8) {
                if let longSize, size == unknown32 { return (content, longSize) }
                // A length that is unknown stays unknown.
                return (content, size == .max ? size : size - min(size, chunks.counted))
            }
            let (next, overflow) = content.addingReportingOverflow(size - min(size, chunks.counted))
            guard !overflow, next < .max - chunks.alignment else { return nil }
            offset = (next + chunks.alignment - 1) / chunks.alignment * chunks.alignment
        }
        return nil
    }

    /// The length of the samples in the `ds64` chunk of RF64 (EBU Tech 3306), which follows the name and the length
    /// of the chunk and the length of the file.
    private static func rf64Size(in header: inout HeaderBytes) throws(AudioFileError) -> UInt64? {
        guard let place = try chunk("ds64", in: &header, .riff).flatMap({ Int(exactly: $0.offset) }) else { return nil }
        let sizes = Array(try header.read(at: place, count: 16))
        return sizes.count == 16 ? sizes.number(at: 8, bytes: 8, isBig: false) : nil
    }
}

extension [UInt8] {
    /// Reads an unsigned number; missing bytes count as 0.
    fileprivate func number(at offset: Int, bytes: Int, isBig: Bool) -> UInt64 {
        let digits = (0..<bytes).map { index in offset + index < count ? self[offset + index] : 0 }
        return (isBig ? digits : digits.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
