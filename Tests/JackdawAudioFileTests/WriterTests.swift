import Foundation
import JackdawAudioFile
import JackdawTestSupport
import Testing

@Suite("Writing")
struct WriterTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    /// Half a step goes to the even neighbour, what is over the range to its end, what is no number to 0.
    @Test func rounding() throws {
        let step: Float = 1 / 32_768
        let samples: [Float] = [
            1, -1, 2, -2, 0.5 * step, 1.5 * step, -0.5 * step, -1.5 * step, 0.51 * step, .nan, .infinity, -.infinity,
            .greatestFiniteMagnitude, 32_767.4 * step, -32_768.6 * step,
        ]
        let expected: [Int16] = [
            32_767, -32_768, 32_767, -32_768, 0, 2, 0, -2, 1, 0, 0, 0, 32_767, 32_767, -32_768,
        ]
        for suffix in ["wav", "flac"] {
            let path = directory.path("sound." + suffix)
            try write(samples, to: path, encoding: .int16)
            #expect(try readAllInt16(path) == expected)
        }
        try write(samples, to: directory.path("f.wav"), encoding: .float32)
        let floats = try readAll(directory.path("f.wav"))
        #expect(floats.samples == samples.map { $0.isFinite ? $0 : 0 })
        #expect(floats.replacedSamples == 0)
    }

    /// The bytes of a 16-bit WAV file are those that its definition asks for, and nothing else.
    @Test func plainHeader() throws {
        let samples: [Int16] = [1, -2, 3, -4]
        var writer = try AudioFileWriter(path: directory.path("sound.wav"), sampleRate: 22_050, channels: 2)
        try writer.write(samples.span)
        try writer.finish()
        var wav = WAVBytes(samples)
        wav.rate = 22_050
        wav.channels = 2
        #expect(try directory.bytes("sound.wav") == wav.bytes)
    }

    @Test(arguments: [
        ("wav", AudioEncoding.int16), ("wav", .int24), ("wav", .float32), ("flac", .int16), ("flac", .int24),
    ])
    func theSameSamplesGiveTheSameFile(suffix: String, encoding: AudioEncoding) throws {
        let samples = randomInt16(count: 5_000, seed: 31).map { Float($0) / 32_768 }
        try write(samples, to: directory.path("a." + suffix), encoding: encoding)
        try write(samples, to: directory.path("b." + suffix), encoding: encoding)
        let (first, second) = (try directory.bytes("a." + suffix), try directory.bytes("b." + suffix))
        #expect(first == second)
        // The float header of libsndfile can hold the time of day, which two quick writes would not show.
        #expect(!first.prefix(200).indices.contains { Array(first[$0...].prefix(4)) == Array("PEAK".utf8) })
    }

    /// What was saved can be read while more is written, and when no more comes.
    @Test(arguments: [("wav", AudioEncoding.int24), ("wav", .float32), ("flac", .int24)])
    func savedSoundCanBeReadDuringTheRecording(suffix: String, encoding: AudioEncoding) throws {
        let samples = randomInt16(count: 20_000, seed: 37).map { Float($0) / 32_768 }
        let path = directory.path("sound." + suffix)
        /// What has no room in a block of a FLAC file yet is not there.
        func check(_ count: Int) throws {
            let read = try readAll(path)
            #expect(read.samples == Array(samples.prefix(read.samples.count)))
            #expect(suffix == "wav" ? read.samples.count == count : read.samples.count > count - 4_098)
            #expect(!read.isTruncated)
        }
        var writer = try AudioFileWriter(
            path: path, encoding: encoding, sampleRate: 44_100, channels: 1, predecessor: .isPrivateSound)
        for start in stride(from: 0, to: samples.count, by: 10_000) {
            try writer.write(samples[start..<start + 10_000].span)
            try writer.save()
            try check(start + 10_000)
        }
        _ = consume writer
        try check(samples.count)
        #expect(try directory.content == ["sound." + suffix])
    }

    /// The rules for what a recording may replace hold when it is put in its place, not only when it is begun.
    @Test(arguments: ["link", "readable", "other"])
    func filesThatAppearedAfterTheStartAreNotReplaced(kind: String) throws {
        let path = directory.path("sound.wav")
        var writer = try AudioFileWriter(
            path: path, encoding: .int16, sampleRate: 44_100, channels: 1, predecessor: .isPrivateSound)
        try writer.write(([0.5, -0.5] as [Float]).span)
        let others = try directory.file("others", Array("RIFF".utf8))
        switch kind {
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: others)
        case "readable":
            _ = try directory.file("sound.wav", Array("RIFF".utf8))
            try #require(unsafe chmod(path, 0o644) == 0)
        default:
            _ = try directory.file("sound.wav", Array("a key".utf8))
            try #require(unsafe chmod(path, 0o600) == 0)
        }
        let before = try directory.bytes("sound.wav")
        let error = #expect(throws: AudioFileError.self) { try writer.save() }
        #expect(error?.code == .io)
        _ = consume writer
        #expect(try directory.bytes("sound.wav") == before)
        #expect(try directory.bytes("others") == Array("RIFF".utf8))
        #expect(try directory.content.sorted() == ["others", "sound.wav"])
    }

    /// A file that its process holds open has a lock; one that a killed process left behind has none.
    @Test func temporaryFilesOfKilledProcessesAreRemoved() throws {
        let left = try directory.file(".jackdaw-aB3xYz", [1])
        let held = try directory.file(".jackdaw-000000", [2])
        let others = try [".jackdaw-toolong", ".jackdaw-abc", "jackdaw-aB3xYz"].map { try directory.file($0, [3]) }
        let descriptor = unsafe open(held, O_RDONLY)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        var writer = try AudioFileWriter(path: directory.path("sound.wav"), sampleRate: 44_100)
        #expect(!FileManager.default.fileExists(atPath: left))
        for path in [held] + others { #expect(FileManager.default.fileExists(atPath: path)) }
        // Its own is not taken for one that was left behind.
        let second = try AudioFileWriter(path: directory.path("other.wav"), sampleRate: 44_100)
        try writer.write([0.5].span)
        try writer.finish()
        #expect(try readAll(directory.path("sound.wav")).samples == [0.5])
        try second.finish()
    }

    @Test func theFileAppearsWhenItIsFinished() throws {
        let path = directory.path("sound.wav")
        var writer = try AudioFileWriter(path: path, sampleRate: 44_100)
        try writer.write([Int16](repeating: 1, count: 100_000).span)
        #expect(!FileManager.default.fileExists(atPath: path))
        try writer.finish()
        #expect(try directory.content == ["sound.wav"])
        #expect(try readAllInt16(path).count == 100_000)
    }

    @Test func givingUpLeavesNothing() throws {
        let path = try directory.file("old.wav", WAVBytes([1, 2, 3]).bytes)
        for name in ["new.wav", "new.flac", "old.wav"] {
            var writer = try AudioFileWriter(path: directory.path(name), sampleRate: 44_100)
            try writer.write([Int16](repeating: 1, count: 100_000).span)
        }
        #expect(try directory.content == ["old.wav"])
        #expect(try readAllInt16(path) == [1, 2, 3])
    }

    @Test func emptyFiles() throws {
        let path = directory.path("empty.wav")
        try AudioFileWriter(path: path, sampleRate: 44_100).finish()
        #expect(try readAll(path).samples == [])
        let error = failure { try AudioFileWriter(path: directory.path("empty.flac"), sampleRate: 44_100).finish() }
        #expect(error?.code == .invalidRequest)
        #expect(try directory.content == ["empty.wav"])
    }

    @Test func permissions() throws {
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
        }
        try write([0], to: directory.path("new.wav"), encoding: .int16)
        #expect(try mode("new.wav") == 0o600)
        let old = try directory.file("old.wav", [])
        unsafe chmod(old, 0o640)
        try write([0], to: old, encoding: .int16)
        #expect(try mode("old.wav") == 0o640)
    }

    @Test func symbolicLinksStay() throws {
        let target = try directory.file("target.wav", [])
        let link = directory.path("link.wav")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try write([0.5], to: link, encoding: .int16)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try readAll(target).samples == [0.5])
    }

    /// What is not a file is written to and never replaced.
    /// It is no other recording that is in the way.
    @Test func aNameThatTheSystemRefusesIsReportedWithItsReason() {
        let path = directory.path(String(repeating: "a", count: 300) + ".wav")
        let error = failure {
            _ = try AudioFileWriter(
                path: path, encoding: .int16, sampleRate: 8_000, channels: 1, predecessor: .isPrivateSound)
        }
        #expect(error?.code == .io)
        unsafe #expect(error?.underlying == String(cString: strerror(ENAMETOOLONG)))
    }

    @Test func fifo() throws {
        let path = directory.path("fifo.wav")
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let end = unsafe open(path, O_RDWR)
        defer { close(end) }
        try write([0.5, -0.5], to: path, encoding: .int16)
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = unsafe read(end, &bytes, bytes.count)
        #expect(Array(bytes.prefix(count)) == WAVBytes([16_384, -16_384]).bytes)
        #expect(try directory.content == ["fifo.wav"])
    }

    @Test func fullDevice() throws {
        let link = directory.path("full.wav")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        let error = failure { try write([0.5], to: link, encoding: .int16) }
        #expect(error?.code == .io)
        #expect(error?.code.exitStatus == 74)
        #expect(error?.underlying?.isEmpty == false)
        #expect(try directory.content == ["full.wav"])
    }

    @Test func standardOutput() async {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [0, 0]
            unsafe pipe(&ends)
            let output = dup(STDOUT_FILENO)
            dup2(ends[1], STDOUT_FILENO)
            close(ends[1])
            try write([0.5, -0.5], to: "-", encoding: .int16)
            dup2(output, STDOUT_FILENO)
            var bytes = [UInt8](repeating: 0, count: 1_000)
            let count = unsafe read(ends[0], &bytes, bytes.count)
            try #require(Array(bytes.prefix(count)) == WAVBytes([16_384, -16_384]).bytes)
        }
    }

    @Test func requestsThatCannotBe() {
        func error(
            _ name: String, _ encoding: AudioEncoding = .int16, rate: Double = 44_100, channels: Int = 1
        ) -> AudioFileError? {
            failure {
                _ = try AudioFileWriter(
                    path: directory.path(name), encoding: encoding, sampleRate: rate, channels: channels)
            }
        }
        let errors = [
            error("sound"), error("sound.mp3"), error("sound.wav.txt"), error("a.flac", .float32),
            error("a.wav", .float64), error("a.wav", .unsigned8), error("a.wav", rate: 0), error("a.wav", rate: 7_999),
            error("a.wav", rate: 192_001), error("a.wav", rate: .nan), error("a.wav", rate: .infinity),
            error("a.wav", rate: 44_100.5), error("a.wav", channels: 0), error("a.wav", channels: 65),
            error("a.flac", channels: 9), error("a.wav", channels: -1),
        ]
        for (index, error) in errors.enumerated() {
            #expect(error?.code == .invalidRequest, "request \(index)")
            #expect(error?.code.exitStatus == 64)
        }
        #expect(error("SOUND.WAV") == nil)
    }

    @Test func placesThatCannotBe() throws {
        try FileManager.default.createDirectory(atPath: directory.path("d.wav"), withIntermediateDirectories: false)
        for name in ["none/a.wav", "d.wav"] {
            let error = failure { _ = try AudioFileWriter(path: directory.path(name), sampleRate: 44_100) }
            #expect(error?.code == .io)
        }
    }
}
