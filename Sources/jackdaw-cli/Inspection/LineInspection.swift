import JackdawDSP
import JackdawSpectrum

/// A section of a line code, with the sound of its beginning and the characters decoded from that.
struct LineInspection {
    /// A character of the line with its place in the sound.
    struct Character {
        /// The value in hexadecimal digits, or `**` if it is hidden.
        let label: String
        /// The value as text if it is printable and not hidden, else empty.
        let text: String
        /// Edges of its bits, in samples from the start of the recording.
        let edges: [Double]
        /// The bits, 0 or 1, from start to stop; empty if they are hidden or the mode has no framing.
        let bits: [Int]
        /// Whether its start, stop or parity bits are wrong.
        let isDoubtful: Bool
    }

    /// Seconds of sound that are kept of the beginning.
    static let seconds = 2.0

    let guess: LineGuess
    /// The sound with a margin before it, and the number of its first sample.
    let samples: WipedArray<Float>
    let firstSample: Int
    let sampleRate: Double
    /// In the order of time; empty if the mode has no decoder or nothing could be decoded.
    let characters: [Character]

    /// - Parameters:
    ///   - guess: the line code.
    ///   - samples: the sound with a margin before it.
    ///   - firstSample: number of the first sample.
    ///   - sampleRate: in Hz.
    ///   - isRevealed: whether the characters show; they may be card data.
    init(
        _ guess: LineGuess, samples: WipedArray<Float>, firstSample: Int, sampleRate: Double, isRevealed: Bool
    ) {
        self.guess = guess
        self.samples = samples
        self.firstSample = firstSample
        self.sampleRate = sampleRate
        let found = Self.decode(guess, samples, sampleRate: sampleRate).map { found in
            Self.character(found.character, found.framing, guess, firstSample, sampleRate, isRevealed: isRevealed)
        }
        // Drops characters that were decoded from the noise around the line code.
        let bit = sampleRate / guess.baud
        let span = Double(guess.samples.lowerBound) - bit...Double(guess.samples.upperBound) + 3 * bit
        characters = found.filter { $0.edges.allSatisfy(span.contains) }
    }

    /// The characters as text in one line: hexadecimal digits, or their number if they are hidden.
    func summary(isRevealed: Bool) -> String {
        guard !characters.isEmpty else { return "" }
        guard isRevealed else { return "\(counted(characters.count, "byte")), hidden without --reveal" }
        let most = 56
        let digits = characters.prefix(most).map(\.label).joined(separator: " ")
        return digits + (characters.count > most ? " ..." : "")
    }

    /// A character, with the framing of a mode that sends one bit after the other; nil for other modes.
    private typealias Found = (character: LineCharacter, framing: CharacterFraming?)
    /// Chips of a byte in a mode without framing: two frames of ten.
    private static let chipsPerByte = 20

    private static func decode(
        _ guess: LineGuess, _ samples: WipedArray<Float>, sampleRate: Double
    ) -> [Found] {
        guard let mode = guess.mode, var decoder = try? mode.decoder(sampleRate: sampleRate) else { return [] }
        var framing: CharacterFraming?
        switch mode.code {
        case .frequencyShift(_, let used): framing = used
        case .serialManchester: framing = CharacterFraming(parity: .even)
        case .frequencyShiftBits, .nibbles, .dynamo: break
        }
        let events = samples.withElements { decoder.receive($0) } + decoder.finish()
        return events.compactMap { event in
            if case .character(let character) = event { (character, framing) } else { nil }
        }
    }

    private static func character(
        _ character: LineCharacter, _ framing: CharacterFraming?, _ guess: LineGuess, _ firstSample: Int,
        _ sampleRate: Double, isRevealed: Bool
    ) -> Character {
        let value = Int(character.value)
        let bits = framing.map { Self.bits(of: value, $0) } ?? []
        let cells = framing == nil ? chipsPerByte : bits.count
        let start = Double(firstSample) + character.startSample
        let digits = String(value, radix: 16, uppercase: true)
        let isPrintable = (0x20..<0x7F).contains(value)
        return Character(
            label: isRevealed ? String(repeating: "0", count: max(0, 2 - digits.count)) + digits : "**",
            text: isRevealed && isPrintable ? String(UnicodeScalar(UInt8(value))) : "",
            edges: (0...cells).map { start + Double($0) * sampleRate / guess.baud },
            bits: isRevealed ? bits : [], isDoubtful: !character.isFramed)
    }

    /// The bits on the line from start to stop.
    private static func bits(of value: Int, _ framing: CharacterFraming) -> [Int] {
        let data = (0..<framing.dataBits).map { place in
            value >> (framing.bitOrder == .leastSignificantFirst ? place : framing.dataBits - 1 - place) & 1
        }
        let ones = data.reduce(0, +) & 1
        let parity = framing.parity == .none ? [] : [framing.parity == .even ? ones : 1 - ones]
        return [0] + data + parity + [1]
    }
}

extension LineGuess {
    /// Mode, baud and tones in one line.
    var title: String {
        let isUnnamed = modeName == Self.unnamed
        var parts = [isUnnamed ? "unknown tones" : modeName, "\(fixed(baud, baud < 1_000 ? 1 : 0)) baud"]
        if case .tones(let tones) = carrier {
            parts.append("mark \(fixed(tones.mark, 0)) Hz, space \(fixed(tones.space, 0)) Hz")
        }
        return parts.joined(separator: ", ")
    }

    /// The fit to the mode, for a mode with a name, and the regularity of the bit clock.
    var quality: String {
        let regularity = "regularity \(fixed(regularity, 2))"
        return modeName == Self.unnamed ? regularity : "fit \(fixed(fit, 2)), \(regularity)"
    }

    /// The mode, or 8N1 in the measured tones; nil if there is no such mode.
    fileprivate var mode: LineMode? {
        guard modeName == Self.unnamed else { return try? LineMode(named: modeName) }
        guard case .tones(let tones) = carrier else { return nil }
        let shift = FrequencyShift(baud: baud.rounded(), mark: tones.mark, space: tones.space)
        return LineMode(
            name: modeName, summary: "measured tones", code: .frequencyShift(shift, .eightNoneOne))
    }
}
