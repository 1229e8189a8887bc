public import JackdawCards

/// The file `paymentmethods.xml` of a program: its terminals, their names, and the cards that they do not take.
///
/// Its structure is that of the SDK's file and must be kept: nested `item`s with `id`, `type` and `items` or `value`.
/// Names and descriptions for people are left out, and so are items of other types.
public struct AcceptPaymentMethods: Sendable, Hashable {
    /// A vendor of terminals or printers.
    public struct Vendor: Sendable, Hashable {
        /// The identifier, such as `ENABLE_SPIRE`.
        public let uuid: String
        /// Whether the program supports the vendor.
        public let isEnabled: Bool
        /// The names for people by language: `en`.
        public let displayNames: [String: String]
        /// The devices, in the order of the file.
        public let terminals: [Terminal]
    }

    /// A terminal or a printer.
    public struct Terminal: Sendable, Hashable {
        /// The identifier, which is the name under which the terminal is found: `PosMate`.
        public let uuid: String
        /// Whether the program supports the terminal. It needs a vendor that is supported, too.
        public let isEnabled: Bool
        /// The names for people by language: `en`.
        public let displayNames: [String: String]
        /// The cards that the terminal does not take; nil for a printer, which has no such list.
        public let cardsExclusion: [Exclusion]?
    }

    /// Cards that a terminal does not take.
    public struct Exclusion: Sendable, Hashable {
        /// The issuer in the host's spelling, such as `visa` or `american_express`.
        public let issuer: String
        /// The type: `credit_card` or `debit_card`.
        public let cardType: String
    }

    /// The vendors, in the order of the file.
    public let vendors: [Vendor]

    /// Reads a file of at most 262,144 bytes in UTF-8.
    /// - Throws: ``AcceptFileError`` with the line: no XML, a part that is not taken such as a document type, or another
    ///   structure.
    public init(xml bytes: [UInt8]) throws(AcceptFileError) {
        let root = try XMLElement(file: bytes)
        guard root.name == "item", root["id"]?.text == "supportedPaymentMethods", try Self.type(of: root) == "dict"
        else {
            throw Self.wrong(root, "The file must have the item supportedPaymentMethods.")
        }
        var vendors: [Vendor] = []
        for item in try Self.items(of: root) where try Self.type(of: item) == "dict" {
            vendors.append(try Vendor(item))
        }
        guard Set(vendors.map(\.uuid)).count == vendors.count else { throw Self.wrong(root, "A vendor occurs twice.") }
        self.vendors = vendors
    }

    /// The vendor with an identifier, if the program supports it.
    public func vendor(_ uuid: String) -> Vendor? { vendors.first { $0.uuid == uuid && $0.isEnabled } }

    /// The terminal of a vendor, if the program supports both.
    public func terminal(_ uuid: String, of vendorUUID: String) -> Terminal? {
        vendor(vendorUUID)?.terminals.first { $0.uuid == uuid && $0.isEnabled }
    }

    static func wrong(_ element: XMLElement, _ message: String) -> AcceptFileError {
        AcceptFileError(.structure, line: element.line, message)
    }
}

extension AcceptPaymentMethods.Terminal {
    /// Whether there are cards that the terminal must not take.
    var excludesCards: Bool { cardsExclusion?.isEmpty == false }

    /// Whether the terminal must not take a card. A card whose type is not known is excluded with either type of its
    /// issuer, because the list must hold before anything is sent.
    public func excludes(_ number: PrimaryAccountNumber) -> Bool {
        guard let cardsExclusion, !cardsExclusion.isEmpty else { return false }
        let kind = AcceptCardKind(number)
        guard let issuer = kind.issuer ?? number.brand.acceptIssuer else { return false }
        return cardsExclusion.contains { $0.issuer == issuer && ($0.cardType == kind.cardType || kind.cardType == nil) }
    }
}

extension CardBrand {
    /// The host's name of a brand whose newer numbers the SDK's list does not have.
    fileprivate var acceptIssuer: String? {
        switch self {
        case .mastercard: "master"
        case .visa: "visa"
        case .maestro: "maestro"
        case .americanExpress: "american_express"
        case .unionPay: "china_unionpay"
        case .dinersClub: "diners_club"
        case .discover: "discovery"
        case .jcb: "jcb"
        case .ruPay: "rupay"
        case .uatp: "uatp"
        default: nil
        }
    }
}

// MARK: the structure of the file

extension AcceptPaymentMethods {
    fileprivate static func items(of element: XMLElement) throws(AcceptFileError) -> [XMLElement] {
        guard let items = element["items"] else { throw wrong(element, "The item has no items.") }
        guard items.children.allSatisfy({ $0.name == "item" }) else {
            throw wrong(items, "Items contain nothing but items.")
        }
        return items.children
    }

    fileprivate static func type(of item: XMLElement) throws(AcceptFileError) -> String {
        guard let type = item["type"]?.text else { throw wrong(item, "The item has no type.") }
        return type
    }

    fileprivate static func identifier(of item: XMLElement) throws(AcceptFileError) -> String {
        guard let text = item["id"]?.text, (1...64).contains(text.utf8.count) else {
            throw wrong(item, "An item needs an id of 1 to 64 bytes.")
        }
        return text
    }

    /// The value of an item: the element after the key with the type's name in its dictionary.
    fileprivate static func value(of item: XMLElement, _ type: String) throws(AcceptFileError) -> XMLElement {
        guard try self.type(of: item) == type, let dictionary = item["value"]?["dict"] else {
            throw wrong(item, "The item needs a value of type \(type).")
        }
        guard let value = try members(of: dictionary)[type] else { throw wrong(dictionary, "The value is missing.") }
        return value
    }

    /// The members of a dictionary of a property list: a key, then its value.
    fileprivate static func members(of dictionary: XMLElement) throws(AcceptFileError) -> [String: XMLElement] {
        let children = dictionary.children
        guard dictionary.name == "dict", children.count.isMultiple(of: 2) else {
            throw wrong(dictionary, "A dictionary has a value for each key.")
        }
        var members: [String: XMLElement] = [:]
        for index in stride(from: 0, to: children.count, by: 2) {
            guard children[index].name == "key", members[children[index].text] == nil else {
                throw wrong(children[index], "A dictionary has different keys.")
            }
            members[children[index].text] = children[index + 1]
        }
        return members
    }

    fileprivate static func flag(_ item: XMLElement) throws(AcceptFileError) -> Bool {
        let value = try value(of: item, "bool")
        switch value.name {
        case "true": return true
        case "false": return false
        default: throw wrong(value, "The value must be true or false.")
        }
    }

    fileprivate static func names(_ item: XMLElement) throws(AcceptFileError) -> [String: String] {
        var names: [String: String] = [:]
        for language in try items(of: item) {
            names[try identifier(of: language)] = try text(value(of: language, "text"))
        }
        return names
    }

    fileprivate static func text(_ value: XMLElement) throws(AcceptFileError) -> String {
        guard value.name == "string", value.children.isEmpty else { throw wrong(value, "The value must be a text.") }
        return value.text
    }

    fileprivate static func exclusions(_ item: XMLElement) throws(AcceptFileError) -> [Exclusion] {
        let list = try value(of: item, "list")
        guard list.name == "array" else { throw wrong(list, "The value must be an array.") }
        var exclusions: [Exclusion] = []
        for entry in list.children {
            let members = try members(of: entry)
            guard let issuer = members["issuer"], let type = members["cardType"] else {
                throw wrong(entry, "An excluded card needs issuer and cardType.")
            }
            exclusions.append(Exclusion(issuer: try text(issuer), cardType: try text(type)))
        }
        return exclusions
    }
}

extension AcceptPaymentMethods.Vendor {
    fileprivate init(_ item: XMLElement) throws(AcceptFileError) {
        uuid = try AcceptPaymentMethods.identifier(of: item)
        var isEnabled: Bool?
        var displayNames: [String: String] = [:]
        var terminals: [AcceptPaymentMethods.Terminal] = []
        for child in try AcceptPaymentMethods.items(of: item) {
            switch try AcceptPaymentMethods.identifier(of: child) {
            case "enabled": isEnabled = try AcceptPaymentMethods.flag(child)
            case "displayName": displayNames = try AcceptPaymentMethods.names(child)
            default:
                guard try AcceptPaymentMethods.type(of: child) == "dict" else { continue }
                terminals.append(try AcceptPaymentMethods.Terminal(child))
            }
        }
        guard let isEnabled else { throw AcceptPaymentMethods.wrong(item, "The vendor has no item enabled.") }
        guard Set(terminals.map(\.uuid)).count == terminals.count else {
            throw AcceptPaymentMethods.wrong(item, "A terminal occurs twice.")
        }
        self.isEnabled = isEnabled
        self.displayNames = displayNames
        self.terminals = terminals
    }
}

extension AcceptPaymentMethods.Terminal {
    fileprivate init(_ item: XMLElement) throws(AcceptFileError) {
        uuid = try AcceptPaymentMethods.identifier(of: item)
        var isEnabled: Bool?
        var displayNames: [String: String] = [:]
        var exclusions: [AcceptPaymentMethods.Exclusion]?
        for child in try AcceptPaymentMethods.items(of: item) {
            switch try AcceptPaymentMethods.identifier(of: child) {
            case "enabled": isEnabled = try AcceptPaymentMethods.flag(child)
            case "displayName": displayNames = try AcceptPaymentMethods.names(child)
            case "cardsExclusion": exclusions = try AcceptPaymentMethods.exclusions(child)
            default: continue
            }
        }
        guard let isEnabled else { throw AcceptPaymentMethods.wrong(item, "The terminal has no item enabled.") }
        self.isEnabled = isEnabled
        self.displayNames = displayNames
        cardsExclusion = exclusions
    }
}
