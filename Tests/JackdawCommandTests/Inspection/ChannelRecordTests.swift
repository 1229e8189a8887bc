import Foundation
import JackdawTestSupport
import JackdawSystem
import Testing

@testable import JackdawAudioFile
@testable import JackdawDSP
@testable import jackdaw_cli

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

    /// 16-bit samples are kept as they are, and become others if others follow.
    @Test(arguments: [1, 7, 100])
    func samplesOfBothTypesAreKept(block: Int) {
        let history = SampleHistory(capacity: 50)
        for start in stride(from: 0, to: 120, by: block) {
            let samples = (start..<min(120, start + block)).map { Int16($0) }
            history.append(samples.span)
        }
        history.skip(2)
        #expect(kept(118..<122, history) == [118, 119, 0, 0].map { $0 / 32_768 })
        history.append([0.5, 0.25].span)
        history.append([Int16(-32_768)].span)
        #expect(kept(74..<77, history) == [75, 76].map { $0 / 32_768 })
        #expect(kept(119..<130, history) == [119 / 32_768, 0, 0, 0.5, 0.25, -1])
    }

    /// The memory grows with the samples, and those that are discarded leave room.
    @Test(arguments: [1_024, 10_000, 90_000], [false, true])
    func discardedSamplesAreNotKept(block: Int, areIntegers: Bool) {
        let history = SampleHistory(capacity: 60_000)
        for start in stride(from: 0, to: 90_000, by: block) {
            append(start..<min(90_000, start + block), to: history, areIntegers)
            history.discard(before: history.count - 17_000)
        }
        #expect(history.kept == 73_000..<90_000)
        #expect(kept(0..<100_000, history) == (73_000..<90_000).map { Float($0 % 30_000) / 32_768 })
        history.discard(before: 100)
        #expect(history.kept.lowerBound == 73_000)
        append(90_000..<190_000, to: history, areIntegers)
        #expect(history.kept == 130_000..<190_000)
        #expect(kept(0..<200_000, history) == (130_000..<190_000).map { Float($0 % 30_000) / 32_768 })
        history.discard(before: .max)
        #expect(history.kept.isEmpty && history.samples(in: 0..<200_000).first == 190_000)
    }

    private func append(_ numbers: Range<Int>, to history: SampleHistory, _ areIntegers: Bool) {
        let integers = numbers.map { Int16(truncatingIfNeeded: $0 % 30_000) }
        let floats = integers.map { Float($0) / 32_768 }
        if areIntegers { history.append(integers.span) } else { history.append(floats.span) }
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
        #expect(record.drawn.map(\.swipe) == Array(0..<SwipePicture.maxSwipes))
        #expect(record.drawn.allSatisfy { $0.samples.count > 0 })
        let chosen = try self.record(swipes: 30, part: PicturePart(swipe: 21))
        #expect(chosen.drawn.map(\.swipe) == [20])
        let revealed = try self.record(swipes: 2, part: nil, isRevealed: true)
        #expect(revealed.swipes.map { "\($0.text)" } == [Self.text, Self.text])
    }
}
