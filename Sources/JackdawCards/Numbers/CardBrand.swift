/// A card scheme, told by the first digits of the number. The raw value is its name for machines.
public enum CardBrand: String, Sendable, Hashable, CaseIterable {
    /// American Express.
    case americanExpress = "american-express"
    /// BORICA of Bulgaria.
    case borica
    /// China T-Union, transport.
    case chinaTUnion = "china-t-union"
    /// Dankort of Denmark, Visa/Dankort included.
    case dankort
    /// Diners Club International.
    case dinersClub = "diners-club"
    /// Discover.
    case discover
    /// Elo of Brazil.
    case elo
    /// GPN of Indonesia.
    case gpn
    /// Hiper of Brazil.
    case hiper
    /// Hipercard of Brazil.
    case hipercard
    /// Humo of Uzbekistan.
    case humo
    /// InstaPayment.
    case instaPayment = "instapayment"
    /// InterPayment.
    case interPayment = "interpayment"
    /// JCB.
    case jcb
    /// LankaPay of Sri Lanka, co-branded with JCB.
    case lankaPay = "lankapay"
    /// Maestro.
    case maestro
    /// Mastercard.
    case mastercard
    /// Mir of Russia.
    case mir
    /// NAPAS of Vietnam.
    case napas
    /// NPS Pridnestrovie.
    case npsPridnestrovie = "nps-pridnestrovie"
    /// RuPay of India.
    case ruPay = "rupay"
    /// Troy of Turkey.
    case troy
    /// Universal Air Travel Plan.
    case uatp
    /// UkrCard of Ukraine.
    case ukrCard = "ukrcard"
    /// UnionPay of China.
    case unionPay = "unionpay"
    /// UzCard of Uzbekistan.
    case uzCard = "uzcard"
    /// Verve of Nigeria.
    case verve
    /// Visa, Visa Electron included.
    case visa
    /// No known range holds the number.
    case unknown

    /// The brand of a number or of its first digits (ASCII); the more digits of the issuer are there, the surer.
    /// - Parameter digits: the start of a number; ``unknown`` comes of anything that is not all digits.
    public init(of digits: Span<UInt8>) {
        self = IssuerRange.range(of: digits)?.brand ?? .unknown
    }
}

/// Card numbers that begin alike and belong to one scheme.
public struct IssuerRange: Sendable, Hashable {
    /// The scheme.
    public let brand: CardBrand
    /// The first digits of the numbers, read as one number. Both bounds have the same count of digits, none begins
    /// with 0.
    public let prefixes: ClosedRange<Int>
    /// How many digits the cards of this range have.
    public let lengths: [Int]

    /// How many digits of a number decide whether it belongs here, 1 to 8.
    public let prefixLength: Int

    /// The range that holds a number (ASCII digits); where several do, the one with the longest prefix. Nil where none
    /// does or a byte is no digit.
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
    /// July 2024); the ranges of Elo, Hiper, Hipercard, UnionPay 81, JCB 1800/2131 and Maestro as
    /// braintree/credit-card-type 10 has them, those of RuPay but for 81 and 82 as bhaskarmelkani/cardtype.js has them.
    /// Where schemes share a range, the card's home scheme is named: 622126-622925 is UnionPay (Discover takes it
    /// abroad), 4571 is Visa/Dankort, 353 and 356 are JCB (RuPay co-brand), 65 is Discover but for the ranges of Elo,
    /// RuPay and Verve.
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
