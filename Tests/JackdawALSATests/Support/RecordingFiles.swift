import Foundation
import JackdawAudioFile
import JackdawDSP

@testable import JackdawALSA

/// A folder of recordings, removed with everything in it.
final class RecordingFiles {
    let path = FileManager.default.temporaryDirectory.path + "/jackdaw-pcm-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file.
    /// - Returns: its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = unsafe fopen("\(path)/\(name)", "w")
        guard let file = unsafe file else { throw CocoaError(.fileWriteUnknown) }
        defer { unsafe fclose(file) }
        guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
        return "\(path)/\(name)"
    }
}

extension RecordingFiles {
    /// Writes what a sound card of 32 bits may have: the number of each frame, which 24 bits hold.
    func writeNumbers(_ count: Int) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4 * count)
        for frame in 0..<count {
            bytes[4 * frame + 1] = UInt8(truncatingIfNeeded: frame)
            bytes[4 * frame + 2] = UInt8(truncatingIfNeeded: frame >> 8)
            bytes[4 * frame + 3] = UInt8(truncatingIfNeeded: frame >> 16)
        }
        return try write(bytes, to: "numbers.raw")
    }
}

/// Sound as a file has it, and what is swiped in it: what the command reads.
struct FileSound {
    private let path: String
    private let raw: RawAudioFormat?
    let format: AudioFormat
    /// Channels interleaved.
    let samples: [Float]

    init(path: String, raw: RawAudioFormat? = nil) throws {
        self.path = path
        self.raw = raw
        var reader = try AudioFileReader(path: path, raw: raw)
        format = reader.format
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: AudioFileReader.blockFrames * reader.format.channels)
        while true {
            var room = block.mutableSpan
            let frames = try reader.read(into: &room)
            guard frames > 0 else { break }
            samples += block[..<(frames * reader.format.channels)]
        }
        self.samples = samples
    }

    var frames: Int { samples.count / format.channels }

    /// What a decoder of each channel reports.
    func swipes(usesStrongTier: Bool) throws -> [[SwipeEvent]] {
        var reader = try AudioFileReader(path: path, raw: raw)
        let decoder = try SwipeDecoder(
            configuration: .init(sampleRate: format.sampleRate, usesStrongTier: usesStrongTier))
        var decoders = Array(repeating: decoder, count: format.channels)
        var events = [[SwipeEvent]](repeating: [], count: format.channels)
        var block = AudioBlock<Float>(channels: format.channels, capacity: AudioFileReader.blockFrames)
        while try reader.read(into: &block) > 0 {
            for channel in decoders.indices {
                events[channel] += block.withChannel(channel) { decoders[channel].receive($0) }
            }
        }
        for channel in decoders.indices { events[channel] += decoders[channel].finish() }
        return events
    }
}

/// Everything that an event says, to compare; shows nothing of the text.
struct SwipeAccount: Hashable, CustomStringConvertible, CustomReflectable {
    let description: String
    /// What was read from start to end sentinel; nil of a failure.
    let text: String?
    private let facts: String

    init(_ event: SwipeEvent) {
        switch event {
        case .track(let track):
            let text = track.characters.withElements(Self.text)
            self.text = text
            description = track.description
            facts = """
                \(track.track) \(track.code) \(track.swipe) \(track.direction) \(track.span) \(text) \(track.parity) \
                \(track.lrc) \(track.repairedCharacters) \(track.confidence) \(track.speed) \(track.tier) \
                \(track.cellBoundaries)
                """
        case .failure(let failure):
            text = nil
            description = failure.description
            facts = """
                \(failure.reason.name) \(failure.swipe) \(failure.span) \(String(describing: failure.code)) \
                \(String(describing: failure.direction)) \(failure.partialCharacters.withElements(Self.text)) \
                \(String(describing: failure.firstBadCharacter)) \(failure.bits.withElements(Self.text)) \
                \(failure.cellBoundaries)
                """
        }
    }

    private static func text(_ characters: Span<UInt8>) -> String {
        String(decoding: characters.indices.map { characters[$0] }, as: UTF8.self)
    }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
