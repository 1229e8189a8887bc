/// A card scheme, identified by the first digits of the number. The raw value is its name for machines.
public enum CardBrand: String, Sendable, Hashable, CaseIterable {
    /// American Express of the United States.
    case americanExpress = "american-express"
    /// BORICA, a scheme of Bulgaria.
    case borica
    /// China T-Union, for public transport.
    case chinaTUnion = "china-t-union"
    /// Dankort of Denmark, Visa/Dankort included.
    case dankort
    /// Diners Club International, a scheme of the United States.
    case dinersClub = "diners-club"
    /// Discover of the United States.
    case discover
    /// Elo, a scheme of Brazil.
    case elo
    /// GPN, a scheme of Indonesia.
    case gpn
    /// Hiper, a scheme of Brazil.
    case hiper
    /// Hipercard, a scheme of Brazil.
    case hipercard
    /// Humo, a scheme of Uzbekistan.
    case humo
    /// InstaPayment, numbers from 637 to 639.
    case instaPayment = "instapayment"
    /// InterPayment, numbers that begin with 636.
    case interPayment = "interpayment"
    /// JCB, a scheme of Japan.
    case jcb
    /// LankaPay of Sri Lanka, co-branded with JCB.
    case lankaPay = "lankapay"
    /// Maestro, the debit cards of Mastercard.
    case maestro
    /// Mastercard, without its Maestro cards.
    case mastercard
    /// Mir, a scheme of Russia.
    case mir
    /// NAPAS, a scheme of Vietnam.
    case napas
    /// NPS Pridnestrovie, a scheme of Transnistria.
    case npsPridnestrovie = "nps-pridnestrovie"
    /// RuPay, a scheme of India.
    case ruPay = "rupay"
    /// Troy, a scheme of Turkey.
    case troy
    /// Universal Air Travel Plan.
    case uatp
    /// UkrCard, a scheme of Ukraine.
    case ukrCard = "ukrcard"
    /// UnionPay, a scheme of China.
    case unionPay = "unionpay"
    /// UzCard, a scheme of Uzbekistan.
    case uzCard = "uzcard"
    /// Verve, a scheme of Nigeria.
    case verve
    /// Visa, Visa Electron included.
    case visa
    /// The number is in no known range.
    case unknown

    /// The brand of a number or of its first digits (ASCII). More digits of the issuer make the result more certain.
    /// - Parameter digits: the start of a number; any other character gives ``unknown``.
    public init(of digits: Span<UInt8>) {
        self = IssuerRange.range(of: digits)?.brand ?? .unknown
    }
}

/// A range of card numbers that begin alike and belong to one scheme.
public struct IssuerRange: Sendable, Hashable {
    /// The scheme that the numbers belong to.
    public let brand: CardBrand
    /// The first digits of the numbers, read as one number. Both bounds have the same number of digits, and do not
    /// begin with 0.
    public let prefixes: ClosedRange<Int>
    /// The possible numbers of digits of a card in this range.
    public let lengths: [Int]

    /// Number of digits that decide whether a number is in this range, 1 to 8.
    public let prefixLength: Int

    /// The range of a number (ASCII digits); of several ranges, the one with the longest prefix. Nil if no range
    /// matches, or a byte is not a digit.
    public static func range(of digits: Span<UInt8>) -> IssuerRange? {
        for index in digits.indices where !digits[index].isDigit { return nil }
        let longest = min(digits.count, all[0].prefixLength)
        var prefix = 0
        var found: IssuerRange?
        for index in 0..<longest {
            prefix = prefix * 10 + digits[index].digitValue
            found = all.first { $0.prefixLength == index + 1 && $0.prefixes.contains(prefix) } ?? found
        }
        return found
    }

    private init(_ brand: CardBrand, _ prefixes: ClosedRange<Int>, _ lengths: [Int]) {
        self.brand = brand
        self.prefixes = prefixes
        self.lengths = lengths
        prefixLength = String(prefixes.lowerBound).utf8.count
    }

    /// All ranges known, longest prefix first; no two of one prefix length overlap.
    ///
    /// Sources: the table of issuer identification numbers in the English Wikipedia's "Payment card number" (state of
    /// July 2024); the ranges of Elo, Hiper, Hipercard, UnionPay 81, JCB 1800/2131 and Maestro from
    /// braintree/credit-card-type 10; those of RuPay except 81 and 82 from bhaskarmelkani/cardtype.js. If schemes share
    /// a range, the card's home scheme is named: 622126-622925 is UnionPay (Discover accepts it abroad), 4571 is
    /// Visa/Dankort, 353 and 356 are JCB (RuPay co-brand), 65 is Discover except the ranges of Elo, RuPay and Verve.
    public static let all: [IssuerRange] = {
        let ranges = table.flatMap { brand, lengths, prefixes in
            prefixes.map { IssuerRange(brand, $0, lengths) }
        }
        return ranges.sorted { $0.prefixLength > $1.prefixLength }
    }()

    private static let table: [(CardBrand, [Int], [ClosedRange<Int>])] = [
        (.americanExpress, [15], [34...34, 37...37]),
        (.borica, Array(16...19), [2205...2205]),
        (.chinaTUnion, [19], [31...31]),
        (.dankort, [16], [5019...5019, 4571...4571]),
        (.dinersClub, Array(14...19), [300...305, 3095...3095, 36...36, 38...39]),
        (.discover, Array(16...19), [6011...6011, 644...649, 65...65]),
        (
            .elo, [16],
            [
                401178...401179, 431274...431274, 438935...438935, 451416...451416, 457393...457393, 457631...457632,
                504175...504175, 506699...506778, 509000...509999, 627780...627780, 636297...636297, 636368...636368,
                650031...650033, 650035...650051, 650405...650439, 650485...650538, 650541...650598, 650700...650718,
                650720...650727, 650901...650978, 651652...651679, 655000...655019, 655021...655058,
            ]
        ),
        (.gpn, [16, 18, 19], [1946...1946]),
        (
            .hiper, [16],
            [
                637095...637095, 637568...637568, 637599...637599, 637609...637609, 637612...637612,
                63_737_423...63_737_423, 63_743_358...63_743_358,
            ]
        ),
        (.hipercard, [16], [606282...606282]),
        (.humo, [16], [9860...9860]),
        (.instaPayment, [16], [637...639]),
        (.interPayment, Array(16...19), [636...636]),
        (.jcb, Array(16...19), [3528...3589]),
        (.jcb, [15], [1800...1800, 2131...2131]),
        (.lankaPay, [16], [357111...357111]),
        (.maestro, Array(12...19), [50...50, 56...58, 63...63, 67...67, 493698...493698]),
        (.mastercard, [16], [51...55, 2221...2720]),
        (.mir, Array(16...19), [2200...2204]),
        (.napas, [16, 19], [9704...9704]),
        (.npsPridnestrovie, [16], [6_054_740...6_054_744]),
        (.ruPay, [16], [508500...508999, 606985...607984, 608001...608500, 652150...653149, 81...82]),
        (.troy, [16], [9792...9792]),
        (.uatp, [15], [1...1]),
        (.ukrCard, Array(16...19), [60_400_100...60_420_099]),
        (.unionPay, Array(14...19), [62...62, 8100...8171]),
        (.uzCard, [16], [8600...8600, 5614...5614]),
        (.verve, [16, 18, 19], [506099...506198, 507865...507964, 650002...650027]),
        (.visa, [13, 16, 18, 19], [4...4]),
    ]
}
