import Foundation
import JackdawBytes
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// The measures of `inspect` for synthetic sound with known values, each by itself and all together.
@Suite struct InspectTruthTests {
    private static let rate = 48_000.0
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tone(_ frequency: Double, _ level: Double, seconds: Double = 3) -> [Float] {
        let amplitude = pow(10, level / 20)
        return (0..<Int(seconds * Self.rate)).map {
            Float(amplitude * sin(2 * .pi * frequency * Double($0) / Self.rate))
        }
    }

    /// White noise of an RMS level in dBFS.
    private func noise(_ level: Double, count: Int, seed: UInt64 = 1) -> [Float] {
        var noise = GaussianNoise(seed: seed)
        let deviation = pow(10, level / 20) / 2.0.squareRoot()
        return (0..<count).map { _ in Float(deviation * noise.next()) }
    }

    private func sum(_ parts: [Float]...) -> [Float] {
        let count = parts.map(\.count).max() ?? 0
        return (0..<count).map { index in parts.reduce(0) { $0 + (index < $1.count ? $1[index] : 0) } }
    }

    private func inspected(_ samples: [Float]) throws -> (object: [String: Any], lines: [String]) {
        try ModemSound.write([samples], to: folder("a.wav"), sampleRate: Self.rate)
        let object = try jsonObject(try #require(CommandRun("inspect", "--json", folder("a.wav")).lines.first))
        return (object, CommandRun("inspect", folder("a.wav")).lines)
    }

    private func number(_ object: [String: Any], _ name: String) throws -> Double {
        try #require(object[name] as? Double, "\(name)")
    }

    @Test(arguments: [-1.0, -23, -50]) func levels(level: Double) throws {
        let (object, _) = try inspected(tone(1_000, level))
        #expect(abs(try number(object, "peak") - level) < 0.05)
        #expect(abs(try number(object, "rms") - level) < 0.05)
    }

    @Test(arguments: [-30.0, -60]) func noiseFloors(level: Double) throws {
        // The tone in the middle third does not count as noise.
        let loud = [Float](repeating: 0, count: 48_000) + tone(3_000, -10, seconds: 1)
        let (object, lines) = try inspected(sum(noise(level, count: 144_000), loud))
        #expect(abs(try number(object, "noise") - level) < 1)
        #expect(lines.contains { $0.hasPrefix("  noise     ") })
    }

    @Test(arguments: [50.0, 60]) func hum(mains: Double) throws {
        let (object, lines) = try inspected(
            sum(tone(mains, -30), tone(3 * mains, -36), noise(-70, count: 144_000)))
        #expect(try number(object, "hum_frequency") == mains)
        let level = 10 * log10(pow(10, -3.0) + pow(10, -3.6))
        #expect(abs(try number(object, "hum") - level) < 0.5)
        #expect(
            lines.contains { $0.hasPrefix("  hum       \(fixed(mains, 0)) Hz mains at -29.0 dBFS, harmonics 1, 3") })
        #expect((object["carriers"] as? [Any])?.isEmpty == true)
    }

    @Test func clipping() throws {
        let clipped = tone(500, 6).map { min(max($0, -1), 1) }
        let (object, lines) = try inspected(clipped)
        // Two runs a period, each from 60 degrees before a peak to 60 degrees after it.
        #expect(abs(try number(object, "clipped_runs") - 3_000) <= 2)
        #expect(abs(try number(object, "clipped_share") - 2.0 / 3) < 0.03)
        #expect(lines.contains { $0.hasPrefix("  clipping  3000 runs, 6") || $0.hasPrefix("  clipping  2999 runs, 6") })
        let short = try inspected(tone(11_900, 6).map { min(max($0, -1), 1) })
        #expect(try number(short.object, "clipped_runs") == 0)
        #expect(try number(short.object, "full_scale_share") > 0.5)
        #expect(short.lines.contains { $0.hasPrefix("  clipping  no runs, 6") })
        #expect(try inspected(tone(997, 0)).lines.contains("  clipping  none"))
    }

    @Test func carriersHaveFrequencyAndWidth() throws {
        let (object, lines) = try inspected(
            sum(tone(1_234, -20), tone(5_000, -30), noise(-60, count: 144_000)))
        let carriers = try #require(object["carriers"] as? [[String: Double]])
        #expect(carriers.count == 2)
        for (carrier, (frequency, level)) in zip(carriers, [(1_234.0, -20.0), (5_000, -30)]) {
            #expect(abs(try #require(carrier["frequency"]) - frequency) < 1)
            #expect(abs(try #require(carrier["level"]) - level) < 0.5)
            #expect(try #require(carrier["width"]) < 30)
        }
        #expect(lines.contains { $0.contains("carriers  1234 Hz (") && $0.contains(" wide) at -20.") })
    }

    /// Mode, baud and tones of modem sound in hum and noise, and the levels of these.
    @Test(arguments: ["bell103", "bell202", "v21", "v23", "softmodem-1225", "webjack", "unimag", "udynamo"])
    func theModeUnderHumAndNoise(name: String) throws {
        let mode = try LineMode(named: name)
        let samples = try ModemSound.samples(
            ModemSound.everyByte, mode, sampleRate: Self.rate, idle: 0.05, silence: 0.5)
        let spoilt = sum(
            samples.map { 0.5 * $0 }, noise(-50, count: samples.count),
            tone(50, -35, seconds: Double(samples.count) / Self.rate))
        let (object, _) = try inspected(spoilt)
        let modems = try #require(object["modems"] as? [[String: Any]])
        #expect(modems.map { $0["mode"] as? String } == [name])
        let modem = try #require(modems.first)
        let baud = try number(modem, "baud")
        switch mode.code {
        case .frequencyShift(let shift, _):
            #expect(abs(baud / shift.baud - 1) < 0.005)
            #expect(abs(try number(modem, "mark") / shift.mark - 1) < 0.01)
            #expect(abs(try number(modem, "space") / shift.space - 1) < 0.01)
        case .nibbles(let line): #expect(abs(baud / line.chipRate - 1) < 0.002)
        case .dynamo(let line): #expect(abs(baud / line.baud - 1) < 0.002)
        case .frequencyShiftBits, .serialManchester: Issue.record("not a mode that is recognised by its sound")
        }
        #expect(abs(try number(modem, "start") - 0.5) < 0.1)
        #expect(try number(object, "hum_frequency") == 50)
        #expect(abs(try number(object, "hum") + 35) < 1.5)
    }

    @Test func silenceIsNothing() throws {
        let (object, lines) = try inspected([Float](repeating: 0, count: 96_000))
        #expect((object["modems"] as? [Any])?.isEmpty == true)
        #expect((object["carriers"] as? [Any])?.isEmpty == true)
        #expect(lines.contains("  modem     none"))
        #expect(CommandRun("inspect", folder("a.wav")).status == 1)
    }

    /// The picture has a waveform, a spectrogram and rows of bit cells, with the bytes under them.
    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed")) func thePictureShowsTheDecodedBytes() throws {
        let text = Array("Jackdaw! 0123456789 times.".utf8)
        try ModemSound.write(text, "bell202", to: folder("a.wav"))
        for isRevealed in [true, false] {
            let flags = isRevealed ? ["--reveal"] : []
            let run = CommandRun(["inspect", "--plot", folder("p.svg"), folder("a.wav")] + flags)
            #expect(run.status == 0, "\(run.messages)")
            let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
            for byte in text {
                #expect(picture.contains(">\(byte.hexadecimal)") == isRevealed)
            }
            #expect(picture.contains(">**") != isRevealed)
            #expect(picture.contains("level") && picture.contains("Hz"))
            // The spectrogram's cells.
            #expect(picture.split(separator: "<polygon").count > 1_000)
            #expect(picture.contains("bell202, 1200 baud, mark 1"))
        }
        let drawn = CommandRun("inspect", "--plot", folder("p.png"), folder("a.wav"))
        #expect(drawn.status == 0)
        let header = try folder.read("p.png").prefix(24)
        // Width and height in pixels: room for all the panels.
        let sizes = [16, 20].map { place in header[place..<place + 4].reduce(0) { $0 * 256 + Int($1) } }
        #expect(sizes.allSatisfy { $0 > 600 })
    }

    private static let hasGnuplot = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot")
    }
}
