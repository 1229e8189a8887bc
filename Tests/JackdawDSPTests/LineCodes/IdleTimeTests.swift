import Testing

@testable import JackdawDSP

/// A time that no memory holds ended the process, or never ended.
struct IdleTimeTests {
    /// At rates that are as low as they can be: ten minutes are many samples.
    private static func encoders() throws -> [(encoder: any LineEncoder, sampleRate: Double)] {
        [
            (try FSKEncoder(.bell103, sampleRate: 8_000), 8_000),
            (try FSKBitEncoder(.bell103, sampleRate: 8_000), 8_000),
            (try NibbleLineEncoder(.uniMag2400, sampleRate: 8_000), 8_000),
            (try DynamoEncoder(DynamoLine(baud: 3_600), sampleRate: 8_000), 8_000),
            (try SerialManchesterEncoder(.hiJack, sampleRate: 8_000), 8_000),
            (try FourToneEncoder(sampleRate: 24_000), 24_000),
        ]
    }

    @Test(arguments: [Double.nan, -.nan, .infinity, -.infinity, -1, -1e300, -0.0, 0])
    func invalidIdleTimesAddNoSamples(seconds: Double) throws {
        for (encoder, _) in try Self.encoders() {
            var encoder = encoder
            var samples: [Float] = []
            encoder.idle(seconds: seconds, into: &samples)
            #expect(samples.isEmpty, "\(type(of: encoder))")
            // Nor does it spoil what follows.
            encoder.idle(seconds: 0.5, into: &samples)
            var other: [Float] = []
            var fresh = encoder
            fresh.reset()
            fresh.idle(seconds: 0.5, into: &other)
            #expect(samples == other, "\(type(of: encoder))")
        }
    }

    @Test(arguments: [1e17, 1e30]) func theLongestIsTenMinutes(seconds: Double) throws {
        for (encoder, sampleRate) in try Self.encoders() {
            var encoder = encoder
            var samples: [Float] = []
            encoder.idle(seconds: seconds, into: &samples)
            // Serial lines idle in whole bits or periods.
            #expect(abs(Double(samples.count) - 600 * sampleRate) < sampleRate / 100, "\(type(of: encoder))")
        }
    }

    @Test func allTimesUpToItAreKept() {
        for seconds in [0, 1e-9, 0.1, 60, 599.9, 600] { #expect(IdleTime.bounded(seconds) == seconds) }
        for seconds in [600.1, 3_600, 1e9, 1e17, 1e30, .greatestFiniteMagnitude] {
            #expect(IdleTime.bounded(seconds) == 600)
        }
    }
}
