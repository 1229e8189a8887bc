import Foundation
import JackdawAudioFile
import JackdawDSP
import JackdawTransport
import Testing

@testable import JackdawALSA
import JackdawSystem

/// ALSA's `file` plug-in over its `null` device: a sound card that captures what a file of bare samples holds, as fast
/// as it is asked, through libasound itself.
enum FilePlugIn {
    /// The name that opens it to play the samples in a file: all of its definition, so that no configuration file is
    /// needed. Behind the samples' end comes anything.
    static func device(playing path: String) -> String {
        #"plug:{SLAVE {type file file "/dev/null" format raw infile "\#(path)" slave {pcm null}}}"#
    }
}

/// Sound as it comes through libasound, and what is swiped in it: what a live program reads.
struct LibraryCapture {
    private(set) var format: StreamFormat
    /// Channels interleaved.
    private(set) var samples: [Float] = []
    /// What a decoder of each channel reports.
    private(set) var swipes: [[SwipeEvent]]
    private var decoders: [SwipeDecoder]

    private init(_ format: StreamFormat, usesStrongTier: Bool) throws {
        self.format = format
        let decoder = try SwipeDecoder(
            configuration: .init(sampleRate: format.sampleRate, usesStrongTier: usesStrongTier))
        decoders = Array(repeating: decoder, count: format.channels)
        swipes = Array(repeating: [], count: format.channels)
    }

    /// Captures so many frames as a stream's thread does, but in step with the reader, and decodes them.
    init(_ configuration: StreamConfiguration, frames: Int, usesStrongTier: Bool = true) throws {
        let opener = LibraryOpener()
        let calls = try opener.open(configuration, .capture)
        try self.init(calls.format, usesStrongTier: usesStrongTier)
        let period = calls.format.periodFrames
        let ring = BlockRing(
            blocks: calls.format.bufferFrames / period + 1, framesPerBlock: period, channels: format.channels)
        let wait = DeviceWait(try WakeUp())
        var engine = CaptureEngine(calls, opener, configuration, ring: ring)
        defer { engine.close() }
        var next = engine.begin(now: 0)
        var position = 0
        while position < frames {
            guard case .device(let milliseconds) = next, let calls = engine.calls,
                case .device(let condition) = wait.wait(for: calls, milliseconds: milliseconds)
            else {
                Issue.record("the device is lost at frame \(position): \(next)")
                return
            }
            next = engine.step(condition, now: 0)
            let before = position
            while ring.read({ header, block in
                #expect(header.kind == .sound && header.lost == 0 && header.position == position)
                take(block, atMost: frames)
                position += header.frames
            }) {}
            try #require(position > before, "nothing came at frame \(position)")
        }
        finish()
    }

    /// Captures so many frames by a stream with its thread, and decodes them.
    /// - Returns: nil where the stream was late: some of them were lost, and it has reported that.
    init?(_ configuration: StreamConfiguration, streaming frames: Int, usesStrongTier: Bool) throws {
        let stream = try CaptureStream(configuration)
        defer { stream.close() }
        try self.init(stream.format, usesStrongTier: usesStrongTier)
        var isWhole = true
        while samples.count < frames * format.channels, isWhole {
            let result = try? stream.receive(within: .seconds(60)) { event, block in
                guard case .sound(let header) = event else {
                    Issue.record("\(event)")
                    return
                }
                isWhole = header.lostBefore == 0
                if isWhole { take(block, atMost: frames) }
            }
            isWhole = isWhole && result != nil
        }
        guard isWhole else { return nil }
        finish()
    }

    /// Takes a block, up to so many frames in all.
    private mutating func take(_ all: Span<Float>, atMost frames: Int) {
        let block = all.extracting(..<min(all.count, frames * format.channels - samples.count))
        unsafe block.withUnsafeBufferPointer { unsafe samples.append(contentsOf: $0) }
        for channel in decoders.indices {
            guard decoders.count > 1 else {
                swipes[0] += decoders[0].receive(block)
                return
            }
            let one = stride(from: channel, to: block.count, by: decoders.count).map { block[$0] }
            swipes[channel] += decoders[channel].receive(one.span)
        }
    }

    private mutating func finish() {
        for channel in decoders.indices { swipes[channel] += decoders[channel].finish() }
    }
}

extension FileSound {
    /// Plays bare samples into libasound and expects what this file has: each sample bit for bit and each event, which
    /// are given back by their channels.
    @discardableResult
    func expectSame(
        capturedFrom path: String, _ encoding: PCMEncoding, usesStrongTier: Bool = true
    ) throws -> [[SwipeAccount]] {
        let configuration = StreamConfiguration(
            device: FilePlugIn.device(playing: path), sampleRate: format.sampleRate, channels: format.channels,
            encoding: encoding, reopens: false)
        let live = try LibraryCapture(configuration, frames: frames, usesStrongTier: usesStrongTier)
        return try expectSame(live, encoding, usesStrongTier: usesStrongTier)
    }

    /// Expects what this file has: each sample bit for bit and each event, which are given back by their channels.
    @discardableResult
    func expectSame(
        _ live: LibraryCapture, _ encoding: PCMEncoding, usesStrongTier: Bool = true
    ) throws -> [[SwipeAccount]] {
        #expect(!live.format.isResampled)
        #expect(live.format.encoding == encoding)
        try #require(live.samples.count == samples.count)
        let isSame = unsafe samples.withUnsafeBytes { file in
            unsafe live.samples.withUnsafeBytes { card in
                unsafe memcmp(file.baseAddress!, card.baseAddress!, file.count) == 0
            }
        }
        #expect(isSame, "the samples differ")
        let found = live.swipes.map { $0.map(SwipeAccount.init) }
        let expected = try swipes(usesStrongTier: usesStrongTier).map { $0.map(SwipeAccount.init) }
        #expect(found == expected)
        return found
    }
}
