import JackdawTestSupport

@testable import JackdawCards

/// ASCII bytes of a text.
func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Parses a text as one format.
func parse<Content: TrackContent>(_ text: String, as format: Content.Type) throws(CardDataError) -> Content {
    try Content(parsing: ascii(text).span)
}

func recognise(_ text: String) throws(CardDataError) -> Track { try parse(text, as: Track.self) }

/// A card number of ASCII digits.
func number(_ digits: String) throws(CardDataError) -> PrimaryAccountNumber {
    try PrimaryAccountNumber(ascii(digits).span)
}

// A span cannot be an argument inside `#expect`, so these take text.
func isLuhnValid(_ text: String) -> Bool { Luhn.isValid(ascii(text).span) }
func checkDigit(of text: String) -> Int? { Luhn.checkDigit(of: ascii(text).span) }
func brand(of text: String) -> CardBrand { CardBrand(of: ascii(text).span) }
func masked(_ text: String) -> String { Masking.mask(ascii(text).span) }
func expiry(_ text: String) -> Expiry? { Expiry(SecretText(copying: ascii(text).span)) }
func serviceCode(_ text: String) -> ServiceCode? { ServiceCode(SecretText(copying: ascii(text).span)) }

extension PrimaryAccountNumber {
    var revealed: String { withRevealedDigits { String(ascii: $0) } }
}

extension TrackContent {
    var revealed: String { withRevealedText { String(ascii: $0) } }
}

/// Random cards and hostile texts from a seed.
struct CardGenerator {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func bool() -> Bool { Bool.random(using: &random) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[int(0...(values.count - 1))] }

    mutating func text(of alphabet: String, _ counts: ClosedRange<Int>) -> String {
        let characters = Array(alphabet)
        return String((0..<int(counts)).map { _ in pick(characters) })
    }

    mutating func digits(_ counts: ClosedRange<Int>) -> String { text(of: "0123456789", counts) }

    /// A Luhn-valid test number: prefix 999999, 8 to 19 digits.
    mutating func pan(_ lengths: ClosedRange<Int> = 8...19) -> String {
        let payload = "999999" + digits((lengths.lowerBound - 7)...(lengths.upperBound - 7))
        return payload + "\(checkDigit(of: payload) ?? -1)"
    }

    mutating func expiry() -> String {
        let month = int(1...12)
        return digits(2...2) + (month < 10 ? "0\(month)" : "\(month)")
    }

    mutating func bytes(_ counts: ClosedRange<Int>, in values: ClosedRange<Int>) -> [UInt8] {
        (0..<int(counts)).map { _ in UInt8(int(values)) }
    }
}

/// The fields of a random payment card, and the tracks they make.
struct RandomCard {
    let pan: String
    let name: String
    let expiry: String
    let serviceCode: String
    let discretionary1: String
    let discretionary2: String

    init(from generator: inout CardGenerator) {
        pan = generator.pan()
        name =
            generator.text(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ-' ", 1...12) + "/"
            + generator.text(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ.", 1...13)
        expiry = generator.bool() ? generator.expiry() : ""
        serviceCode = generator.bool() ? generator.digits(3...3) : ""
        let used = pan.count + name.count + 2 + 1 + 4 + 3 + 2
        discretionary1 = generator.text(of: "0123456789ABCXYZ ^/", 0...(81 - used))
        discretionary2 = generator.digits(0...(39 - pan.count - 3 - 7))
    }

    var track1: String {
        "%B\(pan)^\(name)^\(expiry.isEmpty ? "^" : expiry)\(serviceCode.isEmpty ? "^" : serviceCode)\(discretionary1)?"
    }

    var track2: String {
        ";\(pan)=\(expiry.isEmpty ? "=" : expiry)\(serviceCode.isEmpty ? "=" : serviceCode)\(discretionary2)?"
    }
}
