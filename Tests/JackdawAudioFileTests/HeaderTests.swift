import JackdawAudioFile
import JackdawTestSupport
import Testing

/// Files built byte by byte, so that neither the writer nor libsndfile has a say in what is right.
@Suite("Headers")
struct HeaderTests {
    let directory: TestDirectory
    let samples = randomInt16(count: 1_001, seed: 11)
    var floats: [Float] { samples.map { Float($0) / 32_768 } }

    init() throws { directory = try TestDirectory() }

    @Test func plainWAV() throws {
        let path = try directory.file("plain.wav", WAVBytes(samples).bytes)
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.container == .wav)
        #expect(reader.format.encoding == .int16)
        #expect(reader.format.isSixteenBit)
        #expect(reader.format.sampleRate == 44_100)
        #expect(reader.format.channels == 1)
        #expect(reader.frames == 1_001)
        #expect(try readAllInt16(path) == samples)
        #expect(try readAll(path).isTruncated == false)
    }

    @Test func chunksAroundTheSamples() throws {
        var wav = WAVBytes(samples)
        wav.chunksBefore = riffChunk("LIST", [1, 2, 3]) + riffChunk("bext", .init(repeating: 7, count: 3_000))
        wav.trailer = riffChunk("LIST", .init(repeating: 1, count: 100))
        #expect(try readAllInt16(directory.file("chunks.wav", wav.bytes)) == samples)
    }

    @Test func extensibleWAV() throws {
        var wav = WAVBytes(samples)
        wav.formatTag = 0xFFFE
        wav.formatExtension =
            [22, 0, 16, 0, 4, 0, 0, 0] + [1, 0] + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        #expect(try readAllInt16(directory.file("extensible.wav", wav.bytes)) == samples)
    }

    /// 24 bits in a container of 32, as some recorders write them.
    @Test func paddedSamples() throws {
        var wav = WAVBytes()
        wav.bits = 24
        wav.blockSize = 4
        wav.data = [0, 0, 0, 0x80] + [0, 0x01, 0, 0] + [0, 0xFF, 0xFF, 0x7F]
        let read = try readAll(directory.file("padded.wav", wav.bytes))
        #expect(read.samples == [-1, 1 / 8_388_608, 8_388_607 / 8_388_608])
    }

    @Test func eightBitWAV() throws {
        var wav = WAVBytes()
        wav.bits = 8
        wav.data = [0, 127, 128, 129, 255]
        let path = try directory.file("eight.wav", wav.bytes)
        #expect(try readAll(path).samples == [-1, -1 / 128, 0, 1 / 128, 127 / 128])
        #expect(try readAllInt16(path) == [-32_768, -256, 0, 256, 32_512])
    }

    /// Values of ITU-T G.711, tables 1a and 2a, in 16 bits.
    @Test(arguments: [
        (UInt16(7), [UInt8(0xFF), 0x80, 0x00], [Int16(0), 32_124, -32_124]),
        (UInt16(6), [UInt8(0xD5), 0xAA, 0x2A], [Int16(8), 32_256, -32_256]),
    ])
    func companded(tag: UInt16, codes: [UInt8], values: [Int16]) throws {
        var wav = WAVBytes()
        wav.formatTag = tag
        wav.bits = 8
        wav.data = codes
        let path = try directory.file("companded.wav", wav.bytes)
        #expect(try readAllInt16(path) == values)
        #expect(try readAll(path).samples == values.map { Float($0) / 32_768 })
    }

    @Test func otherContainers() throws {
        let files: [(String, [UInt8], AudioContainer)] = [
            ("a.au", auBytes(samples), .au), ("a.aiff", aiffBytes(samples), .aiff), ("a.caf", cafBytes(samples), .caf),
            ("a.wav", rifxBytes(samples), .wav),
        ]
        for (name, bytes, container) in files {
            let path = try directory.file(name, bytes)
            let read = try readAll(path)
            #expect(read.format.container == container)
            #expect(read.format.sampleRate == 44_100)
            #expect(read.samples == floats, "\(container)")
            #expect(try readAllInt16(path) == samples, "\(container)")
        }
    }

    /// The name of a file says nothing about its content.
    @Test func extensionsAreIgnored() throws {
        #expect(try readAllInt16(directory.file("sound.flac", WAVBytes(samples).bytes)) == samples)
    }

    // MARK: - Lengths that lie

    @Test func truncatedWAV() throws {
        var wav = WAVBytes(samples)
        wav.claimedDataSize = 5_000
        let reader = try AudioFileReader(path: directory.file("short.wav", wav.bytes))
        #expect(reader.isTruncated == true)
        #expect(reader.frames == 1_001)
        #expect(try readAll(directory.path("short.wav")).samples == floats)
    }

    @Test func halfASampleAtTheEndIsDropped() throws {
        let bytes = WAVBytes(samples).bytes.dropLast()
        let read = try readAll(directory.file("half.wav", Array(bytes)))
        #expect(read.isTruncated)
        #expect(read.samples == floats.dropLast())
    }

    @Test func moreDataThanClaimed() throws {
        var wav = WAVBytes(samples)
        wav.claimedDataSize = 500
        let read = try readAll(directory.file("long.wav", wav.bytes))
        #expect(!read.isTruncated)
        #expect(read.samples == Array(floats.prefix(250)))
    }

    /// What recorders leave that were stopped before they knew the length.
    @Test(arguments: [(UInt32(0), UInt32(0)), (0, 36)])
    func placeholderLengths(data: UInt32, riff: UInt32) throws {
        var wav = WAVBytes(samples)
        wav.claimedDataSize = data
        wav.claimedRIFFSize = riff
        let read = try readAll(directory.file("placeholder.wav", wav.bytes))
        #expect(!read.isTruncated)
        #expect(read.samples == floats)
    }

    /// Half of a long recording, or one that went through a pipe: a file has a length, a pipe has none.
    @Test(arguments: [
        (UInt32.max, UInt32.max), (0x7FFF_F000, 0x7FFF_F024), (0x8000_0000, 0x8000_0024), (0xF000_0000, 0xF000_0024),
    ])
    func lengthsFromTwoGigabytesOnCount(data: UInt32, riff: UInt32) throws {
        var wav = WAVBytes(samples)
        wav.claimedDataSize = data
        wav.claimedRIFFSize = riff
        let path = try directory.file("half.wav", wav.bytes)
        let reader = try AudioFileReader(path: path)
        #expect(reader.isTruncated == true)
        #expect(reader.frames == floats.count)
        #expect(try readAll(path).samples == floats)
    }

    /// Whole files of each format with a length, and the place of that length.
    private static let formats: [(name: String, bytes: [UInt8], place: Int, size: Int, isBig: Bool)] = {
        let samples = [Int16](repeating: 1_000, count: 500)
        var rf64 = SoundBytes()
        rf64.text("RF64")
        rf64.little(UInt32.max)
        rf64.text("WAVEds64")
        rf64.little(UInt32(28))
        rf64.little(UInt64(72 + 1_000), 1_000, 500)
        rf64.little(UInt32(0))
        rf64.text("fmt ")
        rf64.little(UInt32(16))
        rf64.little(UInt16(1), 1)
        rf64.little(UInt32(44_100), 88_200)
        rf64.little(UInt16(2), 16)
        rf64.text("data")
        rf64.little(UInt32.max)
        rf64.little(samples)
        let guid: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
        var w64 = SoundBytes()
        w64.text("riff")
        w64.bytes += [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]
        w64.little(UInt64(104 + 1_000))
        w64.text("wave")
        w64.bytes += guid
        w64.text("fmt ")
        w64.bytes += guid
        w64.little(UInt64(40))
        w64.little(UInt16(1), 1)
        w64.little(UInt32(44_100), 88_200)
        w64.little(UInt16(2), 16)
        w64.text("data")
        w64.bytes += guid
        w64.little(UInt64(24 + 1_000))
        w64.little(samples)
        var caf = SoundBytes()
        caf.text("caff")
        caf.big(UInt16(1), 0)
        caf.text("desc")
        caf.big(UInt64(32))
        caf.big(Double(44_100).bitPattern)
        caf.text("lpcm")
        caf.big(UInt32(0), 2, 1, 1, 16)
        caf.text("data")
        caf.big(UInt64(4 + 1_000))
        caf.big(UInt32(0))
        caf.big(samples)
        let aiff = aiffBytes(samples)
        return [
            ("au", auBytes(samples), 8, 4, true), ("aiff", aiff, aiff.count - 1_000 - 12, 4, true),
            ("rf64", rf64.bytes, 28, 8, false), ("w64", w64.bytes, 96, 8, false),
            ("caf", caf.bytes, caf.bytes.count - 1_000 - 12, 8, true),
        ]
    }()

    /// libsndfile silently shortens what the file does not hold.
    @Test(arguments: formats.indices, [UInt64(2_000), 0x7FFF_F000, 0x8000_0000, 0xF000_0000])
    func lengthsThatAFileDoesNotHoldAreReported(index: Int, claim: UInt64) throws {
        let (name, bytes, place, size, isBig) = Self.formats[index]
        let whole = try readAll(directory.file("whole." + name, bytes))
        #expect(!whole.isTruncated, "\(name)")
        #expect(whole.samples.count == 500)
        var longer = bytes
        for digit in 0..<size {
            longer[place + (isBig ? size - 1 - digit : digit)] = UInt8(claim >> (8 * digit) & 0xFF)
        }
        for (file, content) in [("longer.", longer), ("cut.", Array(bytes.prefix(bytes.count - 500)))] {
            let path = try directory.file(file + name, content)
            guard name != "caf" else {
                // libsndfile does not read on.
                #expect(throws: AudioFileError.self) { _ = try AudioFileReader(path: path) }
                continue
            }
            let read = try readAll(path)
            #expect(read.isTruncated, "\(file)\(name)")
            #expect(read.samples == Array(whole.samples.prefix(read.samples.count)))
            // To libsndfile, lengths of AU are signed.
            if name != "au" || file == "cut." && claim < 1 << 31 { #expect(read.samples.count >= 250) }
        }
    }

    @Test func noSamples() throws {
        let path = try directory.file("none.wav", WAVBytes().bytes)
        #expect(try readAll(path).samples == [])
        #expect(try readAll(path).isTruncated == false)
        #expect(try AudioFileReader(path: path).frames == 0)
    }

    @Test func truncatedFLAC() throws {
        let path = directory.path("whole.flac")
        let samples = [[Float]](repeating: floats, count: 20).flatMap { $0 }
        try write(samples, to: path, encoding: .int16)
        #expect(try readAll(path).isTruncated == false)
        let bytes = try directory.bytes("whole.flac")
        let read = try readAll(directory.file("cut.flac", Array(bytes.prefix(bytes.count / 2))))
        #expect(read.isTruncated)
        #expect(read.samples.count > samples.count / 4)
        #expect(read.samples == Array(samples.prefix(read.samples.count)))
        #expect(read.samples.count < samples.count)
    }

    // MARK: - Samples that are no numbers

    @Test func nonFiniteSamplesBecomeZero() throws {
        let values: [Float] = [0.5, .nan, .infinity, -.infinity, -0.5, .signalingNaN, .greatestFiniteMagnitude]
        var sound = SoundBytes()
        sound.little(values.map(\.bitPattern))
        var wav = WAVBytes()
        wav.formatTag = 3
        wav.bits = 32
        wav.data = sound.bytes
        let read = try readAll(directory.file("nan.wav", wav.bytes))
        #expect(read.samples == [0.5, 0, 0, 0, -0.5, 0, .greatestFiniteMagnitude])
        #expect(read.replacedSamples == 4)
    }

    @Test func doublesBeyondFloatBecomeZero() throws {
        var sound = SoundBytes()
        sound.little([0.25, 1e300, -1e300, Double.nan, -1].map(\.bitPattern))
        let raw = try RawAudioFormat(sampleRate: 8_000, encoding: .float64)
        let read = try readAll(directory.file("f64.raw", sound.bytes), raw: raw)
        #expect(read.samples == [0.25, 0, 0, 0, -1])
        #expect(read.replacedSamples == 3)
    }

    // MARK: - Headerless files

    private static let rawFiles: [(String, [UInt8], [Float])] = [
        ("s16", [0x00, 0x80, 0x01, 0x00], [-1, 1 / 32_768]),
        ("s24", [0x00, 0x00, 0x80, 0x01, 0x00, 0x00], [-1, 1 / 8_388_608]),
        ("s32", [0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x40], [-1, 0.5]),
        ("f32", [0x00, 0x00, 0x80, 0xBF, 0x00, 0x00, 0x00, 0x3F], [-1, 0.5]),
        ("f64", [0, 0, 0, 0, 0, 0, 0xF0, 0xBF, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F], [-1, 0.5]),
    ]

    @Test(arguments: rawFiles)
    func rawEncodings(token: String, bytes: [UInt8], values: [Float]) throws {
        let path = try directory.file("sound.raw", bytes)
        let mono = try readAll(path, raw: RawAudioFormat(parsing: "96000,\(token),1"))
        #expect(mono.samples == values)
        #expect(mono.format.container == .raw)
        #expect(mono.format.sampleRate == 96_000)
        let stereo = try AudioFileReader(path: path, raw: RawAudioFormat(parsing: "96000,\(token),2"))
        #expect(stereo.frames == 1)
    }

    @Test func rawReadsAHeaderAsSamples() throws {
        let path = try directory.file("plain.wav", WAVBytes(samples).bytes)
        #expect(try readAll(path, raw: RawAudioFormat(parsing: "44100,s16,1")).samples.count == 22 + 1_001)
    }

    @Test func emptyRawFile() throws {
        let path = try directory.file("empty.raw", [])
        #expect(try readAll(path, raw: RawAudioFormat(parsing: "44100,s16,1")).samples == [])
    }

    @Test(arguments: [
        "", "44100", "44100,s16", "44100,s16,1,2", "44100,u8,1", "x,s16,1", "44100,s16,x", "0,s16,1", "7999,s16,1",
        "192001,s16,1", "44100,s16,0", "44100,s16,65", "44100,s16,-1", "44100.5,s16,1", "99999999999999999999,s16,1",
    ])
    func rawFormatsThatMakeNoSense(text: String) {
        let error = failure { _ = try RawAudioFormat(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.code.exitStatus == 64)
    }

    @Test(arguments: [
        ("44100,s16", "2 of 3 parts"), ("x,s16,1", "the rate 'x'"), ("44100,u8,1", "the encoding 'u8'"),
        ("44100,s16,x", "the number of channels 'x'"), ("7999,s16,1", "7999.0 Hz"), ("44100,s16,65", "65 channels"),
    ])
    func rawFormatsSayWhichPartIsWrong(text: String, words: String) {
        let error = failure { _ = try RawAudioFormat(parsing: text) }
        #expect(error?.message.contains(words) == true)
    }
}
