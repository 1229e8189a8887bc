import Testing

@testable import JackdawDSP

@Suite struct FluxStripeTests {
    @Test(arguments: [([UInt8](), 0), ([0], 0), ([1], 1), ([1, 0, 1, 1], 3)])
    func oneTransitionAtEachBoundaryAndOneInTheMiddleOfEachOne(bits: [UInt8], ones: Int) throws {
        let stripe = try FluxStripe(bits: bits.span, bitsPerInch: 75, leadingZeros: 3, trailingZeros: 2)
        #expect(stripe.transitions.count == 3 + bits.count + 2 + 1 + ones)
    }

    @Test func placesFollowTheDensity() throws {
        let stripe = try FluxStripe(bits: [0, 1, 0].span, bitsPerInch: 100, leadingZeros: 1, trailingZeros: 0)
        let expected = [0, 254, 508, 635, 762, 1016.0]
        #expect(zip(array(stripe.transitions), expected).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(stripe.transitions.count == expected.count)
    }

    /// The first data bit lies 0.293 in from the edge (tolerance 0.020 in) on all tracks.
    @Test(arguments: TrackNumber.allCases)
    func theMessageBeginsAtTheDistanceOfTheStandard(track: TrackNumber) throws {
        let text = track == .one ? "%?" : ";?"
        let stripe = FluxStripe(try TrackMessage(text, code: track.characterCode), track: track)
        let places = array(stripe.transitions)
        let cell = 25_400 / track.bitsPerInch
        // Both start sentinels begin with a 1: the first distance of half a cell lies there.
        let first = try #require(zip(places, places.dropFirst()).first { $1 - $0 < 0.75 * cell }).0
        #expect(abs(first - 0.293 * 25_400) < 0.001)
        #expect(places.allSatisfy { (0...85_600).contains($0) })
        #expect(stripe.length == 85_600)
    }

    @Test func messagesLongerThanTheCardMakeTheStripeLonger() throws {
        let text = ";" + String(repeating: "5", count: 200) + "?"
        let stripe = FluxStripe(try TrackMessage(text, code: .numeric), track: .two)
        #expect(stripe.length > 85_600)
        #expect(try #require(array(stripe.transitions).last) <= stripe.length)
    }

    @Test func ownTransitionsAreSorted() throws {
        #expect(array(try FluxStripe(transitions: [3, 1, 2]).transitions) == [1, 2, 3])
    }

    @Test(arguments: [0, -75, 0.5, 10_001, 1e300, Double.nan, .infinity])
    func refusesImpossibleDensities(bitsPerInch: Double) {
        #expect(throws: SwipeSynthesizerError.self) { try FluxStripe(bits: [1].span, bitsPerInch: bitsPerInch) }
    }

    @Test(arguments: [(-1, 0), (0, -1), (Int.min, 0), (0, .max), (.max, .max), (2_000, 2_000)])
    func refusesImpossibleZeros(leading: Int, trailing: Int) {
        #expect(throws: SwipeSynthesizerError.self) {
            try FluxStripe(bits: [1].span, bitsPerInch: 75, leadingZeros: leading, trailingZeros: trailing)
        }
    }

    @Test(arguments: [[Double.nan], [0, .infinity], [-1e300], [2e6]])
    func refusesTransitionsThatLieNowhere(transitions: [Double]) {
        #expect(throws: SwipeSynthesizerError.self) { try FluxStripe(transitions: transitions) }
    }

    @Test(arguments: [-1, 2e6, Double.nan, .infinity]) func refusesImpossibleLengths(length: Double) {
        #expect(throws: SwipeSynthesizerError.self) { try FluxStripe(transitions: [], length: length) }
    }

    @Test(arguments: [1.0, 10_000]) func takesTheDensitiesThatItNames(bitsPerInch: Double) throws {
        #expect(try FluxStripe(bits: [1].span, bitsPerInch: bitsPerInch).transitions.count > 10)
    }
}
