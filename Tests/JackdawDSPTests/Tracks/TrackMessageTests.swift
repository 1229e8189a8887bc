import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct TrackMessageTests {
    static let trackOne = "%B4111111111111111^DOE/JANE^29121010000000000000?"
    static let trackTwo = ";4111111111111111=29121010000000000?"

    /// ISO/IEC 7811-2, as the public code tables print them: least significant bit first, parity last.
    @Test(arguments: [
        (CharacterCode.alphanumeric, "%", "1010001"), (.alphanumeric, "?", "1111100"),
        (.alphanumeric, "^", "0111110"), (.alphanumeric, "A", "1000011"), (.alphanumeric, " ", "0000001"),
        (.numeric, ";", "11010"), (.numeric, "?", "11111"), (.numeric, "=", "10110"), (.numeric, "0", "00001"),
        (.numeric, "1", "10000"), (.numeric, "9", "10011"),
    ])
    func writesThePublishedPatterns(code: CharacterCode, character: String, pattern: String) throws {
        let start = code == .alphanumeric ? "%" : ";"
        let text = start + (character == start || character == "?" ? "" : character) + "?"
        let width = code.bitsPerCharacter
        let position = character == start ? 0 : 1
        let bits = try string(TrackMessage(text, code: code).bits)
        #expect(bits.dropFirst(position * width).prefix(width) == pattern)
    }

    /// `;1=?` by hand: 1011, 0001, 1101 and 1111 in data bits give an LRC of 1000, so 0001 least significant first and
    /// a parity bit of 0.
    @Test func endsInTheLongitudinalCheck() throws {
        let message = try TrackMessage(";1=?", code: .numeric)
        #expect(string(message.bits) == "11010" + "10000" + "10110" + "11111" + "00010")
        #expect(LongitudinalRedundancyCheck(of: [0xB, 0x1, 0xD, 0xF]).value == 0x8)
    }

    @Test(arguments: CharacterCode.allCases)
    func columnsAndCharactersHaveTheirParity(code: CharacterCode) throws {
        var random = SeededRandom(seed: 7)
        for length in 0..<60 {
            let message = try TrackMessage(randomText(code, length: length, &random), code: code)
            let bits = array(message.bits)
            let width = code.bitsPerCharacter
            #expect(bits.count == (length + 3) * width)
            for start in stride(from: 0, to: bits.count, by: width) {
                #expect(bits[start..<start + width].reduce(0, +).isMultiple(of: 2) == false)
            }
            for column in 0..<width - 1 {
                let ones = stride(from: column, to: bits.count, by: width).reduce(0) { $0 + Int(bits[$1]) }
                #expect(ones.isMultiple(of: 2))
            }
        }
    }

    @Test(arguments: CharacterCode.allCases)
    func writtenMessagesAreReadAgain(code: CharacterCode) throws {
        var random = SeededRandom(seed: 11)
        for length in 0..<100 {
            let text = randomText(code, length: length, &random)
            let bits = array(try TrackMessage(text, code: code).bits) + [0, 0, 1]
            let read = try TrackMessage(bits: bits.span, code: code)
            #expect(string(ascii: read.characters) == text)
        }
    }

    @Test func everySingleBitErrorIsFound() throws {
        let bits = array(try TrackMessage(Self.trackTwo, code: .numeric).bits)
        for index in bits.indices {
            var damaged = bits
            damaged[index] ^= 1
            #expect(throws: TrackMessageError.self) { try TrackMessage(bits: damaged.span, code: .numeric) }
        }
    }

    @Test func saysWhichCheckOfTheBitsFails() throws {
        let bits = array(try TrackMessage(";12?", code: .numeric).bits)
        func failure(_ bits: [UInt8]) -> TrackMessageError? {
            #expect(throws: TrackMessageError.self) { try TrackMessage(bits: bits.span, code: .numeric) }
        }
        #expect(failure([])?.code == .sentinelMissing)
        #expect(failure(Array(bits.dropFirst(5)))?.code == .sentinelMissing)
        #expect(failure(Array(bits.prefix(15)))?.code == .sentinelMissing)
        #expect(failure(Array(bits.prefix(24)))?.code == .lrc)

        var evenParity = bits
        evenParity[5] ^= 1
        #expect(failure(evenParity)?.code == .parity)
        #expect(failure(evenParity)?.position == 1)

        var twoErrors = bits
        twoErrors[5] ^= 1
        twoErrors[6] ^= 1
        #expect(failure(twoErrors)?.code == .lrc)
        #expect(failure(twoErrors)?.position == 4)
    }

    @Test(arguments: ["4111111111111111=29121010000000000", ";4111111111111111=29121010000000000", trackTwo])
    func addsTheSentinelsThatAreMissing(text: String) throws {
        let message = try TrackMessage(text, code: .numeric, addsSentinels: true)
        #expect(string(ascii: message.characters) == Self.trackTwo)
    }

    @Test func addsSentinelsToNothing() throws {
        let message = try TrackMessage("", code: .alphanumeric, addsSentinels: true)
        #expect(string(ascii: message.characters) == "%?")
    }

    @Test(arguments: [
        (CharacterCode.numeric, ";12A4?", TrackMessageError.Code.characterOutsideCode, 3),
        (.numeric, ";12 4?", .characterOutsideCode, 3), (.numeric, "%1?", .characterOutsideCode, 0),
        (.alphanumeric, "%ab?", .characterOutsideCode, 1), (.alphanumeric, "%É?", .characterOutsideCode, 1),
        (.alphanumeric, "%A\n?", .characterOutsideCode, 2), (.alphanumeric, "", .sentinelMissing, 0),
        (.alphanumeric, "A?", .sentinelMissing, 0), (.alphanumeric, "%", .sentinelMissing, 0),
        (.alphanumeric, "%AB", .sentinelMissing, 2), (.numeric, ";12?4?", .sentinelInside, 3),
    ])
    func textsThatCannotBeWrittenAreRefused(
        code: CharacterCode, text: String, expected: TrackMessageError.Code, position: Int
    ) {
        let error = #expect(throws: TrackMessageError.self) { try TrackMessage(text, code: code) }
        #expect(error?.code == expected)
        #expect(error?.position == position)
    }

    @Test func positionsCountInTheTextAsGiven() {
        let error = #expect(throws: TrackMessageError.self) {
            try TrackMessage("12A4", code: .numeric, addsSentinels: true)
        }
        #expect(error?.position == 2)
    }

    @Test func lengthIsLimitedOnlyWhenAsked() throws {
        let text = ";" + String(repeating: "1", count: 37) + "?"
        #expect(try TrackMessage(text, code: .numeric, maximumCharacters: 40).characters.count == 39)
        let error = #expect(throws: TrackMessageError.self) {
            try TrackMessage(text, code: .numeric, maximumCharacters: 39)
        }
        #expect(error?.code == .tooLong)
        let long = ";" + String(repeating: "1", count: 500) + "?"
        #expect(try TrackMessage(long, code: .numeric).characters.count == 502)
    }

    @Test func neitherDescriptionNorReflectionNorErrorsShowTheText() throws {
        let message = try TrackMessage(Self.trackOne, code: .alphanumeric)
        var dumped = ""
        dump(message, to: &dumped)
        dump(FluxStripe(message, track: .one), to: &dumped)
        let error = #expect(throws: TrackMessageError.self) { try TrackMessage(Self.trackOne, code: .numeric) }
        let shown = "\(message) \(String(reflecting: message)) \(dumped) \(String(describing: error))"
        #expect(!shown.contains("4111") && !shown.contains("DOE"))
    }

    private func randomText(_ code: CharacterCode, length: Int, _ random: inout SeededRandom) -> String {
        var text = [code.ascii(code.startSentinel)]
        while text.count < length + 1 {
            let value = UInt8.random(in: 0..<(1 << UInt8(code.dataBits)), using: &random)
            if value != code.endSentinel { text.append(code.ascii(value)) }
        }
        return String(decoding: text + [code.ascii(code.endSentinel)], as: UTF8.self)
    }
}

func array<Element>(_ wiped: WipedArray<Element>) -> [Element] {
    wiped.withElements { span in span.indices.map { span[$0] } }
}

/// Bits as the digits 0 and 1.
func string(_ bits: WipedArray<UInt8>) -> String { array(bits).map(String.init).joined() }

func string(ascii: WipedArray<UInt8>) -> String { String(decoding: array(ascii), as: UTF8.self) }
