import Foundation
import JackdawTestSupport
import JackdawSystem
import Testing

@testable import JackdawAudioFile
@testable import JackdawDSP
@testable import jackdaw_cli

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
