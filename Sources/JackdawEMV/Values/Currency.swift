/// A currency of ISO 4217.
public struct Currency: Sendable, Hashable {
    /// The numeric code, 1 to 999.
    public let numericCode: UInt16
    /// The alphabetic code, three letters.
    public let alphabeticCode: String
    /// The name in English.
    public let name: String
    /// Number of decimals of the major unit, 0 to 4.
    public let exponent: Int

    init(_ numericCode: UInt16, _ alphabeticCode: String, _ name: String, _ exponent: Int = 2) {
        self.numericCode = numericCode
        self.alphabeticCode = alphabeticCode
        self.name = name
        self.exponent = exponent
    }

    /// Returns the currency with a numeric code.
    /// - Returns: nil if ISO 4217 has no currency with this code, or one without minor units, such as gold.
    public static func find(_ numericCode: UInt16) -> Currency? { all.find(numericCode) }

    /// Returns the currency whose code is a value in format n 3, as in tags 5F2A and 9F42.
    /// - Returns: nil if the value is not the code of a currency with minor units.
    public static func find(_ octets: Span<UInt8>) -> Currency? { all.find(octets) }

    /// Returns the currency with an alphabetic code, in capital letters: `EUR`.
    /// - Returns: nil if ISO 4217 has no currency with this code, or one without minor units.
    package static func find(alphabeticCode code: String) -> Currency? {
        all.first { $0.alphabeticCode.utf8.elementsEqual(code.utf8) }
    }

    /// The numeric code in format n 3, as in tag 5F2A: two octets.
    package var octets: [UInt8] { UInt64(numericCode).packedDecimalOctets(2) }

    /// The currencies with minor units, in ascending order of numeric codes. Source: the list of ISO 4217, table A.1.
    public static let all: [Currency] = [
        Currency(8, "ALL", "Lek"),
        Currency(12, "DZD", "Algerian Dinar"),
        Currency(32, "ARS", "Argentine Peso"),
        Currency(36, "AUD", "Australian Dollar"),
        Currency(44, "BSD", "Bahamian Dollar"),
        Currency(48, "BHD", "Bahraini Dinar", 3),
        Currency(50, "BDT", "Taka"),
        Currency(51, "AMD", "Armenian Dram"),
        Currency(52, "BBD", "Barbados Dollar"),
        Currency(60, "BMD", "Bermudian Dollar"),
        Currency(64, "BTN", "Ngultrum"),
        Currency(68, "BOB", "Boliviano"),
        Currency(72, "BWP", "Pula"),
        Currency(84, "BZD", "Belize Dollar"),
        Currency(90, "SBD", "Solomon Islands Dollar"),
        Currency(96, "BND", "Brunei Dollar"),
        Currency(104, "MMK", "Kyat"),
        Currency(108, "BIF", "Burundi Franc", 0),
        Currency(116, "KHR", "Riel"),
        Currency(124, "CAD", "Canadian Dollar"),
        Currency(132, "CVE", "Cabo Verde Escudo"),
        Currency(136, "KYD", "Cayman Islands Dollar"),
        Currency(144, "LKR", "Sri Lanka Rupee"),
        Currency(152, "CLP", "Chilean Peso", 0),
        Currency(156, "CNY", "Yuan Renminbi"),
        Currency(170, "COP", "Colombian Peso"),
        Currency(174, "KMF", "Comorian Franc", 0),
        Currency(188, "CRC", "Costa Rican Colon"),
        Currency(191, "HRK", "Kuna"),
        Currency(192, "CUP", "Cuban Peso"),
        Currency(203, "CZK", "Czech Koruna"),
        Currency(208, "DKK", "Danish Krone"),
        Currency(214, "DOP", "Dominican Peso"),
        Currency(222, "SVC", "El Salvador Colon"),
        Currency(230, "ETB", "Ethiopian Birr"),
        Currency(232, "ERN", "Nakfa"),
        Currency(238, "FKP", "Falkland Islands Pound"),
        Currency(242, "FJD", "Fiji Dollar"),
        Currency(262, "DJF", "Djibouti Franc", 0),
        Currency(270, "GMD", "Dalasi"),
        Currency(292, "GIP", "Gibraltar Pound"),
        Currency(320, "GTQ", "Quetzal"),
        Currency(324, "GNF", "Guinean Franc", 0),
        Currency(328, "GYD", "Guyana Dollar"),
        Currency(332, "HTG", "Gourde"),
        Currency(340, "HNL", "Lempira"),
        Currency(344, "HKD", "Hong Kong Dollar"),
        Currency(348, "HUF", "Forint"),
        Currency(352, "ISK", "Iceland Krona", 0),
        Currency(356, "INR", "Indian Rupee"),
        Currency(360, "IDR", "Rupiah"),
        Currency(364, "IRR", "Iranian Rial"),
        Currency(368, "IQD", "Iraqi Dinar", 3),
        Currency(376, "ILS", "New Israeli Sheqel"),
        Currency(388, "JMD", "Jamaican Dollar"),
        Currency(392, "JPY", "Yen", 0),
        Currency(398, "KZT", "Tenge"),
        Currency(400, "JOD", "Jordanian Dinar", 3),
        Currency(404, "KES", "Kenyan Shilling"),
        Currency(408, "KPW", "North Korean Won"),
        Currency(410, "KRW", "Won", 0),
        Currency(414, "KWD", "Kuwaiti Dinar", 3),
        Currency(417, "KGS", "Som"),
        Currency(418, "LAK", "Lao Kip"),
        Currency(422, "LBP", "Lebanese Pound"),
        Currency(426, "LSL", "Loti"),
        Currency(430, "LRD", "Liberian Dollar"),
        Currency(434, "LYD", "Libyan Dinar", 3),
        Currency(446, "MOP", "Pataca"),
        Currency(454, "MWK", "Malawi Kwacha"),
        Currency(458, "MYR", "Malaysian Ringgit"),
        Currency(462, "MVR", "Rufiyaa"),
        Currency(480, "MUR", "Mauritius Rupee"),
        Currency(484, "MXN", "Mexican Peso"),
        Currency(496, "MNT", "Tugrik"),
        Currency(498, "MDL", "Moldovan Leu"),
        Currency(504, "MAD", "Moroccan Dirham"),
        Currency(512, "OMR", "Rial Omani", 3),
        Currency(516, "NAD", "Namibia Dollar"),
        Currency(524, "NPR", "Nepalese Rupee"),
        Currency(532, "ANG", "Netherlands Antillean Guilder"),
        Currency(533, "AWG", "Aruban Florin"),
        Currency(548, "VUV", "Vatu", 0),
        Currency(554, "NZD", "New Zealand Dollar"),
        Currency(558, "NIO", "Cordoba Oro"),
        Currency(566, "NGN", "Naira"),
        Currency(578, "NOK", "Norwegian Krone"),
        Currency(586, "PKR", "Pakistan Rupee"),
        Currency(590, "PAB", "Balboa"),
        Currency(598, "PGK", "Kina"),
        Currency(600, "PYG", "Guarani", 0),
        Currency(604, "PEN", "Sol"),
        Currency(608, "PHP", "Philippine Peso"),
        Currency(634, "QAR", "Qatari Rial"),
        Currency(643, "RUB", "Russian Ruble"),
        Currency(646, "RWF", "Rwanda Franc", 0),
        Currency(654, "SHP", "Saint Helena Pound"),
        Currency(682, "SAR", "Saudi Riyal"),
        Currency(690, "SCR", "Seychelles Rupee"),
        Currency(694, "SLL", "Leone"),
        Currency(702, "SGD", "Singapore Dollar"),
        Currency(704, "VND", "Dong", 0),
        Currency(706, "SOS", "Somali Shilling"),
        Currency(710, "ZAR", "Rand"),
        Currency(728, "SSP", "South Sudanese Pound"),
        Currency(748, "SZL", "Lilangeni"),
        Currency(752, "SEK", "Swedish Krona"),
        Currency(756, "CHF", "Swiss Franc"),
        Currency(760, "SYP", "Syrian Pound"),
        Currency(764, "THB", "Baht"),
        Currency(776, "TOP", "Pa’anga"),
        Currency(780, "TTD", "Trinidad and Tobago Dollar"),
        Currency(784, "AED", "UAE Dirham"),
        Currency(788, "TND", "Tunisian Dinar", 3),
        Currency(800, "UGX", "Uganda Shilling", 0),
        Currency(807, "MKD", "Denar"),
        Currency(818, "EGP", "Egyptian Pound"),
        Currency(826, "GBP", "Pound Sterling"),
        Currency(834, "TZS", "Tanzanian Shilling"),
        Currency(840, "USD", "US Dollar"),
        Currency(858, "UYU", "Peso Uruguayo"),
        Currency(860, "UZS", "Uzbekistan Sum"),
        Currency(882, "WST", "Tala"),
        Currency(886, "YER", "Yemeni Rial"),
        Currency(901, "TWD", "New Taiwan Dollar"),
        Currency(925, "SLE", "Leone"),
        Currency(926, "VED", "Bolívar Soberano"),
        Currency(927, "UYW", "Unidad Previsional", 4),
        Currency(928, "VES", "Bolívar Soberano"),
        Currency(929, "MRU", "Ouguiya"),
        Currency(930, "STN", "Dobra"),
        Currency(931, "CUC", "Peso Convertible"),
        Currency(932, "ZWL", "Zimbabwe Dollar"),
        Currency(933, "BYN", "Belarusian Ruble"),
        Currency(934, "TMT", "Turkmenistan New Manat"),
        Currency(936, "GHS", "Ghana Cedi"),
        Currency(938, "SDG", "Sudanese Pound"),
        Currency(940, "UYI", "Uruguay Peso en Unidades Indexadas (UI)", 0),
        Currency(941, "RSD", "Serbian Dinar"),
        Currency(943, "MZN", "Mozambique Metical"),
        Currency(944, "AZN", "Azerbaijan Manat"),
        Currency(946, "RON", "Romanian Leu"),
        Currency(947, "CHE", "WIR Euro"),
        Currency(948, "CHW", "WIR Franc"),
        Currency(949, "TRY", "Turkish Lira"),
        Currency(950, "XAF", "CFA Franc BEAC", 0),
        Currency(951, "XCD", "East Caribbean Dollar"),
        Currency(952, "XOF", "CFA Franc BCEAO", 0),
        Currency(953, "XPF", "CFP Franc", 0),
        Currency(967, "ZMW", "Zambian Kwacha"),
        Currency(968, "SRD", "Surinam Dollar"),
        Currency(969, "MGA", "Malagasy Ariary"),
        Currency(970, "COU", "Unidad de Valor Real"),
        Currency(971, "AFN", "Afghani"),
        Currency(972, "TJS", "Somoni"),
        Currency(973, "AOA", "Kwanza"),
        Currency(975, "BGN", "Bulgarian Lev"),
        Currency(976, "CDF", "Congolese Franc"),
        Currency(977, "BAM", "Convertible Mark"),
        Currency(978, "EUR", "Euro"),
        Currency(979, "MXV", "Mexican Unidad de Inversion (UDI)"),
        Currency(980, "UAH", "Hryvnia"),
        Currency(981, "GEL", "Lari"),
        Currency(984, "BOV", "Mvdol"),
        Currency(985, "PLN", "Zloty"),
        Currency(986, "BRL", "Brazilian Real"),
        Currency(990, "CLF", "Unidad de Fomento", 4),
        Currency(997, "USN", "US Dollar (Next day)"),
    ]
}

extension Currency: NumericallyCoded {}
