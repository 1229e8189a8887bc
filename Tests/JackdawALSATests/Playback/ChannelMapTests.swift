import Testing

@testable import JackdawALSA

@Suite struct ChannelMapTests {
    private func map(_ map: ChannelMap, _ samples: [Float]) -> [Float] {
        var result = [Float](repeating: .nan, count: samples.count / map.sourceChannels * map.deviceChannels)
        var span = result.mutableSpan
        map.apply(samples.span, to: &span)
        return result
    }

    @Test func gainsAreAddedUp() {
        let swapped = ChannelMap(gains: [[0, 1], [1, 0], [0, 0], [0.5, -1]])
        #expect(map(swapped, [0.5, 0.25, -1, 1]) == [0.25, 0.5, 0, 0, 1, -1, 0, -1.5])
        #expect(map(ChannelMap(gains: [[0.5, 0.5]]), [1, 0.5, -1, 1]) == [0.75, 0])
    }

    @Test func theUsualMapKeepsTheOrder() {
        #expect(map(.usual(from: 2, to: 4), [1, 2, 3, 4]) == [1, 2, 0, 0, 3, 4, 0, 0])
        #expect(map(.usual(from: 2, to: 1), [1, 2, 3, 4]) == [1, 3])
        #expect(map(.usual(from: 1, to: 2), [1, 2]) == [1, 1, 2, 2])
        #expect(map(.usual(from: 1, to: 4), [1]) == [1, 1, 0, 0])
        #expect(map(.usual(from: 1, to: 1), [1, 2]) == [1, 2])
    }

    @Test func onlyMapsThatChangeNothingAreTheIdentity() {
        for source in 1...4 {
            for device in 1...4 {
                #expect(ChannelMap.usual(from: source, to: device).isIdentity == (source == device))
            }
        }
        #expect(!ChannelMap(gains: [[0, 1], [1, 0]]).isIdentity)
        #expect(!ChannelMap(gains: [[1, 0], [0, 0.5]]).isIdentity)
    }
}
