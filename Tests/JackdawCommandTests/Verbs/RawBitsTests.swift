import Foundation
import JackdawBytes
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// `jackdaw demodulate` with bits without start and stop bits.
@Suite struct RawBitsTests {
    private static let text = Array("Raw bits, most significant first.".utf8)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        ["--mode", "bell202"], ["--mode", "v21"], ["--mode", "softmodem-1225"],
        ["--baud", "1200", "--mark", "1800", "--space", "3000"],
        ["--baud", "9600", "--mark", "5400", "--space", "13400"],
    ]) func bytesAreReadAgain(keying: [String]) throws {
        let options = keying + ["--framing", "raw"]
        let sound = try ChildProcess(["modulate", "-o", "-"] + options, input: Self.text)
        #expect(sound.status == 0, "\(sound.messages)")
        let read = try ChildProcess(["demodulate", "-"] + options, input: sound.output)
        #expect(read.status == 0, "\(read.messages)")
        #expect(read.output == Self.text)
        #expect(read.messages.contains(", \(8 * Self.text.count) bits, "))
        #expect(read.messages.split(separator: "\n").count == 1)
    }

    @Test func theObjectHasTheNumberOfBits() throws {
        var encoder = try FSKBitEncoder(.bell202, sampleRate: 48_000)
        var samples = [Float](repeating: 0, count: 4_000)
        let start = samples.count
        encoder.encode(Self.text.span, into: &samples)
        // Five bits of the last byte are not sent.
        samples.removeLast(samples.count - start - (8 * Self.text.count - 5) * 40)
        samples += [Float](repeating: 0, count: 8_000)
        try ModemSound.write([samples], to: folder("a.wav"), sampleRate: 48_000)
        let run = CommandRun(
            "demodulate", "--mode", "bell202", "--framing", "raw", "--json", folder("a.wav"))
        #expect(run.lines.count == 1)
        let line = try #require(run.lines.first)
        #expect(fieldNames(line).prefix(5) == ["start", "end", "mode", "bytes", "bits"])
        let object = try jsonObject(line)
        #expect(object["bits"] as? Int == 8 * Self.text.count - 5)
        let last = try #require(Self.text.last)
        #expect(object["bytes"] as? String == (Self.text.dropLast() + [last & 0b1110_0000]).lowercaseHexadecimal)
    }

    /// A byte never has bits of two bursts.
    @Test func burstsBeginWithAByte() throws {
        let mode = try LineMode(named: "bell103")
        guard case .frequencyShift(let shift, _) = mode.code else { return }
        var encoder = try FSKBitEncoder(shift, sampleRate: 8_000)
        var samples: [Float] = []
        for word in ["first burst", "second burst"] {
            encoder.idle(seconds: 0.4, into: &samples)
            let before = samples.count
            encoder.encode(Array(word.utf8).span, into: &samples)
            // The last three bits are cut off.
            samples.removeLast(Int(3 * 8_000.0 / shift.baud))
            #expect(samples.count > before)
        }
        encoder.idle(seconds: 0.4, into: &samples)
        try ModemSound.write([samples], to: folder("a.wav"), sampleRate: 8_000)
        let run = CommandRun("demodulate", "--mode", "bell103", "--framing", "RAW", "--json", folder("a.wav"))
        let objects = try run.lines.map(jsonObject)
        #expect(objects.compactMap { $0["bits"] as? Int } == [11 * 8 - 3, 12 * 8 - 3])
        let expected = ["first burst", "second burst"].map { word in
            (Array(word.utf8.dropLast()) + [Array(word.utf8)[word.utf8.count - 1] & 0xF8]).lowercaseHexadecimal
        }
        #expect(objects.compactMap { $0["bytes"] as? String } == expected)
    }

    @Test func rawBitsNeedAModeOfTwoTones() {
        for arguments in [[], ["--mode", "auto"], ["--mode", "unimag"]] {
            let run = CommandRun(["demodulate", "--framing", "raw", folder("a.wav")] + arguments)
            #expect(run.status == 64)
        }
        #expect(CommandRun("demodulate", "--framing", "raw", "a.wav").messages.contains("Raw bits need a --mode"))
    }

    @Test func bitsFillBytesFromTheMostSignificantPlace() {
        var packer = BitPacker()
        #expect(packer.finish() == nil)
        let bits: [UInt8] = [1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0]
        #expect(bits.compactMap { packer.add($0) } == [0xA5])
        #expect(packer.finish() == 0b1100_0000)
        #expect(packer.finish() == nil)
    }
}
