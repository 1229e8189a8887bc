import Glibc
import JackdawDSP

/// Decodes the input as sound: three bytes choose rate and block size, the rest are samples. The decoder must not trap,
/// events must lie within the sound, and those of the fast tier must be the same for every block size.
@c(LLVMFuzzerTestOneInput)
public func fuzzDecoder(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe UnsafeBufferPointer(start: start, count: count)
    guard let sound = FuzzedSound(unsafe Array(input)) else { return -1 }
    let events = sound.decoded(block: sound.block)
    if !usesStrongTier {
        let whole = sound.decoded(block: max(1, sound.samples.count))
        precondition(events.map(summary) == whole.map(summary), "the block size makes a difference")
    }
    for event in events { check(event, count: sound.samples.count) }
    return 0
}

/// The strong tier takes a thousand times as long: it has runs of its own.
private let usesStrongTier = unsafe getenv("JACKDAW_FUZZ_STRONG") != nil

private struct FuzzedSound {
    private static let rates = [8_000.0, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]

    /// More would only slow the runs down: a whole swipe at the lowest rate fits, for the strong tier a quick one.
    private static let maxSamples = usesStrongTier ? 900 : 6_000

    let rate: Double
    let block: Int
    let samples: [Float]

    /// Sound out of bytes, or nil where there are too few.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 3 else { return nil }
        rate = Self.rates[Int(bytes[0]) % Self.rates.count]
        block = Int(bytes[2]) + 1
        let content = bytes[3...]
        let given =
            switch bytes[1] % 4 {
            case 0: Self.words(content).map { Float(Int16(truncatingIfNeeded: $0)) / 32_768 }
            case 1: content.map { Float(Int8(bitPattern: $0)) / 128 }
            case 2: Self.pulses(content)
            default: Self.longWords(content).map { Float(bitPattern: $0) }
            }
        samples = Array(given.prefix(Self.maxSamples))
    }

    private static func words(_ bytes: ArraySlice<UInt8>) -> [UInt16] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
        }
    }

    private static func longWords(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4).map { start in
            (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
        }
    }

    /// Pulses of alternating sign, as far apart as the bytes say: the shortest way from bytes to what looks like flux.
    private static func pulses(_ bytes: ArraySlice<UInt8>) -> [Float] {
        var samples: [Float] = []
        var sign: Float = 0.5
        for byte in bytes {
            samples += [0.3 * sign, sign, 0.3 * sign] + [Float](repeating: 0, count: Int(byte) % 64)
            sign = -sign
        }
        return samples
    }

    /// What a decoder makes of it, fed in blocks.
    func decoded(block: Int) -> [SwipeEvent] {
        let configuration = SwipeDecoder.Configuration(sampleRate: rate, usesStrongTier: usesStrongTier)
        guard var decoder = try? SwipeDecoder(configuration: configuration) else { fatalError("a rate was refused") }
        var events: [SwipeEvent] = []
        for start in stride(from: 0, to: samples.count, by: block) {
            events += decoder.receive(samples.span.extracting(start..<min(start + block, samples.count)))
        }
        return events + decoder.finish()
    }
}

/// What two runs over the same sound must agree on.
private func summary(_ event: SwipeEvent) -> String {
    switch event {
    case .track(let track): "\(track) \(track.span) \(track.confidence) \(track.cellBoundaries)"
    case .failure(let failure): "\(failure.reason) \(failure.span)"
    }
}

private func check(_ event: SwipeEvent, count: Int) {
    switch event {
    case .track(let track):
        check(track.span, count: count)
        precondition((0...1).contains(track.confidence), "confidence \(track.confidence)")
        precondition(track.repairedCharacters.allSatisfy { $0 < track.characters.count }, "a repair beyond the text")
        precondition(track.speed.slowest > 0 && track.speed.slowest <= track.speed.fastest, "\(track.speed)")
        let message = track.characters.withElements { characters in
            try? TrackMessage(
                String(decoding: characters.indices.map { characters[$0] }, as: UTF8.self), code: track.code)
        }
        precondition(message != nil, "a text that its code cannot hold")
    case .failure(let failure):
        check(failure.span, count: count)
    }
}

private func check(_ span: SwipeSpan, count: Int) {
    precondition(
        0 <= span.startSample && span.startSample <= span.endSample && span.endSample <= count,
        "\(span) of \(count) samples")
}
