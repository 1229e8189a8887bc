import JackdawBytes

/// One message on a track: characters from start to end sentinel, convertible to and from the bits on the stripe.
///
/// ```swift
/// let message = try TrackMessage("4111111111111111=2912101", code: .numeric, addsSentinels: true)
/// message.bits.withElements { bits in ... }
/// ```
public struct TrackMessage: Sendable, CustomStringConvertible {
    /// The code between characters and bits.
    public let code: CharacterCode
    /// ASCII from start sentinel to end sentinel, without the LRC.
    public let characters: WipedArray<UInt8>

    /// Creates a message from text, to be written.
    /// - Parameters:
    ///   - text: ASCII, for example `;4111111111111111=29121010000000000?`.
    ///   - code: the character code of the track.
    ///   - addsSentinels: whether to add the sentinels that the text does not have; otherwise it must have both.
    ///   - maximumCharacters: the largest number of characters with both sentinels and the LRC, or nil for no limit
    ///     (see ``CharacterCode/maximumCharacters``).
    /// - Throws: ``TrackMessageError`` with the position of the first character that cannot be written.
    public init(
        _ text: String, code: CharacterCode, addsSentinels: Bool = false, maximumCharacters: Int? = nil
    ) throws(TrackMessageError) {
        let start = code.ascii(code.startSentinel)
        let end = code.ascii(code.endSentinel)
        var characters: [UInt8] = []
        defer { characters.wipe() }
        characters.reserveCapacity(text.utf8.count + 2)  // growing would leave unwiped copies
        characters.append(contentsOf: text.utf8)
        var shift = 0
        if addsSentinels {
            if characters.first != start {
                characters.insert(start, at: 0)
                shift = 1
            }
            if characters.count == 1 || characters.last != end { characters.append(end) }
        }
        for (index, character) in characters.enumerated() where code.value(ofASCII: character) == nil {
            throw TrackMessageError(
                .characterOutsideCode, at: index - shift,
                "character \(index - shift + 1) is not in the \(code) code, which has \(code.repertoire)")
        }
        guard characters.first == start else {
            throw TrackMessageError(
                .sentinelMissing, at: 0, "the first character is not the start sentinel \(code.sentinelNames.start)")
        }
        guard characters.count > 1, characters.last == end else {
            throw TrackMessageError(
                .sentinelMissing, at: max(0, characters.count - 1 - shift),
                "the last character is not the end sentinel \(code.sentinelNames.end)")
        }
        if let inside = characters.dropLast().firstIndex(of: end) {
            throw TrackMessageError(
                .sentinelInside, at: inside - shift,
                "character \(inside - shift + 1) is an end sentinel: a reader would stop there")
        }
        if let maximumCharacters, characters.count + 1 > maximumCharacters {
            throw TrackMessageError(
                .tooLong, at: max(0, maximumCharacters - 1 - shift),
                "\(characters.count + 1) characters with sentinels and LRC; the track holds \(maximumCharacters)")
        }
        self.code = code
        self.characters = WipedArray(characters)
    }

    /// Decodes the message in a sequence of bits, with all checks.
    /// - Parameters:
    ///   - bits: 0 or 1 each, in stripe order, beginning with the first bit of the start sentinel; bits after the LRC
    ///     are ignored.
    ///   - code: the character code of the track.
    /// - Throws: ``TrackMessageError`` with the first character that fails.
    public init(bits: Span<UInt8>, code: CharacterCode) throws(TrackMessageError) {
        var characters: [UInt8] = []
        defer { characters.wipe() }
        characters.reserveCapacity(bits.count / code.bitsPerCharacter)
        var check = LongitudinalRedundancyCheck()
        var isComplete = false
        let width = code.bitsPerCharacter
        for start in stride(from: 0, through: bits.count - width, by: width) {
            var pattern: UInt8 = 0
            for offset in 0..<width { pattern |= (bits[start + offset] & 1) << UInt8(offset) }
            let value = pattern & ((1 << UInt8(code.dataBits)) - 1)
            let position = characters.count
            guard pattern == code.pattern(of: value) else {
                throw TrackMessageError(.parity, at: position, "character \(position + 1) has even parity")
            }
            if isComplete {
                guard value == check.value else {
                    throw TrackMessageError(.lrc, at: position, "the LRC does not match the \(position) characters")
                }
                self.code = code
                self.characters = WipedArray(characters)
                return
            }
            guard position > 0 || value == code.startSentinel else {
                throw TrackMessageError(
                    .sentinelMissing, at: 0,
                    "the first character is not the start sentinel \(code.sentinelNames.start)")
            }
            check.add(value)
            characters.append(code.ascii(value))
            isComplete = value == code.endSentinel
        }
        throw TrackMessageError(
            isComplete ? .lrc : .sentinelMissing, at: characters.count,
            isComplete
                ? "the bits end before the LRC"
                : "no end sentinel \(code.sentinelNames.end) in \(characters.count) characters")
    }

    /// The bits in stripe order, one per byte: every character least significant bit first with its odd parity, then
    /// the LRC.
    public var bits: WipedArray<UInt8> {
        var bits: [UInt8] = []
        defer { bits.wipe() }
        bits.reserveCapacity((characters.count + 1) * code.bitsPerCharacter)
        var check = LongitudinalRedundancyCheck()
        characters.withElements { characters in
            for index in characters.indices {
                let value = characters[index] &- code.base
                check.add(value)
                code.append(value, to: &bits)
            }
        }
        code.append(check.value, to: &bits)
        return WipedArray(bits)
    }

    /// The length of the message, without its text.
    public var description: String { "\(code) message of \(characters.count) characters" }
}

extension CharacterCode {
    /// The characters of this code, for error messages.
    var repertoire: String {
        self == .alphanumeric ? "space to _ of ASCII, capital letters only" : "the digits and : ; < = > ?"
    }

    /// The sentinels, for error messages.
    var sentinelNames: (start: Character, end: Character) {
        (Character(Unicode.Scalar(ascii(startSentinel))), Character(Unicode.Scalar(ascii(endSentinel))))
    }

    /// Appends the bits of one character in stripe order.
    func append(_ value: UInt8, to bits: inout [UInt8]) {
        let pattern = pattern(of: value)
        for offset in 0..<UInt8(bitsPerCharacter) { bits.append((pattern >> offset) & 1) }
    }
}

/// The error of text that cannot be written on a track, or of bits that are not a message. It names positions, never
/// card data.
public struct TrackMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind { case characterOutsideCode, sentinelMissing, sentinelInside, tooLong, parity, lrc }
        let kind: Kind
        /// A character that is not in the code of this track.
        public static let characterOutsideCode = Code(kind: .characterOutsideCode)
        /// The first character is not the start sentinel, or the last is not the end sentinel.
        public static let sentinelMissing = Code(kind: .sentinelMissing)
        /// An end sentinel before the end, at which a reader would stop.
        public static let sentinelInside = Code(kind: .sentinelInside)
        /// More characters than the track can hold.
        public static let tooLong = Code(kind: .tooLong)
        /// A character with even parity.
        public static let parity = Code(kind: .parity)
        /// The LRC does not match the characters.
        public static let lrc = Code(kind: .lrc)
    }

    /// The kind of error, for programs to compare.
    public let code: Code
    /// Position of the wrong character, from 0, in the text or in the characters decoded from the bits.
    public let position: Int
    /// The fault and the valid values, in one line.
    public let message: String

    public var description: String { message }

    init(_ code: Code, at position: Int, _ message: String) {
        self.code = code
        self.position = position
        self.message = message
    }
}
