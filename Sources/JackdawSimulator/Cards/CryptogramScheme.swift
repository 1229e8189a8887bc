import JackdawEMV

/// The rules for cryptograms and secure messaging, for virtual cards and their issuers. The raw value is the name in
/// `ChipCardKeys.scheme`.
enum CryptogramScheme: String, Sendable, CaseIterable {
    case visa10 = "visa-10"
    case visa14 = "visa-14"
    case visa18 = "visa-18"
    case visa22 = "visa-22"
    case interac133 = "interac-133"
    case mChip16 = "m-chip-16"
    case mChip17 = "m-chip-17"
    case mChip20 = "m-chip-20"
    case mChip21 = "m-chip-21"

    /// The schemes whose issuer application data (9F10) a virtual card can make.
    static let ofCards: [CryptogramScheme] = [.visa10, .visa18, .mChip16, .mChip17, .mChip20, .mChip21]

    /// The forms of issuer application data (9F10) that name the scheme, and the cryptogram version (CVN) in them; nil if the
    /// data have no form of their own, so that the issuer's file must name the scheme.
    private var form: (formats: [IssuerApplicationData.Format], version: UInt8)? {
        switch self {
        case .visa10: ([.visa0], 0x0A)
        case .visa18: ([.visa1], 0x12)
        // The version is called 22 by its hexadecimal digits.
        case .visa22: ([.visa2], 0x22)
        case .mChip16: ([.mChip4, .mChipAdvance], 0x10)
        case .mChip17: ([.mChip4, .mChipAdvance], 0x11)
        case .mChip20: ([.mChip4, .mChipAdvance], 0x14)
        case .mChip21: ([.mChip4, .mChipAdvance], 0x15)
        case .visa14, .interac133: nil
        }
    }

    /// The cryptogram version (CVN) in issuer application data; nil if they have no form of their own.
    var version: UInt8? { form?.version }

    /// The scheme that issuer application data (9F10) name by their form and version; nil if they name none.
    init?(issuerApplicationData octets: [UInt8]) {
        guard let data = IssuerApplicationData(octets.span) else { return nil }
        let found = Self.allCases.first { scheme in
            scheme.form.map { $0.formats.contains(data.format) && $0.version == data.cryptogramVersion } ?? false
        }
        guard let found else { return nil }
        self = found
    }

    var isMChip: Bool {
        switch self {
        case .mChip16, .mChip17, .mChip20, .mChip21: true
        case .visa10, .visa14, .visa18, .visa22, .interac133: false
        }
    }

    /// Whether the issuer answers with a card status update (CSU); if not, with a response code.
    var hasStatusUpdate: Bool { self == .visa18 || self == .visa22 }

    /// The part of issuer application data that a cryptogram covers; nil if the data are too short.
    func covered(_ data: [UInt8]) -> [UInt8]? {
        switch self {
        // The results with their length, after length, key index and version.
        case .visa10, .visa14: data.count >= 7 ? Array(data[3..<7]) : nil
        case .visa18, .visa22, .interac133: data.isEmpty ? nil : data
        // The results after key index and version; the counters after the number of the data authentication code.
        case .mChip16, .mChip20: data.count >= 8 ? Array(data[2..<8]) : nil
        case .mChip17, .mChip21: data.count >= 18 ? Array(data[2..<8] + data[10..<18]) : nil
        }
    }

    /// Whether each further command of a transaction has a number of its own; if not, all have the number 1.
    var countsCommands: Bool { isMChip }

    /// The issuer's answer, which its response cryptogram covers.
    /// - Parameters:
    ///   - isApproved: whether the issuer approves.
    ///   - code: the response code (8A), two octets.
    /// - Returns: Visa's card status update with the bit "issuer approves" (EMV Book 3, C10), or M/Chip's response code
    ///   0012 as jPOS sends it, with no bit set if declined; of the others the response code.
    func answer(isApproved: Bool, code: [UInt8]) -> [UInt8] {
        if hasStatusUpdate { return [0, isApproved ? 0x80 : 0, 0, 0] }
        return isMChip ? [0, isApproved ? 0x12 : 0] : code
    }
}
