/// An amount of money in minor units of its currency.
public struct Amount: Sendable, Hashable, CustomStringConvertible {
    /// The number of minor units: 1050 for 10.50 EUR.
    public let minorUnits: UInt64
    /// The numeric code of the currency (ISO 4217); nil if it is not known.
    public let currencyCode: UInt16?

    /// An amount in a currency.
    public init(minorUnits: UInt64, currencyCode: UInt16?) {
        self.minorUnits = minorUnits
        self.currencyCode = currencyCode
    }

    /// Parses an amount (n 12, tags 9F02 and 9F03).
    /// - Returns: nil if the value does not have 1 to 6 octets of decimal digits.
    public init?(_ octets: Span<UInt8>, currencyCode: UInt16?) {
        guard (1...6).contains(octets.count), let number = octets.packedDecimal else { return nil }
        self.init(minorUnits: number, currencyCode: currencyCode)
    }

    /// The value of tag 9F02 or 9F03, 6 octets. Amounts of 13 and more digits lose their first digits.
    public var octets: [UInt8] { minorUnits.packedDecimalOctets(6) }

    /// The amount with the decimals of its currency and its code: `10.50 EUR`; minor units if the currency is unknown.
    public var description: String {
        guard let currency = currencyCode.flatMap({ Currency.find($0) }) else { return "\(minorUnits) minor units" }
        let digits = "\(minorUnits)"
        guard currency.exponent > 0 else { return "\(digits) \(currency.alphabeticCode)" }
        let missing = max(0, currency.exponent + 1 - digits.utf8.count)
        let whole = String(repeating: "0", count: missing) + digits
        let split = whole.utf8.count - currency.exponent
        var text = ""
        for (index, scalar) in whole.unicodeScalars.enumerated() {
            if index == split { text += "." }
            text.unicodeScalars.append(scalar)
        }
        return "\(text) \(currency.alphabeticCode)"
    }
}

/// A currency of ISO 4217.
public struct Currency: Sendable, Hashable {
    /// The numeric code, 1 to 999.
    public let numericCode: UInt16
    /// The alphabetic code, three letters.
    public let alphabeticCode: String
    /// Number of decimals of the major unit, 0 to 4.
    public let exponent: Int

    init(_ numericCode: UInt16, _ alphabeticCode: String, _ exponent: Int = 2) {
        self.numericCode = numericCode
        self.alphabeticCode = alphabeticCode
        self.exponent = exponent
    }

    /// Returns the currency with a numeric code.
    /// - Returns: nil if ISO 4217 has no currency with this code, or one without minor units, such as gold.
    public static func find(_ numericCode: UInt16) -> Currency? {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].numericCode < numericCode { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].numericCode == numericCode ? all[low] : nil
    }

    /// Returns the currency whose code is a value in format n 3, as in tags 5F2A and 9F42.
    /// - Returns: nil if the value is not the code of a currency with minor units.
    public static func find(_ octets: Span<UInt8>) -> Currency? {
        guard octets.count == 2, let code = octets.packedDecimal, code <= 999 else { return nil }
        return find(UInt16(code))
    }

    /// The currencies with minor units, in ascending order of numeric codes. Source: the list of ISO 4217, table A.1.
    public static let all: [Currency] = [
        Currency(8, "ALL"), Currency(12, "DZD"), Currency(32, "ARS"), Currency(36, "AUD"), Currency(44, "BSD"),
        Currency(48, "BHD", 3), Currency(50, "BDT"), Currency(51, "AMD"), Currency(52, "BBD"), Currency(60, "BMD"),
        Currency(64, "BTN"), Currency(68, "BOB"), Currency(72, "BWP"), Currency(84, "BZD"), Currency(90, "SBD"),
        Currency(96, "BND"), Currency(104, "MMK"), Currency(108, "BIF", 0), Currency(116, "KHR"),
        Currency(124, "CAD"), Currency(132, "CVE"), Currency(136, "KYD"), Currency(144, "LKR"),
        Currency(152, "CLP", 0), Currency(156, "CNY"), Currency(170, "COP"), Currency(174, "KMF", 0),
        Currency(188, "CRC"), Currency(191, "HRK"), Currency(192, "CUP"), Currency(203, "CZK"), Currency(208, "DKK"),
        Currency(214, "DOP"), Currency(222, "SVC"), Currency(230, "ETB"), Currency(232, "ERN"), Currency(238, "FKP"),
        Currency(242, "FJD"), Currency(262, "DJF", 0), Currency(270, "GMD"), Currency(292, "GIP"),
        Currency(320, "GTQ"), Currency(324, "GNF", 0), Currency(328, "GYD"), Currency(332, "HTG"),
        Currency(340, "HNL"), Currency(344, "HKD"), Currency(348, "HUF"), Currency(352, "ISK", 0),
        Currency(356, "INR"), Currency(360, "IDR"), Currency(364, "IRR"), Currency(368, "IQD", 3),
        Currency(376, "ILS"), Currency(388, "JMD"), Currency(392, "JPY", 0), Currency(398, "KZT"),
        Currency(400, "JOD", 3), Currency(404, "KES"), Currency(408, "KPW"), Currency(410, "KRW", 0),
        Currency(414, "KWD", 3), Currency(417, "KGS"), Currency(418, "LAK"), Currency(422, "LBP"),
        Currency(426, "LSL"), Currency(430, "LRD"), Currency(434, "LYD", 3), Currency(446, "MOP"),
        Currency(454, "MWK"), Currency(458, "MYR"), Currency(462, "MVR"), Currency(480, "MUR"), Currency(484, "MXN"),
        Currency(496, "MNT"), Currency(498, "MDL"), Currency(504, "MAD"), Currency(512, "OMR", 3),
        Currency(516, "NAD"), Currency(524, "NPR"), Currency(532, "ANG"), Currency(533, "AWG"),
        Currency(548, "VUV", 0), Currency(554, "NZD"), Currency(558, "NIO"), Currency(566, "NGN"),
        Currency(578, "NOK"), Currency(586, "PKR"), Currency(590, "PAB"), Currency(598, "PGK"),
        Currency(600, "PYG", 0), Currency(604, "PEN"), Currency(608, "PHP"), Currency(634, "QAR"),
        Currency(643, "RUB"), Currency(646, "RWF", 0), Currency(654, "SHP"), Currency(682, "SAR"),
        Currency(690, "SCR"), Currency(694, "SLL"), Currency(702, "SGD"), Currency(704, "VND", 0),
        Currency(706, "SOS"), Currency(710, "ZAR"), Currency(728, "SSP"), Currency(748, "SZL"), Currency(752, "SEK"),
        Currency(756, "CHF"), Currency(760, "SYP"), Currency(764, "THB"), Currency(776, "TOP"), Currency(780, "TTD"),
        Currency(784, "AED"), Currency(788, "TND", 3), Currency(800, "UGX", 0), Currency(807, "MKD"),
        Currency(818, "EGP"), Currency(826, "GBP"), Currency(834, "TZS"), Currency(840, "USD"), Currency(858, "UYU"),
        Currency(860, "UZS"), Currency(882, "WST"), Currency(886, "YER"), Currency(901, "TWD"), Currency(925, "SLE"),
        Currency(926, "VED"), Currency(927, "UYW", 4), Currency(928, "VES"), Currency(929, "MRU"),
        Currency(930, "STN"), Currency(931, "CUC"), Currency(932, "ZWL"), Currency(933, "BYN"), Currency(934, "TMT"),
        Currency(936, "GHS"), Currency(938, "SDG"), Currency(940, "UYI", 0), Currency(941, "RSD"),
        Currency(943, "MZN"), Currency(944, "AZN"), Currency(946, "RON"), Currency(947, "CHE"), Currency(948, "CHW"),
        Currency(949, "TRY"), Currency(950, "XAF", 0), Currency(951, "XCD"), Currency(952, "XOF", 0),
        Currency(953, "XPF", 0), Currency(967, "ZMW"), Currency(968, "SRD"), Currency(969, "MGA"),
        Currency(970, "COU"), Currency(971, "AFN"), Currency(972, "TJS"), Currency(973, "AOA"), Currency(975, "BGN"),
        Currency(976, "CDF"), Currency(977, "BAM"), Currency(978, "EUR"), Currency(979, "MXV"), Currency(980, "UAH"),
        Currency(981, "GEL"), Currency(984, "BOV"), Currency(985, "PLN"), Currency(986, "BRL"),
        Currency(990, "CLF", 4), Currency(997, "USN"),
    ]
}
