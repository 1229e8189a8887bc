import Foundation
@testable import JackdawAudioFile
import JackdawTestSupport
import Testing

@Suite("Hostile input")
struct HostileInputTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func openFailure(_ path: String) -> AudioFileError? {
        failure { _ = try AudioFileReader(path: path) }
    }

    @Test func missingFiles() {
        for path in [directory.path("none.wav"), directory.path("none/none.wav"), "", "a\0b", "/dev/null/x"] {
            let error = openFailure(path)
            #expect(error?.code == .notFound, "\(path)")
            #expect(error?.code.exitStatus == 66)
            #expect(error?.path == path)
        }
        let long = String(repeating: "x", count: 5_000)
        #expect(openFailure(long)?.code == .notFound)
    }

    @Test func directories() {
        #expect(openFailure(directory.path)?.code == .isDirectory)
        #expect(openFailure(directory.path)?.code.exitStatus == 66)
    }

    @Test func devices() {
        #expect(openFailure("/dev/null")?.code == .notReadable)
        #expect(openFailure("/dev/zero")?.code == .notReadable)
    }

    @Test func aFIFOWithoutAWriterIsNotReadable() {
        let path = directory.path("fifo")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(openFailure(path)?.code == .notReadable)
    }

    /// The tests may run as root, whom nothing is forbidden.
    @Test(arguments: [
        (EACCES, AudioFileError.Code.notReadable, Int32(66)), (EPERM, .notReadable, 66), (ENXIO, .notReadable, 66),
        (ENOENT, .notFound, 66), (ELOOP, .notFound, 66), (EMFILE, .io, 74), (EIO, .io, 74),
    ])
    func systemErrors(number: CInt, code: AudioFileError.Code, status: Int32) {
        let error = SoundInput.openFailure(number, path: "a.wav")
        #expect(error.code == code)
        #expect(error.code.exitStatus == status)
        #expect(error.description.hasPrefix("a.wav: "))
        #expect(error.underlying?.isEmpty == false)
    }

    @Test func notSound() throws {
        let contents: [[UInt8]] = [
            [], [0], Array("RIFF".utf8), Array("hello world, this is text\n".utf8), Array("%PDF-1.4".utf8),
            .init(repeating: 0, count: 10_000), .init(repeating: 0xFF, count: 10_000),
            Array("RIFF\u{4}\0\0\0AVI ".utf8), Array("FORM\0\0\0\u{4}8SVX".utf8),
        ]
        for content in contents {
            let error = openFailure(try directory.file("x.wav", content))
            #expect(error?.code == .notSound, "\(content.prefix(12))")
            #expect(error?.code.exitStatus == 65)
        }
    }

    @Test(arguments: [UInt32(0), 1, 7_999, 192_001, 4_000_000_000])
    func rates(rate: UInt32) throws {
        var wav = WAVBytes([1, 2, 3])
        wav.rate = rate
        let error = openFailure(try directory.file("rate.wav", wav.bytes))
        #expect(error?.code == .unsupportedRate)
        #expect(error?.refusedValue == Int(rate))
        #expect(error?.code.exitStatus == 65)
        // The other containers are read by libsndfile, which has limits of its own.
        let other = openFailure(try directory.file("rate.au", auBytes([1, 2, 3], rate: rate)))
        #expect(other?.code == .unsupportedRate || other?.code == .damaged)
    }

    @Test(arguments: [UInt16(0), 65, 1_000, 65_535])
    func channels(count: UInt16) throws {
        var wav = WAVBytes(.init(repeating: 0, count: 70_000))
        wav.channels = count
        wav.blockSize = count &* 2
        let error = openFailure(try directory.file("channels.wav", wav.bytes))
        #expect(error?.code == .unsupportedChannels)
        #expect(error?.refusedValue == Int(count))
        let other = openFailure(try directory.file("channels.au", auBytes([1, 2, 3], channels: UInt32(count))))
        #expect(other?.code == .unsupportedChannels || other?.code == .damaged)
    }

    @Test func sixtyFourChannelsAreRead() throws {
        var wav = WAVBytes(.init(repeating: 5, count: 640))
        wav.channels = 64
        #expect(try readAll(directory.file("64.wav", wav.bytes)).samples.count == 640)
    }

    @Test(arguments: [(UInt16(1), UInt16(0)), (1, 40), (1, 65_535), (3, 16), (3, 24), (6, 16), (7, 0)])
    func bitsThatCannotBe(tag: UInt16, bits: UInt16) throws {
        var wav = WAVBytes([1, 2, 3, 4])
        wav.formatTag = tag
        wav.bits = bits
        #expect(openFailure(try directory.file("bits.wav", wav.bytes))?.code == .damaged)
    }

    @Test func unknownEncodings() throws {
        var wav = WAVBytes([1, 2, 3, 4])
        wav.formatTag = 0x1234
        let error = openFailure(try directory.file("tag.wav", wav.bytes))
        #expect(error?.code == .unsupportedEncoding || error?.code == .damaged)
        #expect(error?.code.exitStatus == 65)
    }

    /// Every prefix of a file either opens or fails with a typed error.
    @Test func cutAnywhere() throws {
        let samples: [Int16] = [1, 2, 3, 4, 5]
        let flac = directory.path("whole.flac")
        try write(samples.map { Float($0) / 32_768 }, to: flac, encoding: .int16)
        var wav = WAVBytes(samples)
        wav.chunksBefore = riffChunk("LIST", [1, 2, 3])
        let files = [
            wav.bytes, auBytes(samples), aiffBytes(samples), cafBytes(samples), rifxBytes(samples),
            try directory.bytes("whole.flac"),
        ]
        for bytes in files {
            for length in 0..<bytes.count {
                let path = try directory.file("cut", Array(bytes.prefix(length)))
                do {
                    let read = try readAll(path)
                    #expect(read.samples == samples.prefix(read.samples.count).map { Float($0) / 32_768 })
                } catch let error as AudioFileError {
                    #expect(error.code.exitStatus == 65, "\(error)")
                }
            }
        }
        for length in wav.headerSize..<wav.bytes.count {
            let read = try readAll(directory.file("cut", Array(wav.bytes.prefix(length))))
            #expect(read.samples.count == (length - wav.headerSize) / 2)
            #expect(read.isTruncated)
        }
    }

    @Test func headersWithoutEnd() throws {
        var endless = Array(WAVBytes().bytes.prefix(36))
        for _ in 0..<10_000 { endless += riffChunk("junk", []) }
        #expect(openFailure(try directory.file("junk.wav", endless))?.code == .damaged)

        var far = Array(WAVBytes().bytes.prefix(36))
        far += Array("junk".utf8) + [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(openFailure(try directory.file("far.wav", far))?.code == .damaged)
    }

    @Test func messagesAreOneLine() throws {
        let errors = [
            openFailure(directory.path("none")), openFailure(directory.path), openFailure("/dev/null"),
            openFailure(try directory.file("empty", [])),
            openFailure(try directory.file("cut", Array("RIFF1234WAVE".utf8))),
            openFailure(try directory.file("cut.au", Array(".snd".utf8))),
        ]
        for error in errors {
            let text = try #require(error).description
            #expect(!text.contains("\n"))
            #expect(text.contains(": "))
        }
        #expect(try #require(openFailure("")).description.hasPrefix("(empty path): "))
    }
}
