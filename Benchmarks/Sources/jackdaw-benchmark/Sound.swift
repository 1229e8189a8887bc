import Foundation

/// Mono sound in the form in which a file holds it.
struct Sound: Sendable {
    /// Samples of one type.
    enum Samples: Sendable {
        case integers([Int16])
        case floats([Float])
    }

    /// Samples per second (Hz).
    let rate: Double
    let samples: Samples

    /// Number of samples.
    var count: Int {
        switch samples {
        case .integers(let samples): samples.count
        case .floats(let samples): samples.count
        }
    }

    /// Length in seconds.
    var seconds: Double { Double(count) / rate }
}

extension Sound {
    /// Reads mono WAV: 16 or 24-bit integers or 32-bit floats, all that the corpus holds.
    init(contentsOf path: String) throws {
        let bytes = [UInt8](try contents(of: path))
        do throws(CorpusError) {
            try self.init(wave: bytes)
        } catch {
            throw CorpusError(description: "\(path): \(error.description)")
        }
    }

    /// Reads the bytes of a WAV file.
    init(wave bytes: [UInt8]) throws(CorpusError) {
        func number(at offset: Int, bytes count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        func name(at offset: Int) -> [UInt8] { Array(bytes[offset..<offset + 4]) }

        guard bytes.count >= 12, name(at: 0) == Array("RIFF".utf8), name(at: 8) == Array("WAVE".utf8) else {
            throw CorpusError(description: "not a WAV file")
        }
        var layout: (kind: Int, channels: Int, rate: Int, bits: Int)?
        var offset = 12
        while offset + 8 <= bytes.count {
            let content = offset + 8
            let length = min(number(at: offset + 4, bytes: 4), bytes.count - content)
            switch name(at: offset) {
            case Array("fmt ".utf8) where length >= 16:
                layout = (
                    number(at: content, bytes: 2), number(at: content + 2, bytes: 2),
                    number(at: content + 4, bytes: 4), number(at: content + 14, bytes: 2)
                )
            case Array("data".utf8):
                guard let layout, layout.channels == 1 else {
                    throw CorpusError(description: "not mono sound")
                }
                rate = Double(layout.rate)
                samples = try Self.samples(bytes[content..<content + length], kind: layout.kind, bits: layout.bits)
                return
            default: break
            }
            offset = content + length + length % 2
        }
        throw CorpusError(description: "no sound in it")
    }

    private static func samples(
        _ bytes: ArraySlice<UInt8>, kind: Int, bits: Int
    ) throws(CorpusError) -> Samples {
        func starts(width: Int) -> StrideTo<Int> {
            stride(from: bytes.startIndex, to: bytes.endIndex - width + 1, by: width)
        }
        switch (kind, bits) {
        case (1, 16):
            return .integers(
                starts(width: 2).map { Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8) })
        case (1, 24):
            return .floats(
                starts(width: 3).map {
                    let low = UInt32(bytes[$0]) | UInt32(bytes[$0 + 1]) << 8
                    return Float(Int32(bitPattern: low << 8 | UInt32(bytes[$0 + 2]) << 24)) / 0x1p31
                })
        case (3, 32):
            return .floats(
                starts(width: 4).map { start in
                    Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) })
                })
        default: throw CorpusError(description: "neither 16 nor 24-bit nor float samples")
        }
    }
}
