import Foundation
import Testing

@testable import jackdaw_benchmark

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct ByteAlignmentTests {
    @Test(arguments: [
        ("abcdef", "abcdef", 0, 0, 0, 0), ("abcdef", "abxdef", 1, 0, 0, 4), ("abcdef", "abdef", 0, 1, 0, 0),
        ("abcdef", "abcxdef", 0, 0, 1, 0), ("abcdef", "", 0, 6, 0, 0), ("", "abc", 0, 0, 3, 0), ("", "", 0, 0, 0, 0),
        ("abcdef", "bcdefg", 0, 1, 1, 0), ("aa", "bbb", 2, 0, 1, 4),
    ])
    func explainsWithTheFewestErrors(
        sent: String, read: String, substituted: Int, missing: Int, inserted: Int, wrongBits: Int
    ) {
        let alignment = ByteAlignment(sent: bytes(sent), read: bytes(read))
        #expect(alignment.sent == sent.utf8.count)
        #expect(alignment.substituted == substituted)
        #expect(alignment.missing == missing)
        #expect(alignment.inserted == inserted)
        #expect(alignment.wrongBits == wrongBits)
    }

    /// The cost in full, without a band.
    private static func distance(_ sent: [UInt8], _ read: [UInt8]) -> Int {
        var costs = Array(0...read.count)
        for row in sent {
            let above = costs
            costs[0] += 1
            for (column, byte) in read.enumerated() {
                costs[column + 1] = min(above[column] + (byte == row ? 0 : 1), above[column + 1] + 1, costs[column] + 1)
            }
        }
        return costs.last ?? 0
    }

    /// A piece lost in front and noise after it leave the first band, and the result is the same.
    @Test(arguments: [0, 10, 70, 150, 400])
    func theBandIsWideEnough(lost: Int) {
        // Steps of two primes: no piece of one looks like another, nor like the other one.
        let sent = (0..<500).map { UInt8(truncatingIfNeeded: $0 * $0 * 31 + $0 * 7 >> 3) }
        let noise = (0..<lost).map { UInt8(truncatingIfNeeded: $0 * $0 * 17 + $0 * 5 >> 2) }
        let read = Array(sent.dropFirst(lost)) + noise
        let alignment = ByteAlignment(sent: sent, read: read)
        #expect(alignment.substituted + alignment.missing + alignment.inserted == Self.distance(sent, read))
        #expect(sent.count - alignment.missing + alignment.inserted == read.count)
    }

    @Test func sharesCountMissingBytesAsHalfWrong() {
        // a (0x61) was read as x (0x78): three bits; c is missing.
        let alignment = ByteAlignment(sent: bytes("abcd"), read: bytes("xbd"))
        #expect(alignment.byteError == 0.5)
        #expect(alignment.bitError == 7.0 / 32)
        #expect(ByteAlignment().byteError == nil)
        #expect((alignment + alignment).byteError == 0.5)
        #expect((alignment + alignment).sent == 8)
    }
}

@Suite struct ModemTableTests {
    private func entry(_ family: String, _ condition: String, _ reader: String, sent: String, read: String)
        -> ModemTables.Entry
    {
        ModemTables.Entry(
            family: family, condition: condition, reader: reader, seconds: 90,
            alignment: ByteAlignment(sent: bytes(sent), read: bytes(read)))
    }

    @Test func curvesHaveALineAReader() {
        let tables = ModemTables([
            entry("bell202", "8dB", "Jackdaw", sent: "abcd", read: "abcd"),
            entry("bell202", "8dB", "minimodem", sent: "abcd", read: "abzd"),
            entry("bell202", "10dB", "Jackdaw", sent: "abcd", read: "abcd"),
            entry("bell202", "10dB", "minimodem", sent: "abcd", read: "abcdef"),
        ])
        #expect(tables.markdown.contains("| mode | reader | 8dB | 10dB | 1 % at |"))
        #expect(tables.markdown.contains("| bell202 | Jackdaw | 0 | 0 | < 8.0 dB |"))
        #expect(tables.markdown.contains("| bell202 | minimodem | .2500 | 0 |"))
        #expect(tables.markdown.contains("| bell202 | minimodem | 0 | 2 |"))
    }

    @Test func impairmentsHaveALineEach() {
        let tables = ModemTables([
            entry("bell202", "hum-2x", "Jackdaw", sent: "abcd", read: "abcd"),
            entry("fsk9600", "hum-2x", "Jackdaw", sent: "abcd", read: ""),
            entry("fsk9600", "hum-2x", "minimodem", sent: "abcd", read: "abcd"),
        ])
        #expect(tables.markdown.contains("| condition | bell202, Jackdaw | fsk9600, Jackdaw | fsk9600, minimodem |"))
        #expect(tables.markdown.contains("| hum-2x | 0 | 1.0000 | 0 |"))
    }

    @Test func noiseGivesBytesAMinute() {
        let tables = ModemTables([
            entry("bell202", "white noise", "Jackdaw", sent: "", read: ""),
            entry("bell202", "white noise", "minimodem", sent: "", read: "abc"),
        ])
        #expect(tables.markdown.contains("| bell202 | white noise | 1.5 | 0.0 | 2.0 |"))
    }

    @Test func wholeWordsInTheBytesAreCounted() {
        let read = bytes("xWebJackWebJac WebJack")
        let counts = ["clean", "10dB"].map { condition in
            ModemTables.Entry(
                family: "webjack", condition: condition, reader: "Jackdaw", seconds: 1, alignment: ByteAlignment(),
                words: .init(of: "WebJack", in: condition == "clean" ? read : [], sent: 3))
        }
        #expect(ModemTables(counts + counts).markdown.contains("| webjack | Jackdaw | 4/6 | 0/6 |"))
    }

    @Test func framesCountAsAWhole() {
        let read = [[1, 2, 3], [0, 1, 2, 3, 9], [1, 2, 0, 3], []] as [[UInt8]]
        let entries = read.map {
            ModemTables.Entry(
                family: "unimag", condition: "9dB", reader: "Jackdaw", seconds: 1, alignment: ByteAlignment(),
                frames: .init(ofFrame: [1, 2, 3], in: $0))
        }
        #expect(ModemTables(entries).markdown.contains("| unimag | Jackdaw | .5000 |"))
    }

    @Test func crossingsLieBetweenThePoints() throws {
        let points = [(6.0, 0.1), (8.0, 0.001), (10.0, 0.0)]
        let crossing = try #require(ModemTables.crossing(points.map { (decibels: $0.0, error: $0.1) }, at: 0.01))
        #expect(abs(crossing.decibels - 7) < 1e-9)
        #expect(!crossing.isLower)
        // What rises again does not count.
        let floor = [(decibels: 6.0, error: 0.001), (decibels: 8.0, error: 0.02)]
        #expect(ModemTables.crossing(floor, at: 0.01) == nil)
    }
}

@Suite struct ModemReaderTests {
    @Test(
        arguments: [
            ("a[0x1F]b", [97, 31, 98]), ("[0x", [91, 48, 120]), ("[0xZZ]", [91, 48, 120, 90, 90, 93]), ("", []),
            ("[0x00][0xFF]", [0, 255]),
        ] as [(String, [UInt8])])
    func bytesComeOutOfText(text: String, expected: [UInt8]) {
        #expect(ModemReader.unescaped(bytes(text)) == expected)
    }

    @Test func programsAreFoundOrNot() throws {
        #expect(ChildProgram.find("no-such-program") == nil)
        #expect(ChildProgram.find("/no/such/program") == nil)
        let shell = try #require(ChildProgram.find("sh"))
        let run = try ChildProgram(shell, ["-c", "printf 'a\\000b'"])
        #expect(run.output == [97, 0, 98])
        #expect(throws: CorpusError.self) { try ChildProgram(shell, ["-c", "exit 3"]) }
        #expect(try ChildProgram(shell, ["-c", "exit 1"], accepted: [0, 1]).output.isEmpty)
    }

    @Test func bytesOfManifestsAreRead() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manifest = folder.appending(path: "manifest.json")
        let line = """
            {"path": "a.wav", "cell": "bell202/7.5dB", "mode": "bell202", "baud": 1200, "mark": 1200, "space": 2200,
             "rate": 48000, "ebn0": 7.5, "impairment": "none", "bytes": "%@"}
            """
        try Data("[\(line.replacing("%@", with: "00fF1a"))]".utf8).write(to: manifest)
        let read = try #require(modemRecordings(ofManifest: manifest.path).first)
        #expect(read.bytes == [0, 255, 26])
        #expect(read.family == "bell202")
        #expect(read.condition == "7.5dB")
        #expect(read.path == folder.appending(path: "a.wav").path)
        // Without a cell the folder and the noise are the condition.
        let bare = line.replacing("\"cell\": \"bell202/7.5dB\", ", with: "").replacing("%@", with: "")
        try Data("[\(bare)]".utf8).write(to: manifest)
        #expect(try modemRecordings(ofManifest: manifest.path).first?.cell == "\(folder.lastPathComponent)/7.5dB")
        try Data("[\(line.replacing("%@", with: "0g"))]".utf8).write(to: manifest)
        #expect(throws: CorpusError.self) { try modemRecordings(ofManifest: manifest.path) }
    }
}
