/// How a sample is encoded in the memory of a sound card; all encodings are little-endian.
public enum PCMEncoding: String, Sendable, Hashable, CaseIterable {
    /// Signed integers of 16 bits.
    case s16
    /// 24 bits in the lower three of four bytes.
    case s24
    /// 24 bits in three bytes.
    case s24Packed
    /// Signed integers of 32 bits.
    case s32
    /// 32-bit floating point, full scale -1 to 1.
    case float

    /// Bytes of a sample in memory: 2 to 4.
    public var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s24Packed: 3
        case .s24, .s32, .float: 4
        }
    }

    /// Steps from 0 to full scale.
    private var fullScale: Float {
        switch self {
        case .s16: 0x1p15
        case .s24, .s24Packed: 0x1p23
        case .s32: 0x1p31
        case .float: 1
        }
    }

    /// Decodes samples to full scale -1 to 1; samples that are not finite become silence.
    /// - Parameters:
    ///   - bytes: as many samples as `samples` has room for.
    ///   - samples: receives the decoded samples.
    func decode(_ bytes: UnsafeRawBufferPointer, into samples: inout MutableSpan<Float>) {
        precondition(bytes.count == samples.count * bytesPerSample, "the bytes must match the samples in number")
        let scale = 1 / fullScale
        switch self {
        case .s16:
            for index in samples.indices {
                samples[index] =
                    Float(Int16(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)))
                    * scale
            }
        case .s24:
            for index in samples.indices {
                samples[index] = Float((unsafe Self.word(bytes, 4 * index) << 8) >> 8) * scale
            }
        case .s24Packed:
            for index in samples.indices {
                let low = unsafe UInt32(bytes[3 * index]) | UInt32(bytes[3 * index + 1]) << 8
                let all = unsafe low << 8 | UInt32(bytes[3 * index + 2]) << 24
                samples[index] = Float(Int32(bitPattern: all) >> 8) * scale
            }
        case .s32:
            for index in samples.indices { samples[index] = Float(unsafe Self.word(bytes, 4 * index)) * scale }
        case .float:
            for index in samples.indices {
                let sample = Float(bitPattern: UInt32(bitPattern: unsafe Self.word(bytes, 4 * index)))
                samples[index] = sample.isFinite ? sample : 0
            }
        }
    }

    /// Encodes samples: rounded to the nearest step, limited to full scale; samples that are not finite become silence.
    /// - Parameters:
    ///   - samples: full scale -1 to 1.
    ///   - bytes: room for as many samples.
    func encode(_ samples: Span<Float>, into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count == samples.count * bytesPerSample, "the buffer must match the samples in length")
        switch self {
        case .s16:
            for index in samples.indices {
                unsafe bytes.storeBytes(
                    of: Int16(truncatingIfNeeded: steps(samples[index])).littleEndian, toByteOffset: 2 * index,
                    as: Int16.self)
            }
        case .s24, .s32:
            for index in samples.indices { unsafe Self.store(Int32(steps(samples[index])), bytes, 4 * index) }
        case .s24Packed:
            for index in samples.indices {
                let value = steps(samples[index])
                for place in 0..<3 { unsafe bytes[3 * index + place] = UInt8(truncatingIfNeeded: value >> (8 * place)) }
            }
        case .float:
            for index in samples.indices {
                let sample = samples[index].isFinite ? samples[index] : 0
                unsafe Self.store(Int32(bitPattern: sample.bitPattern), bytes, 4 * index)
            }
        }
    }

    /// A sample in steps of an integer encoding.
    private func steps(_ sample: Float) -> Int64 {
        guard sample.isFinite else { return 0 }
        let most = Double(fullScale)
        return Int64(min(max(Double(sample) * most, -most), most - 1).rounded(.toNearestOrEven))
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int32 {
        Int32(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
    }

    @inline(__always)
    private static func store(_ value: Int32, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) {
        unsafe bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Int32.self)
    }
}
