import Foundation
import JackdawTestSupport
import JackdawSystem
import Testing

@testable import JackdawAudioFile
@testable import JackdawDSP
@testable import jackdaw_cli

@Suite struct InspectTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theObjectHasTheSwipesAndTheirCells() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--speed", "10").status == 0)
        let run = CommandRun("inspect", "--json", folder("a.wav"))
        #expect(run.status == 0)
        let object = try jsonObject(try #require(run.lines.first))
        let swipe = try #require((object["swipes"] as? [[String: Any]])?.first)
        // 36 characters and the LRC of 5 bits each.
        #expect(swipe["cells"] as? Int == 185)
        let mean = try #require(swipe["mean_cell"] as? Double)
        #expect(abs(mean * 75 * 10 - 1) < 0.01)
        let speed = try #require(swipe["speed"] as? Double)
        #expect(abs(speed - 10) < 0.1)
        let jitter = try #require(swipe["jitter"] as? Double)
        #expect(jitter < 1)
        let peak = try #require(swipe["peak"] as? Double)
        #expect(abs(peak + 6) < 0.2)
        #expect(swipe["text"] as? String == ";411111******1111=2912101**********?")
    }

    @Test func aPersonSeesTheRecordingAndItsSwipes() {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--clip", "2", "--noise", "40").status == 0)
        let run = CommandRun("inspect", folder("a.wav"))
        #expect(run.status == 0)
        #expect(run.lines.first?.contains("WAV, 16-bit, 44100 Hz, 1 channel") == true)
        for start in ["level", "noise", "hum", "clipping", "carriers", "band"] {
            #expect(run.lines.contains { $0.hasPrefix("  \(start) ") })
        }
        #expect(run.output.contains("level     0.0 dBFS peak"))
        #expect(!run.output.contains("clipping  none"))
        #expect(run.lines.last?.contains("track 2, forward") == true)
    }

    @Test func soundWithoutSwipesIsSurveyedToo() throws {
        let tone = (0..<8_000).map { index in 0.5 * Float(sin(2 * Double.pi * 50 * Double(index) / 8_000)) }
        try SwipeSound.write([tone, [Float](repeating: 0, count: tone.count)], to: folder("a.wav"), sampleRate: 8_000)
        let run = CommandRun("inspect", "--json", folder("a.wav"))
        #expect(run.lines.count == 2)
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["hum_frequency"] as? Double == 50)
        #expect(abs(try #require(object["peak"] as? Double) + 6.02) < 0.01)
        #expect(abs(try #require(object["hum"] as? Double) + 6.02) < 0.5)
        let silence = CommandRun("inspect", "--channel", "2", folder("a.wav"))
        #expect(silence.status == 1)
        #expect(silence.output.contains("digital silence"))
    }

    @Test func theSuffixOfThePictureIsItsKind() {
        #expect(CommandRun("inspect", "--plot", "a.gif", "a.wav").status == 64)
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed"), arguments: [("svg", "<?xml"), ("png", "\u{89}PNG")])
    func gnuplotDrawsThePicture(kind: String, start: String) throws {
        #expect(CommandRun("synth", "-o", folder("it's.wav"), "--track1", "test").status == 0)
        let run = CommandRun("inspect", "--plot", folder("p.\(kind)"), folder("it's.wav"))
        #expect(run.status == 0, "\(run.messages)")
        let picture = try folder.read("p.\(kind)")
        #expect(picture.starts(with: start.unicodeScalars.map { UInt8($0.value) }))
        #expect(picture.count > 10_000)
        #expect(folder.names == ["it's.wav", "p.\(kind)"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("p.\(kind)"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [
        ["--swipe", "1"], ["--from", "1"], ["--to", "1"], ["--width", "900"], ["--dark"],
        ["--plot", "p.svg", "--swipe", "0"], ["--plot", "p.svg", "--width", "100"],
        ["--plot", "p.svg", "--from", "2", "--to", "1"], ["--plot", "p.svg", "--from=-1"],
    ])
    func choicesOfAPictureThatMakeNoSenseAreUsage(arguments: [String]) {
        #expect(CommandRun(["inspect"] + arguments + ["a.wav"]).status == 64)
    }

    /// Fourteen swipes at intervals of 1.5 s.
    private func manySwipes() throws -> String {
        let one = try SwipeSound.render(";4111111111111111=2912101?", .two, .init(sampleRate: 44_100))
        let pause = [Float](repeating: 0, count: max(0, 66_150 - one.count))
        let all = (0..<14).flatMap { _ in one + pause }
        try SwipeSound.write([all], to: folder("many.wav"), sampleRate: 44_100)
        return folder("many.wav")
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed")) func aPictureOfAPartIsReported() throws {
        let file = try manySwipes()
        let plot = folder("p.svg")
        let all = CommandRun("inspect", "--plot", plot, file)
        #expect(all.status == 0)
        #expect(all.messages.contains("12 of 14 swipes"))
        let whole = try folder.read("p.svg").count
        for chosen in [["--swipe", "14"], ["--from", "19.4", "--to", "100"]] {
            let run = CommandRun(["inspect", "--plot", plot, file] + chosen)
            #expect(run.status == 0)
            #expect(run.messages.isEmpty)
            let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
            #expect(picture.utf8.count < whole / 4)
            #expect(picture.contains("swipe 14"))
            #expect(!picture.contains("swipe 13"))
        }
        #expect(CommandRun("inspect", "--plot", plot, file, "--swipe", "15").status == 1)
        #expect(CommandRun("inspect", "--plot", plot, file, "--from", "1000").status == 1)
    }

    /// A part of a single sample, or between two points of the picture, also has an axis.
    @Test(
        .enabled(if: hasGnuplot, "gnuplot is not installed"),
        arguments: [(0.2, 0.20001), (0.2, 0.2000001), (0.2, 0.201), (0, 0.1321)])
    func aSmallPartOfASwipeIsDrawn(from: Double, to: Double) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun(
            "inspect", "--plot", folder("p.svg"), folder("a.wav"), "--from", "\(from)", "--to", "\(to)")
        #expect(run.status == 0, "\(run.messages)")
    }

    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed")) func widthAndBackgroundAreChosen() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("inspect", "--plot", folder("p.svg"), folder("a.wav"), "--width", "900", "--dark")
        #expect(run.status == 0, "\(run.messages)")
        let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
        #expect(picture.contains("width=\"900\""))
        #expect(picture.contains("#11161c"))
        #expect(!picture.contains("#ffffff"))
    }

    @Test func pictureThatCannotBeWrittenIsAnInputOutputError() {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        #expect(CommandRun("inspect", "--plot", folder("none/p.svg"), folder("a.wav")).status == 74)
    }

    /// A gnuplot that reports success and has drawn a part of the picture, as the real one does if the disk is full.
    @Test(arguments: [
        ("png", #"\211PNG\r\n\032\n\0\0\0\rIHDR"#), ("svg", "<?xml version=\"1.0\"?><svg><g>"), ("png", ""),
        ("svg", ""),
    ])
    func aPictureThatIsNotCompleteDoesNotReplaceAnother(kind: String, drawn: String) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let old = try folder.write("the old picture".utf8, to: "p.\(kind)")
        let gnuplot = try folder.write("#!/bin/sh\ncat > /dev/null\nprintf '\(drawn)'\n".utf8, to: "gnuplot")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: gnuplot)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let run = try ChildProcess(
            ["inspect", "--plot", old, folder("a.wav")], environment: ["PATH": "\(folder.path):\(path)"])
        #expect(run.status == 74, "\(run.messages)")
        #expect(try folder.read("p.\(kind)") == Array("the old picture".utf8))
        #expect(folder.names == ["a.wav", "gnuplot", "p.\(kind)"])
    }

    /// The disk is a small file system in a namespace of its own.
    @Test(
        .enabled(if: hasGnuplot, "gnuplot is not installed"),
        .enabled(if: canMount, "no file system can be mounted here (unshare)"), arguments: ["png", "svg"])
    func aFullDiskLeavesTheOldPicture(kind: String) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav"), "--track1", "test").status == 0)
        let disk = folder("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let script = """
            mount -t tmpfs -o size=64k none "$2" && echo old > "$2/p.\(kind)" &&
            { "$1" inspect --plot "$2/p.\(kind)" "$3"; echo "status $?"; cat "$2/p.\(kind)"; ls -A "$2"; }
            """
        let command = ["sh", "-c", script, "sh", ChildProcess.executable.path, disk, folder("a.wav")]
        let run = try ChildProcess(Self.ownNamespace + command, program: URL(fileURLWithPath: "/usr/bin/unshare"))
        let lines = String(decoding: run.output, as: UTF8.self).split(separator: "\n")
        #expect(lines.suffix(3) == ["status 74", "old", "p.\(kind)"], "\(run.messages)")
    }

    /// Names that begin with a quote, some with further quotes.
    @Test(.enabled(if: hasGnuplot, "gnuplot is not installed"), arguments: ["'a.wav", "''a'b.wav", "\"`id`.wav"])
    func namesWithQuotesAreDrawn(name: String) throws {
        #expect(CommandRun("synth", "-o", folder(name)).status == 0)
        // The argument is the name alone, without a folder.
        let script = "cd \"$3\" && \"$1\" inspect --plot p.svg \"$2\""
        let run = try ChildProcess(
            ["-c", script, "sh", ChildProcess.executable.path, name, folder.path],
            program: URL(fileURLWithPath: "/bin/sh"))
        #expect(run.status == 0, "\(run.messages)")
        let picture = String(decoding: try folder.read("p.svg"), as: UTF8.self)
        #expect(picture.contains("\(name), channel 1"))
    }

    private static let ownNamespace = ["--user", "--map-root-user", "--mount"]

    private static let canMount: Bool = {
        let mount = ownNamespace + ["sh", "-c", "mount -t tmpfs none /tmp"]
        return (try? ChildProcess(mount, program: URL(fileURLWithPath: "/usr/bin/unshare")))?.status == 0
    }()

    private static let hasGnuplot = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot")
    }
}

@Suite struct SampleHistoryTests {
    @Test(arguments: [1, 7, 100])
    func theLastSamplesAreKept(block: Int) {
        let history = SampleHistory(capacity: 50)
        for start in stride(from: 0, to: 120, by: block) {
            let samples = (start..<min(120, start + block)).map { Float($0) }
            history.append(samples.span)
        }
        #expect(history.count == 120)
        #expect(kept(100..<103, history) == [100, 101, 102])
        #expect(kept(0..<72, history) == [70, 71])
        #expect(history.samples(in: 0..<72).first == 70)
        #expect(kept(118..<500, history) == [118, 119])
        #expect(kept(0..<10, history).isEmpty)
        #expect(kept(500..<510, history).isEmpty)
    }

    private func kept(_ range: Range<Int>, _ history: SampleHistory) -> [Float] {
        history.samples(in: range).samples.withElements { span in span.indices.map { span[$0] } }
    }
}

/// The data that `inspect` keeps of the swipes of a recording.
@Suite struct ChannelRecordTests {
    private static let text = "%B4111111111111111^QUENTIN/ROSAMUND^29121010000000000000?"

    /// The record of a recording with this number of swipes.
    private func record(swipes: Int, part: PicturePart?, isRevealed: Bool = false) throws -> ChannelRecord {
        let message = try TrackMessage(Self.text, code: .alphanumeric)
        let synthesizer = try SwipeSynthesizer(configuration: .init(sampleRate: 22_050))
        let samples = synthesizer.render(FluxStripe(message, track: .one))
        let format = AudioFormat(container: .wav, encoding: .float32, sampleRate: 22_050, channels: 1)
        let record = try ChannelRecord(format, drawing: part)
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 22_050))
        for number in 0..<swipes {
            record.receive(samples.span)
            let events = decoder.receive(samples.span) + (number == swipes - 1 ? decoder.finish() : [])
            for event in events { record.receive(event, isRevealed: isRevealed) }
        }
        return record
    }

    /// All values inside a value, by reflection.
    private func leaves(_ value: Any) -> [Any] {
        let children = Mirror(reflecting: value).children
        let isSecret = value is WipedArray<Float> || value is WipedArray<UInt8> || value is DecodedTrack
        return children.isEmpty || isSecret ? [value] : children.flatMap { leaves($0.value) }
    }

    @Test func onlyPrintedValuesAreKept() throws {
        let record = try record(swipes: 30, part: nil)
        #expect(record.swipes.count == 30)
        let leaves = leaves(record.swipes)
        for leaf in leaves {
            // The types of sound, of bits, and of tracks in clear.
            #expect(!(leaf is WipedArray<Float> || leaf is WipedArray<UInt8> || leaf is DecodedTrack))
            #expect("\(leaf)".utf8.count < 200)
            #expect(!"\(leaf)".contains("4111111111111111") && !"\(leaf)".contains("QUENTIN"))
        }
        // A swipe has a fixed number of small values, and no list whose length depends on the swipe.
        #expect(leaves.count < 30 * 40)
        #expect(
            record.swipes.allSatisfy { "\($0.text)" == "%B411111******1111^*******/********^2912101*************?" })
        #expect(record.drawn.isEmpty)
    }

    @Test func theSoundOfTheSwipesThatAreDrawnIsKept() throws {
        let record = try record(swipes: 30, part: PicturePart())
        #expect(record.swipes.count == 30)
        #expect(record.drawn.map(\.swipe) == Array(0..<SwipePicture.mostSwipes))
        #expect(record.drawn.allSatisfy { $0.samples.count > 0 })
        let chosen = try self.record(swipes: 30, part: PicturePart(swipe: 21))
        #expect(chosen.drawn.map(\.swipe) == [20])
        let revealed = try self.record(swipes: 2, part: nil, isRevealed: true)
        #expect(revealed.swipes.map { "\($0.text)" } == [Self.text, Self.text])
    }
}

@Suite struct PictureFileTests {
    private static let png: [UInt8] =
        [0x89] + Array("PNG\r\n\u{1A}\n....IDAT".utf8) + [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    private static let svg = Array("<?xml?>\n<svg>\n<g>\n</g>\n</svg>\n\n".utf8)

    @Test(arguments: [1, 3, 7, 1_000]) func aWholePictureIsComplete(step: Int) {
        for (bytes, isVector) in [(Self.png, false), (Self.svg, true)] {
            for count in 0...bytes.count {
                var picture = PictureFile(isVector: isVector)
                for start in stride(from: 0, to: count, by: step) {
                    picture.add(Array(bytes[start..<min(count, start + step)]))
                }
                // The picture is complete without the line ends after the last tag of an SVG.
                #expect(picture.isComplete == (count >= bytes.count - (isVector ? 2 : 0)))
            }
        }
    }

    @Test func filesThatAreNoPicturesAreNotComplete() {
        for isVector in [false, true] {
            for bytes in [isVector ? Self.png : Self.svg, Array(Self.png.dropFirst()), Array("text </svg>".utf8)] {
                var picture = PictureFile(isVector: isVector)
                picture.add(bytes)
                #expect(!picture.isComplete)
            }
        }
    }
}

@Suite struct FluxPeaksTests {
    /// A signal with pulses at the given times, in samples.
    private func sound(_ times: [Double], length: Int) -> WipedArray<Float> {
        var samples = [Float](repeating: 0, count: length)
        for (number, time) in times.enumerated() {
            for index in samples.indices {
                let distance = (Double(index) - time) / 3
                samples[index] += Float((number.isMultiple(of: 2) ? 1 : -1) / (1 + distance * distance))
            }
        }
        return WipedArray(samples)
    }

    @Test func peaksAreFoundBetweenSamplesAndNumberedFromTheStart() throws {
        let bits: [UInt8] = [1, 0, 1, 1, 0, 0, 1]
        let boundaries = (0...7).map { 1_050 + 40.25 * Double($0) }
        var times: [Double] = []
        for (cell, bit) in bits.enumerated() {
            times.append(boundaries[cell] - 1_000)
            if bit == 1 { times.append(boundaries[cell] + 20.125 - 1_000) }
        }
        times.append(boundaries[7] - 1_000)
        let flux = FluxPeaks(
            boundaries: boundaries, bits: WipedArray(bits), samples: sound(times, length: 400), firstSample: 1_000)
        #expect(flux.peaks.count == times.count)
        for (peak, time) in zip(flux.peaks, times) { #expect(abs(peak.time - 1_000 - time) < 0.3) }
        #expect(flux.peaks.count(where: \.isBoundary) == 8)
        #expect(zip(flux.peaks, flux.peaks.dropFirst()).allSatisfy { $0.level * $1.level < 0 })
    }

    @Test(arguments: [0.0, 0.02, 0.05])
    func jitterIsThatOfTheCells(amount: Double) throws {
        var noise = GaussianNoise(seed: 9)
        let cells = 400
        let boundaries = (0...cells).map { 100 + 40 * (Double($0) + amount * noise.next()) }
        let flux = FluxPeaks(
            boundaries: boundaries, bits: WipedArray([UInt8](repeating: 0, count: cells)),
            samples: sound(boundaries, length: 17_000), firstSample: 0)
        // A cell differs by two boundaries' shifts, the mean of four around it by six more quarters of one:
        // (1 + 1/4)^2 * 2 + 2 * (1/4)^2 = 3.25 times the variance of one.
        let expected = 100 * amount * 3.25.squareRoot()
        let jitter = try #require(flux.jitter)
        #expect(abs(jitter - expected) < 0.1 * expected + 0.2)
    }

    @Test func withoutBitsThereAreNoPeaks() {
        let flux = FluxPeaks(boundaries: [1, 2, 3], bits: WipedArray([]), samples: WipedArray([0, 1]), firstSample: 0)
        #expect(flux.peaks.isEmpty)
        #expect(flux.jitter == nil)
    }
}

@Suite struct SwipePictureTests {
    private func inspection(isRevealed: Bool) throws -> SwipeInspection {
        let message = try TrackMessage(";4111111111111111=2912101?", code: .numeric)
        let synthesizer = try SwipeSynthesizer(configuration: .init(sampleRate: 44_100))
        let samples = synthesizer.render(FluxStripe(message, track: .two))
        let history = SampleHistory(capacity: samples.count)
        history.append(samples.span)
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
        let events = decoder.receive(samples.span) + decoder.finish()
        let track = events.compactMap { event in if case .track(let track) = event { track } else { nil } }.first
        return SwipeInspection(try #require(track), history: history, isRevealed: isRevealed)
    }

    @Test func rowsHoldWholeCharacters() throws {
        let swipe = try inspection(isRevealed: false)
        let rows = SwipePicture.rows(of: swipe)
        #expect(rows.count == 2)
        #expect(rows.first?.lowerBound == 0)
        #expect(rows.last?.upperBound == swipe.cellCount)
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(rows.allSatisfy { $0.count.isMultiple(of: 5) })
    }

    /// The bits of hidden characters must not show, nor those of the LRC, which would reveal one of them.
    @Test func bitsOfMaskedCharactersDoNotShow() throws {
        let masked = try inspection(isRevealed: false)
        let hidden = masked.characters.filter { !$0.isShown }
        #expect(hidden.map(\.label) == Array(repeating: "*", count: 6) + ["LRC"])
        for character in hidden {
            #expect(character.cells.allSatisfy { !SwipePicture.showsBit(masked, $0) })
        }
        let revealed = try inspection(isRevealed: true)
        #expect((0..<revealed.cellCount).allSatisfy { SwipePicture.showsBit(revealed, $0) })
        #expect(revealed.text == ";4111111111111111=2912101?")
        #expect(revealed.flux.peaks.count(where: \.isBoundary) == revealed.cellCount + 1)
    }

    /// A swipe that fails at its fifth character, with seven zeros before the message.
    private func failed(_ direction: SwipeDirection, isRevealed: Bool) throws -> SwipeInspection {
        let message = try TrackMessage(";4111111111111111=2912101?", code: .numeric)
        let zeros = [UInt8](repeating: 0, count: 7)
        var bits = zeros + message.bits.withElements { bits in bits.indices.map { bits[$0] } } + zeros + [0]
        bits[7 + 4 * 5] ^= 1
        var characters = message.characters.withElements { text in text.indices.map { text[$0] } }
        characters[4] = 0
        var failure = SegmentFailure(reason: .parity, range: 0..<40 * bits.count)
        failure.code = .numeric
        failure.isReversed = direction == .reverse
        failure.characters = characters
        failure.bits = direction == .reverse ? bits.reversed() : bits
        failure.boundaries = (0...bits.count).map { 40 * Float($0) }
        return SwipeInspection(
            failure.swipeFailure(offset: 0, swipe: 0, sampleRate: 44_100), history: SampleHistory(capacity: 1),
            isRevealed: isRevealed)
    }

    @Test func aFailureHasTheCellsOfItsCharacters() throws {
        let forward = try failed(.forward, isRevealed: true)
        #expect(forward.text == ";411\u{B7}111111111111=2912101?")
        #expect(forward.characters.map(\.cells.lowerBound) == (0..<26).map { 7 + 5 * $0 })
        #expect(forward.characters.map(\.isDoubtful) == (0..<26).map { $0 == 4 })
        let reverse = try failed(.reverse, isRevealed: true)
        #expect(reverse.text == forward.text)
        // Eight zeros and the LRC pass the head first.
        #expect(reverse.characters.map(\.cells.lowerBound) == (0..<26).map { 13 + 5 * (25 - $0) })
        for swipe in [forward, reverse] {
            let rows = SwipePicture.rows(of: swipe)
            #expect(rows.first?.lowerBound == 0)
            #expect(rows.last?.upperBound == swipe.cellCount)
            #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
            for character in swipe.characters {
                #expect(
                    rows.contains {
                        $0.contains(character.cells.lowerBound) && $0.upperBound >= character.cells.upperBound
                    })
            }
        }
    }

    @Test func bitsOfMaskedCharactersOfFailureDoNotShow() throws {
        let masked = try failed(.forward, isRevealed: false)
        #expect(masked.text == ";***\u{B7}************=*******?")
        let shown = masked.characters.filter { $0.cells.contains { SwipePicture.showsBit(masked, $0) } }
        #expect(shown.map(\.label) == [";", "=", "?"])
        let revealed = try failed(.forward, isRevealed: true)
        #expect(revealed.characters.allSatisfy { $0.cells.allSatisfy { SwipePicture.showsBit(revealed, $0) } })
    }

    /// If the edge of a part is within a swipe, the rows on its side of the edge are drawn.
    @Test func aPartOfASwipeIsDrawn() throws {
        let swipe = try inspection(isRevealed: false)
        let rows = SwipePicture.rows(of: swipe)
        let edge = swipe.boundaries[rows[0].upperBound] / swipe.span.sampleRate
        let style = PictureStyle(isVector: true)
        func drawn(_ part: PicturePart) -> Int {
            SwipePicture.script([("a", swipe)], part: part, style).commands.split(separator: "\n")
                .count { $0.hasPrefix("plot ") }
        }
        #expect(drawn(PicturePart()) == 1 + rows.count)
        #expect(drawn(PicturePart(seconds: 0...edge)) == 2)
        #expect(drawn(PicturePart(seconds: edge...1_000)) == rows.count)
        #expect(PicturePart(seconds: edge...1_000).holds(swipe))
        #expect(!PicturePart(seconds: 100...1_000).holds(swipe))
        #expect(!PicturePart(swipe: 2).holds(swipe))
        let many = SwipePicture.script((1...30).map { ("\($0)", swipe) }, style)
        #expect(many.count == 12)
    }

    @Test func doubtfulCharactersStandOut() throws {
        let script = SwipePicture.script([("a", try failed(.forward, isRevealed: true))], PictureStyle(isVector: true))
            .commands
        let labels = script.split(separator: "\n").filter { $0.hasPrefix("set label '") && $0.contains("13' tc") }
        #expect(labels.count == 26)
        #expect(labels.filter { $0.contains("#c92a2a") }.count == 1)
        #expect(labels.first { $0.contains("#c92a2a") }?.contains("'\u{B7}'") == true)
    }

    @Test func headingsCannotBreakOutOfTheScript() throws {
        let swipe = try inspection(isRevealed: false)
        let style = PictureStyle(isVector: true)
        let heading = "it's `id`\n; system 'id'"
        let script = SwipePicture.script([(heading, swipe)], style).commands
        #expect(script.contains("'it''s `id`\\u{a}; system ''id'''"))
        #expect(SwipePicture.script([("''it's", swipe)], style).commands.contains("set label 1 \"''\".'it''s' at"))
        #expect(SwipePicture.script([("'", swipe)], style).commands.contains("set label 1 \"'\".'' at"))
        #expect(!script.contains("\n; system"))
    }
}
