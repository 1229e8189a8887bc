import JackdawDSP

/// Decodes the input as the sound of a modem: four bytes choose the mode and the block size, the rest are samples, or
/// bytes that are encoded and the damage to their sound. The decoder must not trap, and events must lie within the
/// sound and be the same for every block size.
@c(LLVMFuzzerTestOneInput)
public func fuzzLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe UnsafeBufferPointer(start: start, count: count)
    guard let sound = FuzzedLine(unsafe Array(input)) else { return -1 }
    let events = sound.decoded(block: sound.block)
    precondition(events == sound.decoded(block: max(1, sound.samples.count)), "the block size makes a difference")
    sound.check(events)
    return 0
}

/// What two runs over the same sound must agree on.
private enum Heard: Equatable {
    case character(LineCharacter)
    case burst(LineBurst)

    init(_ event: LineEvent) {
        switch event {
        case .character(let character): self = .character(character)
        case .burst(let burst): self = .burst(burst)
        }
    }
}

private struct FuzzedLine {
    private static let rates = [8_000.0, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000, 192_000]
    /// More would only slow the runs down.
    private static let maxSamples = 24_000

    let mode: LineMode
    let rate: Double
    let block: Int
    private(set) var samples: [Float] = []

    /// Sound out of bytes, or nil where there are too few, or the rate does not hold the mode.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 4 else { return nil }
        mode = LineMode.all[Int(bytes[0]) % LineMode.all.count]
        rate = Self.rates[Int(bytes[1]) % Self.rates.count]
        block = Int(bytes[3]) + 1
        guard (try? mode.decoder(sampleRate: rate)) != nil else { return nil }
        let content = Array(bytes[4...])
        switch bytes[2] % 4 {
        case 0: samples = content.pairs.map { Float(Int16(bitPattern: UInt16($0) | UInt16($1) << 8)) / 32_768 }
        case 1: samples = content.map { Float(Int8(bitPattern: $0)) / 128 }
        case 2: samples = content.pairs.map { Float(bitPattern: UInt32($0) << 24 | UInt32($1) << 16) }
        default: send(content)
        }
        samples.removeLast(max(0, samples.count - Self.maxSamples))
    }

    /// The sound of the first bytes, spoiled by the rest.
    private mutating func send(_ bytes: [UInt8]) {
        guard var encoder = try? mode.encoder(sampleRate: rate) else { return }
        let sent = bytes.prefix(1 + Int(bytes[0]) % 32)
        encoder.idle(seconds: 0.002, into: &samples)
        encoder.encode(sent.span, into: &samples)
        encoder.idle(seconds: 0.02, into: &samples)
        let rest = bytes.dropFirst(sent.count)
        guard !rest.isEmpty else { return }
        for index in samples.indices {
            samples[index] += Float(Int8(bitPattern: rest[rest.startIndex + index % rest.count])) / 128
        }
    }

    /// What a decoder makes of it, fed in blocks.
    func decoded(block: Int) -> [Heard] {
        guard var decoder = try? mode.decoder(sampleRate: rate) else { fatalError("a rate was refused") }
        var events: [LineEvent] = []
        for start in stride(from: 0, to: samples.count, by: block) {
            decoder.receive(samples.span.extracting(start..<min(start + block, samples.count)), into: &events)
        }
        decoder.finish(into: &events)
        return events.map(Heard.init)
    }

    /// Checks that the events lie within the sound, and that each burst holds the characters before it.
    func check(_ events: [Heard]) {
        var characters = 0
        // A filter or a character may reach a little beyond either end.
        let slack = rate / 20
        for event in events {
            switch event {
            case .character(let character):
                characters += 1
                precondition((0...1).contains(character.confidence), "confidence \(character.confidence)")
                precondition(
                    (-slack...Double(samples.count) + slack).contains(character.startSample),
                    "a character at \(character.startSample) of \(samples.count)")
            case .burst(let burst):
                precondition(burst.characters == characters && characters > 0, "\(burst.characters) characters")
                precondition(burst.span.startSample >= 0 && burst.span.startSample <= burst.span.endSample)
                precondition(Double(burst.span.endSample) <= Double(samples.count) + slack, "\(burst.span)")
                precondition(burst.level.isFinite && burst.signalToNoise.isFinite && burst.baud.isFinite)
                characters = 0
            }
        }
        precondition(characters == 0, "characters without a burst")
    }
}

extension [UInt8] {
    /// Two bytes at a time.
    fileprivate var pairs: [(UInt8, UInt8)] {
        stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) }
    }
}
