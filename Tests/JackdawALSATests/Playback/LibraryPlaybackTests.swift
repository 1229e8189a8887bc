import Foundation
import Testing

@testable import JackdawALSA

/// Through libasound itself, to a device that writes a file: what arrives is what the generator makes, bit by bit.
@Suite struct LibraryPlaybackTests {
    private static let isPossible = FileManager.default.fileExists(atPath: "/usr/share/alsa/alsa.conf")

    @Test(
        .enabled(if: isPossible, "it needs ALSA's own configuration"),
        arguments: [8_000.0, 44_100, 48_000, 96_000, 192_000], PCMEncoding.allCases)
    func theLibraryWritesTheGeneratedSamples(rate: Double, encoding: PCMEncoding) throws {
        let gaps = try PlayedLine.expectSame(rate: rate, encoding: encoding) { "file:'\($0)',raw" }
        #expect(gaps == 0)
    }
}
