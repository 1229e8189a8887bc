import Testing

@testable import JackdawDSP

@Suite struct ClockingZerosTests {
    private static let rate = 44_100.0

    private static func swipe() throws -> (samples: [Float], reading: SegmentReading) {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: rate))
        var decoder = FastDecoder()
        return (samples, try #require(decoder.decode(samples.span, sampleRate: rate).first))
    }

    /// 0.293 in of zeros lead at 75 an inch, and as many trail as the card has room for.
    @Test func countsTheZerosOfAPass() throws {
        let (samples, reading) = try Self.swipe()
        let zeros = ClockingZeros(beside: reading, in: samples.span, maxCells: 760)
        #expect(zeros.before == 21)
        let cells = zeros.before + reading.boundaries.count - 1 + zeros.after
        #expect((251...253).contains(cells))
        #expect(zeros.extent.lowerBound < Int(reading.boundaries[0]))
        #expect(zeros.extent.upperBound > Int(reading.boundaries[reading.boundaries.count - 1]))
    }

    @Test func samplesThatAreNoNumbersEndTheZeros() throws {
        var (samples, reading) = try Self.swipe()
        let start = Int(reading.boundaries[0])
        for place in start - 200..<start {
            for value in [Float.infinity, -.infinity, .nan] {
                let sample = samples[place]
                samples[place] = value
                let zeros = ClockingZeros(beside: reading, in: samples.span, maxCells: 760)
                #expect(zeros.before <= 21)
                #expect(samples.indices.contains(zeros.extent.lowerBound))
                samples[place] = sample
            }
        }
    }
}
