import JackdawAudioFile
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// The same sound gives the same lines, whatever the format of the file.
@Suite struct InvarianceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A swipe for each tier and one that is cut short, rounded to 16 bits.
    private static func swipes() throws -> [Float] {
        let clean = try SwipeSound.render(TestCard.text(.one), .one, .init(sampleRate: 44_100))
        let noisy = try SwipeSound.render(
            TestCard.text(.two), .two, .init(sampleRate: 44_100, signalToNoise: 1, seed: 3))
        let samples = Array(clean[..<8_000]) + [Float](repeating: 0, count: 20_000) + clean + noisy
        return samples.map { ($0 * 32_767).rounded() / 32_768 }
    }

    /// The lines of `decode` for a file, without its name.
    private func lines(_ path: String, _ options: String...) throws -> [String] {
        let run = CommandRun(["decode", "--json", "--failures", "--bits", "--reveal"] + options + [path])
        #expect(run.status == 0 && run.messages.isEmpty)
        return run.lines.map { $0.replacing(path, with: "") }
    }

    @Test func fileFormatMakesNoDifference() throws {
        let samples = try Self.swipes()
        var results: [[String]] = []
        for (name, encoding) in [
            ("s16.wav", AudioEncoding.int16), ("s24.wav", .int24), ("f32.wav", .float32), ("s16.flac", .int16),
            ("s24.flac", .int24),
        ] {
            var writer = try AudioFileWriter(path: folder(name), encoding: encoding, sampleRate: 44_100)
            try writer.write(samples.span)
            try writer.finish()
            results.append(try lines(folder(name)))
        }
        let first = try #require(results.first)
        #expect(first.count { $0.contains("\"tier\":\"fast\"") } == 1)
        #expect(first.count { $0.contains("\"tier\":\"strong\"") } == 1)
        #expect(first.count { $0.contains("\"failure\":") } == 1)
        for result in results { #expect(result == first) }
    }

    @Test func samplesWithoutAHeaderMakeNoDifference() throws {
        let samples = try Self.swipes()
        var writer = try AudioFileWriter(path: folder("a.wav"), sampleRate: 44_100)
        try writer.write(samples.span)
        try writer.finish()
        let expected = try lines(folder("a.wav"))

        let integers = samples.map { Int32($0 * 32_768) }
        let contents: [(String, [UInt8])] = [
            ("s16", integers.flatMap { bytes(UInt64(truncatingIfNeeded: $0), 2) }),
            ("s24", integers.flatMap { bytes(UInt64(truncatingIfNeeded: $0 << 8), 3) }),
            ("s32", integers.flatMap { bytes(UInt64(truncatingIfNeeded: $0 << 16), 4) }),
            ("f32", samples.flatMap { bytes(UInt64($0.bitPattern), 4) }),
            ("f64", samples.flatMap { bytes(Double($0).bitPattern, 8) }),
        ]
        for (name, content) in contents {
            let path = try folder.write(content, to: name)
            #expect(try lines(path, "--raw", "44100,\(name),1") == expected, "\(name)")
        }
    }

    /// The lines of a channel are the same alone and among others.
    @Test func channelsDoNotDisturbEachOther() throws {
        let swipes = try Self.swipes()
        var random = SeededRandom(seed: 1)
        let noise = swipes.map { _ in Float.random(in: -0.5...0.5, using: &random) }
        try SwipeSound.write([swipes], to: folder("one.wav"), sampleRate: 44_100)
        try SwipeSound.write([noise, swipes, noise], to: folder("three.flac"), sampleRate: 44_100)
        let alone = try lines(folder("one.wav"))
        let among = try lines(folder("three.flac"), "--channel", "2")
        #expect(among.map { $0.replacing("\"channel\":2", with: "\"channel\":1") } == alone)
    }

    private func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
