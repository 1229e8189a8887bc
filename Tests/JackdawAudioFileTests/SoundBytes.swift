/// Sound files built byte by byte.
struct SoundBytes {
    var bytes: [UInt8] = []

    mutating func text(_ text: String) { bytes += Array(text.utf8) }

    mutating func little<Number: FixedWidthInteger>(_ numbers: Number...) { little(numbers) }
    mutating func little<Number: FixedWidthInteger>(_ numbers: [Number]) { add(numbers.map(\.littleEndian)) }
    mutating func big<Number: FixedWidthInteger>(_ numbers: Number...) { big(numbers) }
    mutating func big<Number: FixedWidthInteger>(_ numbers: [Number]) { add(numbers.map(\.bigEndian)) }

    private mutating func add<Number: FixedWidthInteger>(_ numbers: [Number]) {
        unsafe numbers.withUnsafeBytes { unsafe bytes += $0 }
    }
}

/// A WAV file whose every header field can lie.
struct WAVBytes {
    var formatTag: UInt16 = 1
    var channels: UInt16 = 1
    var rate: UInt32 = 44_100
    var bits: UInt16 = 16
    var blockSize: UInt16?
    /// Bytes after the 16 of the plain fmt chunk.
    var formatExtension: [UInt8] = []
    /// Chunks before the samples, as they stand in the file.
    var chunksBefore: [UInt8] = []
    var data: [UInt8] = []
    var claimedDataSize: UInt32?
    var claimedRIFFSize: UInt32?
    /// What follows the samples.
    var trailer: [UInt8] = []

    init(_ samples: [Int16] = []) {
        var sound = SoundBytes()
        sound.little(samples)
        data = sound.bytes
    }

    var headerSize: Int { 44 + formatExtension.count + chunksBefore.count }

    var bytes: [UInt8] {
        var sound = SoundBytes()
        sound.text("RIFF")
        sound.little(claimedRIFFSize ?? UInt32(headerSize - 8 + data.count + trailer.count))
        sound.text("WAVEfmt ")
        sound.little(UInt32(16 + formatExtension.count))
        sound.little(formatTag)
        sound.little(channels)
        sound.little(rate)
        let frameBytes = blockSize ?? channels &* (bits / 8)
        sound.little(rate &* UInt32(frameBytes))
        sound.little(frameBytes)
        sound.little(bits)
        sound.bytes += formatExtension + chunksBefore
        sound.text("data")
        sound.little(claimedDataSize ?? UInt32(data.count))
        sound.bytes += data + trailer
        return sound.bytes
    }
}

/// A chunk of a RIFF file with its padding.
func riffChunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var chunk = SoundBytes()
    chunk.text(name)
    chunk.little(UInt32(content.count))
    chunk.bytes += content
    if content.count % 2 == 1 { chunk.bytes.append(0) }
    return chunk.bytes
}

/// A Sun audio file of 16-bit samples.
func auBytes(_ samples: [Int16], rate: UInt32 = 44_100, channels: UInt32 = 1) -> [UInt8] {
    var sound = SoundBytes()
    sound.text(".snd")
    sound.big(24, UInt32(samples.count * 2), 3, rate, channels)
    sound.big(samples)
    return sound.bytes
}

/// An AIFF file of 16-bit samples, mono, 44,100 Hz.
func aiffBytes(_ samples: [Int16]) -> [UInt8] {
    var sound = SoundBytes()
    sound.text("FORM")
    sound.big(UInt32(46 + samples.count * 2))
    sound.text("AIFFCOMM")
    sound.big(UInt32(18))
    sound.big(UInt16(1))
    sound.big(UInt32(samples.count))
    // Bits, then 44,100 as an 80-bit number: exponent 16383 + 15, mantissa 44,100 · 2^48.
    sound.big(UInt16(16), 0x400E)
    sound.big(UInt64(44_100) << 48)
    sound.text("SSND")
    sound.big(UInt32(8 + samples.count * 2))
    sound.big(UInt64(0))
    sound.big(samples)
    return sound.bytes
}

/// A Core Audio file of little endian 16-bit samples, mono, 44,100 Hz.
func cafBytes(_ samples: [Int16]) -> [UInt8] {
    var sound = SoundBytes()
    sound.text("caff")
    sound.big(UInt16(1), 0)
    sound.text("desc")
    sound.big(UInt64(32), Double(44_100).bitPattern)
    sound.text("lpcm")
    sound.big(UInt32(2), 2, 1, 1, 16)
    sound.text("data")
    sound.big(UInt64(4 + samples.count * 2))
    sound.big(UInt32(0))
    sound.little(samples)
    return sound.bytes
}

/// A big endian WAV file of 16-bit samples, mono, 44,100 Hz.
func rifxBytes(_ samples: [Int16]) -> [UInt8] {
    var sound = SoundBytes()
    sound.text("RIFX")
    sound.big(UInt32(36 + samples.count * 2))
    sound.text("WAVEfmt ")
    sound.big(UInt32(16))
    sound.big(UInt16(1), 1)
    sound.big(UInt32(44_100), 88_200)
    sound.big(UInt16(2), 16)
    sound.text("data")
    sound.big(UInt32(samples.count * 2))
    sound.big(samples)
    return sound.bytes
}
