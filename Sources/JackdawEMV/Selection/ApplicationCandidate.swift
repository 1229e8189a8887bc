import JackdawBytes

/// How the card is read.
public enum ApplicationInterface: Sendable, Hashable {
    /// With contacts: directory 1PAY.SYS.DDF01 (PSE), or else each supported application by its name.
    case contact
    /// Contactless: directory 2PAY.SYS.DDF01 (PPSE) only.
    case contactless
}

/// An application that the terminal supports.
public struct SupportedApplication: Sendable, Hashable {
    /// The application identifier (AID), 5 to 16 octets.
    public let identifier: [UInt8]
    /// Whether the card's name may be longer than the identifier (application selection indicator, EMV Book 1 section
    /// 12.3.1). Contactless it always may.
    public let allowsPartialName: Bool
    /// Whether the extended selection of a contactless card (tag 9F29) is appended to the name
    /// (EMV Book B section 3.3.3.3).
    public let appendsExtendedSelection: Bool

    /// An application.
    /// - Parameters:
    ///   - identifier: the AID, 5 to 16 octets.
    ///   - allowsPartialName: whether the card's name may be longer.
    ///   - appendsExtendedSelection: whether a contactless card's extended selection is appended. Default: false.
    /// - Throws: ``CardMessageError`` with code `length` if the identifier does not have 5 to 16 octets.
    public init(
        _ identifier: [UInt8], allowsPartialName: Bool, appendsExtendedSelection: Bool = false
    ) throws(CardMessageError) {
        guard (5...16).contains(identifier.count) else {
            throw CardMessageError(.length, "an application identifier has 5 to 16 octets")
        }
        self.identifier = identifier
        self.allowsPartialName = allowsPartialName
        self.appendsExtendedSelection = appendsExtendedSelection
    }

    /// Whether a name of the card is one of this application.
    func matches(_ name: [UInt8], on interface: ApplicationInterface) -> Bool {
        name.span.starts(with: identifier.span)
            && (allowsPartialName || interface == .contactless || name.count == identifier.count)
    }
}

/// An application that the card offers and the terminal supports.
public struct ApplicationCandidate: Sendable, Hashable {
    /// The name of the card's application, 5 to 16 octets: its AID.
    public let name: [UInt8]
    /// The priority (tag 87, bits 4 to 1): 1 is the highest, 15 the lowest, 0 states none.
    public let priority: Int
    /// Whether the cardholder must confirm the selection (tag 87, bit 8).
    public let requiresConfirmation: Bool
    /// The application label (tag 50): its letters, digits and spaces; nil without one.
    public let label: String?
    /// The preferred name (tag 9F12); nil without one, or if the card's code table is not supported.
    public let preferredName: String?
    /// The requested contactless kernel (tag 9F2A, or else the kernel of the payment system); nil if neither is known.
    public internal(set) var kernel: Int?
    /// The octets that the selection appends to the name; empty without extended selection.
    let extendedSelection: [UInt8]

    /// The name to show: the preferred name, or else the label, or else the AID.
    public var displayName: String {
        if let preferredName { return preferredName }
        if let label, !label.isEmpty { return label }
        return name.hexadecimal
    }

    /// The candidate of an entry of a directory, or of the control information of an application.
    /// - Parameters:
    ///   - name: the card's name.
    ///   - objects: the objects of the entry or of the control information.
    ///   - codeTable: the issuer code table index; nil without one.
    ///   - codeTables: the code tables that the terminal supports.
    ///   - appendsExtendedSelection: whether the extended selection is appended to the name.
    init(
        _ name: [UInt8], _ objects: DataObjectStore, codeTable: [UInt8]?, supporting codeTables: [UInt8],
        appendsExtendedSelection: Bool
    ) {
        self.name = name
        // A name of SELECT has at most 16 octets (EMV Book 1 section 11.3.2). A longer sum ignores the addition.
        let addition = appendsExtendedSelection ? objects[0x9F29] ?? [] : []
        extendedSelection = name.count + addition.count <= 16 ? addition : []
        let indicator = objects[0x87]?.first ?? 0
        priority = Int(indicator & 0x0F)
        requiresConfirmation = indicator & 0x80 != 0
        label = objects[0x50].map { octets in
            var text = ""
            for octet in octets where Self.isLabelCharacter(octet) { text.unicodeScalars.append(Unicode.Scalar(octet)) }
            return text
        }
        preferredName = Self.preferredName(objects, codeTable, codeTables)
        kernel = Self.kernel(objects[0x9F2A], name)
    }

    /// Whether the name begins with Visa's registered identifier.
    var isVisa: Bool { name.span.extracting(first: 5).bigEndian == 0xA0_0000_0003 }

    private static func isLabelCharacter(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x20, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    private static func preferredName(
        _ objects: DataObjectStore, _ codeTable: [UInt8]?, _ codeTables: [UInt8]
    ) -> String? {
        guard let index = codeTable, index.count == 1, codeTables.contains(index[0]), let table = CodeTable(index[0]),
            let octets = objects[0x9F12], (1...16).contains(octets.count)
        else { return nil }
        guard let text = try? table.text(octets.span), !text.isEmpty else { return nil }
        return text
    }

    /// The kernel that a contactless card asks for (EMV Book B section 3.3.2.5).
    static func kernel(_ identifier: [UInt8]?, _ name: [UInt8]) -> Int? {
        if let identifier, let first = identifier.first, first != 0 {
            guard first & 0x80 != 0 else { return Int(first) }
            // Kernels of a country or of a vendor have three octets; without a number, the book leaves them open.
            guard identifier.count >= 3, first & 0x3F != 0 else { return nil }
            return Int(identifier.span.extracting(first: 3).bigEndian)
        }
        switch name.span.extracting(first: 5).bigEndian {
        case 0xA0_0000_0004: return 2
        case 0xA0_0000_0003: return 3
        case 0xA0_0000_0025: return 4
        case 0xA0_0000_0065: return 5
        case 0xA0_0000_0152, 0xA0_0000_0324: return 6
        case 0xA0_0000_0333: return 7
        default: return nil
        }
    }
}
