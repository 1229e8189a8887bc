import JackdawEMV

/// The rules of a card's cryptograms, as its issuer knows them. The raw value is the name in ``ChipCardKeys/scheme``.
enum IssuerScheme: String, Sendable, CaseIterable {
    case visa10 = "visa-10"
    case visa14 = "visa-14"
    case visa18 = "visa-18"
    case visa22 = "visa-22"
    case interac133 = "interac-133"
    case mChip16 = "m-chip-16"
    case mChip17 = "m-chip-17"
    case mChip20 = "m-chip-20"
    case mChip21 = "m-chip-21"

    /// The scheme that issuer application data (9F10) names by its cryptogram version; nil if it names none of these.
    /// The data of CVN 14 and of Interac have no form of their own: the issuer's file must name these schemes.
    init?(issuerApplicationData octets: [UInt8]) {
        guard let data = IssuerApplicationData(octets.span) else { return nil }
        switch (data.format, data.cryptogramVersion) {
        case (.visa0, 0x0A): self = .visa10
        case (.visa1, 0x12): self = .visa18
        // The version is called 22 by its hexadecimal digits.
        case (.visa2, 0x22): self = .visa22
        case (.mChip4, 0x10), (.mChipAdvance, 0x10): self = .mChip16
        case (.mChip4, 0x11), (.mChipAdvance, 0x11): self = .mChip17
        case (.mChip4, 0x14), (.mChipAdvance, 0x14): self = .mChip20
        case (.mChip4, 0x15), (.mChipAdvance, 0x15): self = .mChip21
        default: return nil
        }
    }

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
    var countsCommands: Bool {
        switch self {
        case .mChip16, .mChip17, .mChip20, .mChip21: true
        case .visa10, .visa14, .visa18, .visa22, .interac133: false
        }
    }

    /// The issuer's answer, which its response cryptogram covers.
    /// - Parameters:
    ///   - isApproved: whether the issuer approves.
    ///   - code: the response code (8A), two octets.
    /// - Returns: Visa's card status update with the bit "issuer approves" (EMV Book 3, C10), or M/Chip's response code
    ///   0012 as jPOS sends it, with no bit set if declined; of the others the response code.
    func answer(isApproved: Bool, code: [UInt8]) -> [UInt8] {
        switch self {
        case .visa18, .visa22: [0, isApproved ? 0x80 : 0, 0, 0]
        case .mChip16, .mChip17, .mChip20, .mChip21: [0, isApproved ? 0x12 : 0]
        case .visa10, .visa14, .interac133: code
        }
    }
}
