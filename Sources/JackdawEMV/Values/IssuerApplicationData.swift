/// Issuer application data (IAD, tag 9F10) of the formats that are published: key index, cryptogram version and card
/// verification results (CVR).
///
/// Sources: CCD from EMV Book 3, annex C9; the lengths and marks of the Mastercard and Visa formats as
/// openemv/emv-utils has them; UnionPay from a trace in binaryfoo/emv-bertlv. Other formats belong to the issuer.
public struct IssuerApplicationData: Sendable, Hashable {
    /// The format of the data.
    public enum Format: String, Sendable, Hashable {
        /// Common core definitions, version 4.1.
        case ccd
        /// Mastercard M/Chip 4, 18 octets.
        case mChip4 = "m_chip_4"
        /// Mastercard M/Chip Advance, 20, 26 or 28 octets.
        case mChipAdvance = "m_chip_advance"
        /// Visa, format 0: cryptogram version 10 and others below 16.
        case visa0 = "visa_0"
        /// Visa, format 1: cryptogram version 18 and others from 16 to 31.
        case visa1 = "visa_1"
        /// Visa, format 2: 32 octets, cryptogram version 34 and others.
        case visa2 = "visa_2"
        /// Visa, format 3: cryptogram versions 48 to 63.
        case visa3 = "visa_3"
        /// Visa, format 4: 32 octets, cryptogram version 67 and others.
        case visa4 = "visa_4"
        /// UnionPay, 8 octets and more.
        case unionPay = "union_pay"

        /// The name of the application that uses the format.
        public var application: String {
            switch self {
            case .ccd: "CCD-Compliant"
            case .mChip4: "M/Chip 4"
            case .mChipAdvance: "M/Chip Advance"
            case .visa0, .visa1, .visa2, .visa3, .visa4: "Visa Smart Debit/Credit (VSDC)"
            case .unionPay: "UnionPay"
            }
        }
    }

    /// The card's report of a GENERATE AC.
    public enum Cryptogram: String, Sendable, Hashable {
        /// Application authentication cryptogram: the card declines.
        case aac
        /// Transaction certificate: the card approves.
        case tc
        /// Authorisation request cryptogram: the card asks the issuer.
        case arqc
        /// No second GENERATE AC was requested.
        case notRequested = "not_requested"
        /// A value that is reserved for future use.
        case reserved = "rfu"
    }

    /// The format of the data.
    public let format: Format
    /// The derivation key index (DKI): the issuer's key.
    public let derivationKeyIndex: UInt8
    /// The cryptogram version number (CVN). Of CCD the common core identifier, whose low digit is
    /// 5 for TDES and 6 for AES.
    public let cryptogramVersion: UInt8
    /// The card verification results, 4 to 6 octets.
    public let cardVerificationResults: [UInt8]

    /// The octets after the card verification results, of which the issuer or the scheme decides.
    public let discretionaryData: [UInt8]

    /// The octet of the card verification results that has the types of both cryptograms.
    private let cryptogramOctet: UInt8

    /// Recognises a format.
    /// - Returns: nil if the octets have none of the published formats.
    public init?(_ octets: Span<UInt8>) {
        guard let format = Self.format(of: octets) else { return nil }
        self.format = format
        let range: Range<Int>
        switch format {
        case .ccd: (cryptogramVersion, derivationKeyIndex, range) = (octets[1], octets[2], 3..<8)
        case .mChip4, .mChipAdvance: (cryptogramVersion, derivationKeyIndex, range) = (octets[1], octets[0], 2..<8)
        case .visa0, .visa1, .visa3, .unionPay:
            (cryptogramVersion, derivationKeyIndex, range) = (octets[2], octets[1], 3..<7)
        case .visa2, .visa4: (cryptogramVersion, derivationKeyIndex, range) = (octets[1], octets[2], 3..<8)
        }
        cardVerificationResults = Array(copying: octets.extracting(range))
        discretionaryData = Array(copying: octets.extracting(range.upperBound...))
        // In Visa's results an octet with their length, or with the verification on the device, precedes this one.
        let isVisa = format != .ccd && format != .mChip4 && format != .mChipAdvance
        cryptogramOctet = cardVerificationResults[isVisa ? 1 : 0]
    }

    /// The cryptogram of the second GENERATE AC.
    public var second: Cryptogram {
        switch cryptogramOctet >> 6 {
        case 0: .aac
        case 1: .tc
        case 2: .notRequested
        default: .reserved
        }
    }

    /// The cryptogram of the first GENERATE AC; of a contactless card, of GET PROCESSING OPTIONS.
    public var first: Cryptogram {
        switch cryptogramOctet >> 4 & 3 {
        case 0: .aac
        case 1: .tc
        case 2: .arqc
        default: .reserved
        }
    }

    private static func format(of octets: Span<UInt8>) -> Format? {
        if octets.count == 32, octets[0] == 0x0F, octets[1] == 0xA5 || octets[1] == 0xA6, octets[16] == 0x0F {
            return .ccd
        }
        // Versions 10, 11, 14 and 15: bit 1 counts, bit 3 selects the session key, bits 2 and 4 are not used.
        if octets.count >= 18, octets[1] & 0xFA == 0x10 {
            if octets.count == 18 { return .mChip4 }
            if [20, 26, 28].contains(octets.count) { return .mChipAdvance }
        }
        if octets.count >= 7, octets[0] == 0x06, octets[3] == 0x03 {
            switch octets[2] >> 4 {
            case 0: return .visa0
            case 1: return .visa1
            case 3: return .visa3
            default: return nil
            }
        }
        if octets.count >= 8, octets[0] == 0x07, octets[3] == 0x03 { return .unionPay }
        if octets.count == 32, octets[0] == 0x1F, octets[8] & 0xF0 == 0 {
            switch octets[1] >> 4 {
            case 2: return .visa2
            case 4: return .visa4
            default: return nil
            }
        }
        return nil
    }
}
