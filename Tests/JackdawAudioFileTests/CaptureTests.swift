import Foundation
import JackdawAudioFile
import JackdawDSP
import Testing

/// Every committed recording reads as its manifest says; the recordings are synthetic and share
/// no code with the decoder.
@Suite struct CaptureTests {
    struct Capture: Decodable, Sendable, CustomTestStringConvertible {
        let file: String
        let track: Int
        let text: String
        let reverse: Bool
        var testDescription: String { file }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "captures")

    static func captures() throws -> [Capture] {
        let manifest = try Data(contentsOf: folder.appending(path: "manifest.json"))
        return try JSONDecoder().decode([Capture].self, from: manifest)
    }

    static func events(path: String, channel: Int = 0) throws -> [SwipeEvent] {
        var reader = try AudioFileReader(path: path)
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: Double(reader.format.sampleRate)))
        var block = AudioBlock<Float>(channels: reader.format.channels, capacity: AudioFileReader.blockFrames)
        var events: [SwipeEvent] = []
        while try reader.read(into: &block) > 0 {
            events += block.withChannel(channel) { decoder.receive($0) }
        }
        return events + decoder.finish()
    }

    @Test func captureFolderIsComplete() throws {
        let captures = try Self.captures()
        #expect(captures.count >= 15)
    }

    @Test(arguments: try captures()) func captureReadsAsItsManifestSays(capture: Capture) throws {
        let events = try Self.events(path: Self.folder.appending(path: capture.file).path)
        let texts = events.compactMap { event -> String? in
            guard case .track(let track) = event else { return nil }
            #expect(track.track.rawValue == capture.track)
            #expect(track.direction == (capture.reverse ? .reverse : .forward))
            return track.characters.withElements { text in
                String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
            }
        }
        #expect(texts.count == 1)
        #expect(texts.first == capture.text)
    }

    /// A real, damaged recording: five irregular cells make its LRC invalid, so it must fail and say where.
    @Test func aDamagedRecordingFailsWithItsPlace() throws {
        let path = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "shared/captures/f2f/damaged-track2-96k-stereo.wav").path
        guard FileManager.default.fileExists(atPath: path) else {
            print("skipped: the damaged recording is not on this machine")
            return
        }
        let events = try Self.events(path: path)
        var failures: [SwipeFailure] = []
        for event in events {
            switch event {
            case .track: Issue.record("a damaged swipe was accepted")
            case .failure(let failure): failures.append(failure)
            }
        }
        let failure = try #require(failures.max { $0.partialCharacters.count < $1.partialCharacters.count })
        #expect(failure.firstBadCharacter != nil)
        #expect(failure.partialCharacters.count >= 10)
    }

    /// Synthetic sounds that were once read as other texts: one with two zeros as eights, one with its tail alone. They
    /// are in the folder `f2f-wrong` of the one that `JACKDAW_CAPTURES` names.
    @Test(arguments: [
        ("two_zeros_become_eights.wav", ";9999994327678=36081010795418120932?"),
        ("tail_taken_for_message.wav", nil as String?),
    ])
    func noSoundIsReadAsAnotherText(file: String, text: String?) throws {
        guard let folder = ProcessInfo.processInfo.environment["JACKDAW_CAPTURES"] else {
            print("skipped: JACKDAW_CAPTURES does not name a folder with \(file)")
            return
        }
        let path = URL(filePath: folder).appending(path: "f2f-wrong").appending(path: file).path
        guard FileManager.default.fileExists(atPath: path) else {
            print("skipped: \(path) does not exist")
            return
        }
        let events = try Self.events(path: path)
        #expect(!events.isEmpty)
        for event in events {
            guard case .track(let track) = event else { continue }
            let found = track.characters.withElements { characters in
                String(decoding: characters.indices.map { characters[$0] }, as: UTF8.self)
            }
            #expect(found == text)
        }
    }
}
