import Foundation
import Testing

@testable import JackdawALSA

/// 510 swipes of all kinds, at all rates, in all encodings, of one channel and of two: through libasound they are the
/// very sound and the very events that a file gives.
@Suite struct GeneratedSwipeTests {
    private static let rates = [8_000.0, 22_050, 44_100, 48_000, 96_000, 192_000]

    @Test(arguments: rates, PCMEncoding.allCases)
    func aCardIsReadAsAFileIs(rate: Double, encoding: PCMEncoding) throws {
        let place = try #require(PCMEncoding.allCases.firstIndex(of: encoding))
        let isStereo = (UInt64(rate) / 50 + UInt64(place)).isMultiple(of: 2)
        let swipes = try GeneratedSwipes(
            isStereo ? 9 : 16, rate: rate, channels: isStereo ? 2 : 1, seed: UInt64(rate) + UInt64(place))
        let files = try RecordingFiles()
        let (played, file) = try swipes.write(to: files, encoding)
        // The strong tier takes long: at each rate in one of the encodings.
        let isStrong = Self.rates.firstIndex(of: rate).map { $0 % PCMEncoding.allCases.count } == place
        let found = try file.expectSame(capturedFrom: played, encoding, usesStrongTier: isStrong)
            .joined().compactMap(\.text)
        #expect(found.count > swipes.texts.count / 2)
        #expect(swipes.texts.isSuperset(of: found))
    }
}
