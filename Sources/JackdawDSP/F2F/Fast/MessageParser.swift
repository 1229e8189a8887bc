/// Finds whole messages in a run of bits: zeros, start sentinel, characters of odd parity, end sentinel, a fitting LRC, zeros.
struct MessageParser {
    /// A message that passes every check.
    struct Message {
        let code: CharacterCode
        /// Data values from start sentinel to LRC.
        @Wiped private(set) var values: [UInt8]
        /// The bits that it takes.
        let range: Range<Int>
        /// How many independent checks it passed, in bits: the chance of random bits doing so is about two to the minus this.
        let evidence: Int
    }

    /// Zeros that count as evidence on each side.
    private static let mostZeros = 10
    /// Zeros there must be before the start sentinel.
    private static let leastZeros = 3
    /// Bits after the LRC in which no one may stand, as far as there are bits.
    private static let quietAfter = 5
    private static let leastCharacters = 4

    /// All messages, in the order of their bits.
    static func messages(in bits: [UInt8]) -> [Message] {
        var found: [Message] = []
        var zeros = 0
        var index = 0
        while index < bits.count {
            if bits[index] == 0 {
                zeros += 1
                index += 1
                continue
            }
            if zeros >= leastZeros, let message = message(in: bits, at: index, zerosBefore: zeros) {
                found.append(message)
                index = message.range.upperBound
                zeros = 0
                continue
            }
            zeros = 0
            index += 1
        }
        return found
    }

    private static func message(in bits: [UInt8], at start: Int, zerosBefore: Int) -> Message? {
        for code in CharacterCode.allCases {
            if let message = message(in: bits, at: start, zerosBefore: zerosBefore, code: code) { return message }
        }
        return nil
    }

    private static func message(
        in bits: [UInt8], at start: Int, zerosBefore: Int, code: CharacterCode
    ) -> Message? {
        let width = code.bitsPerCharacter
        func character(_ place: Int) -> UInt8? {
            guard place + width <= bits.count else { return nil }
            var pattern: UInt8 = 0
            for bit in 0..<width { pattern |= bits[place + bit] << UInt8(bit) }
            guard pattern.nonzeroBitCount & 1 == 1 else { return nil }
            return pattern & ((1 << UInt8(code.dataBits)) - 1)
        }
        guard character(start) == code.startSentinel else { return nil }
        var values: [UInt8] = []
        values.reserveCapacity(code.maximumCharacters + 1)  // growing would leave unwiped copies behind
        // What came of it goes on in the message, and nowhere else.
        var message: Message?
        defer { if message == nil { values.wipe() } }
        var check: UInt8 = 0
        var place = start
        while let value = character(place), values.count < code.maximumCharacters {
            values.append(value)
            check ^= value
            place += width
            guard value == code.endSentinel else { continue }
            guard values.count + 1 >= leastCharacters, character(place) == check else { return nil }
            values.append(check)
            place += width
            let after = bits[place..<min(place + mostZeros, bits.count)].prefix { $0 == 0 }.count
            guard after >= min(quietAfter, bits.count - place) else { return nil }
            let evidence =
                2 * width + values.count + code.dataBits + min(zerosBefore, mostZeros) + after
            message = Message(code: code, values: values, range: start..<place, evidence: evidence)
            break
        }
        return message
    }
}
