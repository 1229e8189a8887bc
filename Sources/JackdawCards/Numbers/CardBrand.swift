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
