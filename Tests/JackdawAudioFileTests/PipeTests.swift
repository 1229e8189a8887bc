import Foundation
import Glibc
import JackdawAudioFile
import JackdawTestSupport
import Testing

/// FIFOs hold 64 KiB, so a test can write first and read then, alone.
@Suite("Pipes")
struct PipeTests {
    let directory: TestDirectory
    let samples = randomInt16(count: 10_000, seed: 21)
    var floats: [Float] { samples.map { Float($0) / 32_768 } }

    init() throws { directory = try TestDirectory() }

    /// A FIFO whose writer has come, written and gone.
    private func withFIFO<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let path = directory.path("fifo")
        unsafe unlink(path)
        unsafe try #require(mkfifo(path, 0o600) == 0)
        let (reader, writer) = unsafe (open(path, O_RDONLY | O_NONBLOCK), open(path, O_WRONLY))
        defer { close(reader) }
        unsafe try #require(write(writer, bytes, bytes.count) == bytes.count)
        close(writer)
        return try body(path)
    }

    @Test func wav() throws {
        var wav = WAVBytes(samples)
        wav.chunksBefore = riffChunk("LIST", .init(repeating: 9, count: 5_001))
        wav.trailer = riffChunk("LIST", .init(repeating: 1, count: 100))
        let read = try withFIFO(wav.bytes) { try readAll($0, blockFrames: 240) }
        #expect(read.samples == floats)
        #expect(!read.isTruncated)
        #expect(read.format.encoding == .int16)
    }

    @Test func wavOfUnknownLength() throws {
        var wav = WAVBytes(samples)
        wav.claimedDataSize = .max
        wav.claimedRIFFSize = .max
        let read = try withFIFO(wav.bytes) { path in
            #expect(try AudioFileReader(path: path).frames == nil)
            return try withFIFO(wav.bytes) { try readAll($0) }
        }
        #expect(read.samples == floats)
        #expect(!read.isTruncated)
    }

    @Test func truncatedWAV() throws {
        var wav = WAVBytes(samples)
        wav.claimedDataSize = 50_000
        let read = try withFIFO(wav.bytes) { try readAll($0) }
        #expect(read.samples == floats)
        #expect(read.isTruncated)
    }

    /// A live recording is read as it comes, before its writer has finished.
    @Test func aWAVThatIsStillWrittenIsRead() throws {
        let path = directory.path("live")
        unsafe try #require(mkfifo(path, 0o600) == 0)
        let writer = unsafe open(path, O_RDWR)
        defer { close(writer) }
        var wav = WAVBytes(samples)
        wav.claimedDataSize = .max
        unsafe try #require(write(writer, wav.bytes, wav.bytes.count) == wav.bytes.count)
        var reader = try AudioFileReader(path: path)
        var block = AudioBlock<Int16>(channels: 1, capacity: 5_000)
        #expect(try reader.read(into: &block) == 5_000)
        block.withChannel(0) { for index in $0.indices { #expect($0[index] == samples[index]) } }
    }

    /// More than fits a FIFO comes piece by piece, and a reader that is ahead of the writer waits.
    @Test func slowWriters() throws {
        let path = directory.path("slow")
        unsafe try #require(mkfifo(path, 0o600) == 0)
        let writer = unsafe open(path, O_RDWR)
        let many = [[Int16]](repeating: samples, count: 20).flatMap { $0 }
        let bytes = WAVBytes(many).bytes
        unsafe try #require(write(writer, bytes, 44) == 44)
        Thread.detachNewThread {
            for start in stride(from: 44, to: bytes.count, by: 999) {
                let piece = Array(bytes[start..<min(start + 999, bytes.count)])
                _ = unsafe Glibc.write(writer, piece, piece.count)
            }
            close(writer)
        }
        #expect(try readAllInt16(path, blockFrames: 240) == many)
    }

    /// A pipe is waited for as long as that is wanted: before its header, within it, and between its samples.
    @Test(.timeLimit(.minutes(30))) func silentWriters() throws {
        let bytes = WAVBytes(samples).bytes
        for count in [0, 1, 20] {
            let path = directory.path("silent \(count)")
            unsafe try #require(mkfifo(path, 0o600) == 0)
            let writer = unsafe open(path, O_RDWR)
            defer { close(writer) }
            unsafe try #require(write(writer, bytes, count) == count)
            var questions = 0
            let error = #expect(throws: AudioFileError.self) {
                try AudioFilePort(path: path) {
                    questions += 1
                    return questions < 3
                }
            }
            #expect(error?.code == .cancelled)
            #expect(questions == 3)
        }
        let path = directory.path("between")
        unsafe try #require(mkfifo(path, 0o600) == 0)
        let writer = unsafe open(path, O_RDWR)
        // The header, one frame, and half of the next one.
        unsafe try #require(write(writer, bytes, 47) == 47)
        let port = try AudioFilePort(path: path)
        var heard: [Float] = []
        func receive() throws -> Bool {
            try port.receive(within: .zero) { _, sound in for index in sound.indices { heard.append(sound[index]) } }
        }
        #expect(try receive())
        #expect(heard == [floats[0]])
        #expect(try !receive())
        unsafe try #require(write(writer, Array(bytes[47..<50]), 3) == 3)
        #expect(try receive())
        #expect(heard == Array(floats[..<3]))
        close(writer)
        // The end is handed over once.
        #expect(try receive())
        #expect(try !receive())
        #expect(heard.count == 3)
    }

    @Test func raw() throws {
        let format = try RawAudioFormat(parsing: "44100,s16,1")
        let read = try withFIFO(WAVBytes(samples).data) { try readAll($0, raw: format) }
        #expect(read.samples == floats)
    }

    /// These cannot be read front to back, or not with certainty.
    @Test func formatsThatArePutAside() throws {
        let flac = directory.path("sound.flac")
        try write(floats, to: flac, encoding: .int16)
        let files = try [
            directory.bytes("sound.flac"), aiffBytes(samples), auBytes(samples), cafBytes(samples), rifxBytes(samples),
        ]
        for bytes in files {
            #expect(try withFIFO(bytes) { try readAll($0).samples } == floats)
        }
    }

    @Test func hostileContent() throws {
        let contents: [([UInt8], AudioFileError.Code)] = [
            (Array("hello".utf8), .notSound), (Array(WAVBytes().bytes.prefix(30)), .damaged),
            (Array(WAVBytes().bytes.prefix(36)), .damaged),
            (Array("fLaC".utf8) + .init(repeating: 0x55, count: 100), .damaged),
            (Array(WAVBytes().bytes.prefix(36)) + Array("junk".utf8) + [0xFF, 0xFF, 0xFF, 0x7F], .damaged),
        ]
        for (bytes, code) in contents {
            let error = try withFIFO(bytes) { path in failure { _ = try AudioFileReader(path: path) } }
            #expect(error?.code == code, "\(String(describing: error))")
        }
    }

    @Test func standardInput() async {
        await #expect(processExitsWith: .success) {
            let directory = try TestDirectory()
            let samples = randomInt16(count: 10_000, seed: 21)
            let path = try directory.file("sound.wav", WAVBytes(samples).bytes)
            // A file, and a file from which a part has been read.
            let file = unsafe open(path, O_RDONLY)
            dup2(file, STDIN_FILENO)
            try #require(try readAllInt16("-") == samples)
            lseek(file, 100, SEEK_SET)
            try #require(try readAllInt16("-") == samples)
            // A pipe, non-blocking as its maker left it.
            var ends: [CInt] = [0, 0]
            unsafe pipe(&ends)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let bytes = WAVBytes(samples).bytes
            unsafe try #require(write(ends[1], bytes, bytes.count) == bytes.count)
            close(ends[1])
            dup2(ends[0], STDIN_FILENO)
            try #require(try readAllInt16("-") == samples)
        }
    }
}
