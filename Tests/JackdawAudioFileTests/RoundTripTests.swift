import JackdawAudioFile
import JackdawTestSupport
import Testing

@Suite("Round trips")
struct RoundTripTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test(arguments: ["wav", "flac"], [AudioEncoding.int16, .int24])
    func sixteenBitSamplesAreKeptExactly(suffix: String, encoding: AudioEncoding) throws {
        let path = directory.path("sound." + suffix)
        let samples = randomInt16(count: 50_000, seed: 1)
        var writer = try AudioFileWriter(path: path, encoding: encoding, sampleRate: 48_000)
        try writer.write(samples.span)
        #expect(writer.framesWritten == 50_000)
        try writer.finish()

        let read = try readAll(path)
        #expect(read.format.encoding == encoding)
        #expect(read.format.sampleRate == 48_000)
        #expect(read.samples == samples.map { Float($0) / 32_768 })
        if encoding == .int16 { #expect(try readAllInt16(path) == samples) }

        // Read as floating point and written again, every value comes back.
        let again = directory.path("again." + suffix)
        try write(read.samples, to: again, encoding: encoding)
        #expect(try readAll(again).samples == read.samples)
    }

    @Test(arguments: ["wav", "flac"])
    func twentyFourBitSamplesAreKeptExactly(suffix: String) throws {
        var random = SeededRandom(seed: 2)
        let integers: [Int32] =
            [-8_388_608, 8_388_607, 0, -1, 1]
            + (0..<50_000).map { _ in .random(in: -8_388_608...8_388_607, using: &random) }
        let samples = integers.map { Float($0) / 8_388_608 }
        let path = directory.path("sound." + suffix)
        try write(samples, to: path, encoding: .int24)
        #expect(try readAll(path).samples == samples)
    }

    @Test func floatingPointSamplesAreKeptExactly() throws {
        var random = SeededRandom(seed: 3)
        let samples: [Float] =
            [1, -1, 0, -0.0, 1.5, -12_345, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne]
            + (0..<50_000).map { _ in .random(in: -1...1, using: &random) }
        let path = directory.path("sound.wav")
        try write(samples, to: path, encoding: .float32)
        let read = try readAll(path)
        #expect(read.samples.map(\.bitPattern) == samples.map(\.bitPattern))
        #expect(read.replacedSamples == 0)
    }

    @Test(arguments: [1, 2, 3, 8])
    func flacAndWAVHoldTheSameSamples(channels: Int) throws {
        let samples = randomInt16(count: 2_000 * channels, seed: 4).map { Float($0) / 32_768 }
        for encoding in [AudioEncoding.int16, .int24] {
            let (wav, flac) = (directory.path("\(encoding).wav"), directory.path("\(encoding).flac"))
            try write(samples, to: wav, encoding: encoding, sampleRate: 8_000, channels: channels)
            try write(samples, to: flac, encoding: encoding, sampleRate: 8_000, channels: channels)
            let (fromWAV, fromFLAC) = (try readAll(wav), try readAll(flac))
            #expect(fromWAV.samples == fromFLAC.samples)
            #expect(fromWAV.samples == samples)
            #expect(fromFLAC.format.container == .flac)
            #expect(fromFLAC.format.channels == channels)
            #expect(fromFLAC.format.sampleRate == 8_000)
        }
    }

    /// The same file in blocks of 1, 7 and 240 frames and in one piece.
    @Test(arguments: [
        ("wav", AudioEncoding.int16), ("flac", .int16), ("wav", .int24), ("flac", .int24), ("wav", .float32),
    ])
    func blockSizeMakesNoDifference(suffix: String, encoding: AudioEncoding) throws {
        for channels in [1, 2, 5] {
            let frames = 5_003
            let samples = randomInt16(count: frames * channels, seed: 5)
            let path = directory.path("\(channels).\(suffix)")
            let floats = samples.map { Float($0) / 32_768 }
            try write(floats, to: path, encoding: encoding, channels: channels)
            for blockFrames in [1, 7, 240, frames, frames + 40_000] {
                let read = try readAll(path, blockFrames: blockFrames)
                #expect(read.samples == floats, "\(channels) channels, \(blockFrames) frames")
                #expect(try readChannels(path, blockFrames: blockFrames) == split(samples, channels))
                guard encoding == .int16 else { continue }
                #expect(try readAllInt16(path, blockFrames: blockFrames) == samples)
                #expect(try readChannelsInt16(path, blockFrames: blockFrames) == split(samples, channels))
            }
        }
    }

    @Test func piecesWrittenMakeNoDifference() throws {
        let samples = randomInt16(count: 40_000, seed: 6).map { Float($0) / 32_768 }
        for suffix in ["wav", "flac"] {
            try write(samples, to: directory.path("whole." + suffix), encoding: .int16, channels: 2)
            var writer = try AudioFileWriter(path: directory.path("pieces." + suffix), sampleRate: 44_100, channels: 2)
            var start = 0
            for size in [2, 14, 480, 39_504] {
                try writer.write(samples.span.extracting(start..<start + size))
                start += size
            }
            try writer.finish()
            #expect(try directory.bytes("pieces." + suffix) == directory.bytes("whole." + suffix))
        }
    }

    private func readChannels(_ path: String, blockFrames: Int) throws -> [[Float]] {
        var reader = try AudioFileReader(path: path)
        var block = AudioBlock<Float>(channels: reader.format.channels, capacity: blockFrames)
        var channels = [[Float]](repeating: [], count: block.channels)
        while try reader.read(into: &block) > 0 {
            for channel in channels.indices {
                block.withChannel(channel) { for index in $0.indices { channels[channel].append($0[index]) } }
            }
        }
        #expect(block.frames == 0)
        #expect(reader.framesRead == channels[0].count)
        return channels
    }

    private func readChannelsInt16(_ path: String, blockFrames: Int) throws -> [[Float]] {
        var reader = try AudioFileReader(path: path)
        var block = AudioBlock<Int16>(channels: reader.format.channels, capacity: blockFrames)
        var channels = [[Float]](repeating: [], count: block.channels)
        while try reader.read(into: &block) > 0 {
            for channel in channels.indices {
                block.withChannel(channel) { samples in
                    for index in samples.indices { channels[channel].append(Float(samples[index]) / 32_768) }
                }
            }
        }
        return channels
    }

    private func split(_ samples: [Int16], _ channels: Int) -> [[Float]] {
        (0..<channels).map { channel in
            stride(from: channel, to: samples.count, by: channels).map { Float(samples[$0]) / 32_768 }
        }
    }
}
