import JackdawTestSupport
import Testing

@testable import JackdawALSA

/// A file of saved levels is read as it was written, or refused with what is wrong.
@Suite struct MixerStateRecordTests {
    private static let writer = ProcessIdentity(
        process: 1_234, startTime: .max, boot: "4c7c65b2-3f2c-4c0f-8d6c-5a1b7ad6ce10")

    private static func setting(
        _ name: String, _ values: [Int: Int] = [0: 1], kind: MixerState.Setting.Kind = .volume, index: Int = 0
    ) -> MixerState.Setting {
        MixerState.Setting(name: name, index: index, direction: .capture, kind: kind, values: values)
    }

    private static let usual = MixerStateRecord(
        writer: writer,
        state: MixerState(settings: [
            setting("Capture", [0: -31, 1: .max, 31: .min]), setting("Capture", [0: 1, 1: 0], kind: .toggle),
            setting("Input Source", [0: 3], kind: .choice, index: 1), setting("Mic Boost (+20dB)"),
        ]))

    private static func parse(_ text: String) -> MixerStateError? {
        do throws(MixerStateError) {
            _ = try MixerStateRecord(parsing: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func aRecordIsReadAsItWasWritten() throws {
        #expect(try MixerStateRecord(parsing: Self.usual.bytes) == Self.usual)
        let empty = MixerStateRecord(writer: nil, state: MixerState())
        #expect(try MixerStateRecord(parsing: empty.bytes) == empty)
    }

    @Test(arguments: ["Größe", "a%41", "two  spaces ", " ", "line\nline", "\u{7F}\u{1}", "%", "マイク"])
    func anyNameIsKept(name: String) throws {
        let record = MixerStateRecord(writer: nil, state: MixerState(settings: [Self.setting(name)]))
        #expect(try MixerStateRecord(parsing: record.bytes) == record)
    }

    @Test func aPartOfARecordIsRefused() {
        let bytes = Self.usual.bytes
        for length in 0..<bytes.count {
            #expect(throws: MixerStateError.self) { try MixerStateRecord(parsing: Array(bytes[..<length])) }
        }
    }

    /// Bytes that were damaged make a record that is refused, or one that is written as it was read.
    @Test func damagedRecordsAreRefusedOrWrittenAsRead() throws {
        var random = SeededRandom(seed: 4)
        for _ in 0..<20_000 {
            var bytes = Self.usual.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
                }
            }
            guard let record = try? MixerStateRecord(parsing: bytes) else { continue }
            #expect(try MixerStateRecord(parsing: record.bytes) == record)
        }
    }

    @Test func noiseIsRefused() {
        var random = SeededRandom(seed: 5)
        for length in [0, 1, 100, 65_536, 65_537] {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: MixerStateError.self) { try MixerStateRecord(parsing: bytes) }
        }
    }

    @Test func hugeFilesAreRefused() {
        let line = "volume capture 0 0=1 Capture"
        func file(_ lines: [String]) -> String {
            (["jackdaw mixer 1", "writer none"] + lines + ["end \(lines.count + 2)"]).joined(separator: "\n") + "\n"
        }
        #expect(Self.parse(file([line])) == nil)
        #expect(Self.parse(file((0..<256).map { "volume capture \($0) 0=1 A" })) == nil)
        #expect(Self.parse(file((0..<257).map { "volume capture \($0) 0=1 A" }))?.message == "more than 256 settings")
        #expect(Self.parse(String(repeating: "a", count: 1 << 20))?.message == "more than 65536 bytes")
        #expect(Self.parse(file(["volume capture 0 0=1 " + String(repeating: "A", count: 128)])) == nil)
        #expect(Self.parse(file(["volume capture 0 0=1 " + String(repeating: "A", count: 129)]))?.line == 3)
    }

    @Test(arguments: [
        "volume capture 0 0=1", "volume capture 0 0=1 ", "volume sideways 0 0=1 A", "gain capture 0 0=1 A",
        "volume capture -1 0=1 A", "volume capture 2147483648 0=1 A", "volume capture 0 32=1 A",
        "volume capture 0 -1=1 A", "volume capture 0 0=1,0=2 A", "volume capture 0 0=9223372036854775808 A",
        "volume capture 0 0 A", "volume capture 0 0=1=2 A", "volume capture 0 0=1, A", "volume capture 0  A",
        "toggle capture 0 0=2 A", "toggle capture 0 0=-1 A", "choice capture 0 0=-1 A",
        "choice capture 0 0=2147483648 A", "volume capture 0 0=1 A%", "volume capture 0 0=1 A%4",
        "volume capture 0 0=1 A%zz", "volume capture 0 0=1 A%+1", "volume capture 0 0=1 A%00",
        "volume capture 0 0=1 %ff", "volume  capture 0 0=1 A", "",
    ])
    func linesThatAreNoSettingsAreRefused(line: String) {
        let error = Self.parse("jackdaw mixer 1\nwriter none\n\(line)\nend 3\n")
        #expect(error?.code == .setting)
        #expect(error?.line == 3)
    }

    @Test func otherLinesAreRefusedByName() {
        let line = "volume capture 0 0=1 A"
        #expect(Self.parse("jackdaw mixer 2\nwriter none\nend 2\n")?.line == 1)
        #expect(Self.parse("jackdaw mixer 1\nend 1\n")?.line == 2)
        #expect(Self.parse("jackdaw mixer 1\nwriter none\n\(line)\nend 2\n")?.line == 4)
        let second = Self.parse("jackdaw mixer 1\nwriter none\n\(line)\n\(line)\nend 4\n")
        #expect(second?.code == .duplicate)
        #expect(second?.line == 4)
        for writer in [
            "writer", "writer 0 1 b", "writer -5 1 b", "writer 1 -1 b", "writer 1 1 ", "writer 1 1", "writer 1 1 b c",
        ] {
            #expect(Self.parse("jackdaw mixer 1\n\(writer)\nend 2\n")?.code == .writer)
        }
        #expect(MixerStateError(.setting, line: 3, message: "m").description == "line 3: m")
        #expect(MixerStateError(.file, line: 0, message: "m").description == "m")
    }
}
