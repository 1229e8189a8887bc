/// A data element that a tag stands for: its name, origin, format and length (EMV Book 3, annex A).
public struct DataElement: Sendable, Hashable {
    /// Where the value comes from.
    public enum Source: String, Sendable, Hashable {
        /// The card, in its records and answers.
        case card
        /// The terminal or its reader.
        case terminal
        /// The issuer, in an answer to an online request.
        case issuer
    }

    /// How a value is encoded (EMV Book 3 section 4.3).
    public enum Format: String, Sendable, Hashable {
        /// Letters, one an octet.
        case alphabetic = "a"
        /// Letters and digits, one an octet.
        case alphanumeric = "an"
        /// Letters, digits and special characters.
        case text = "ans"
        /// Octets or bits of any value.
        case binary = "b"
        /// Two decimal digits an octet, filled on the right with F.
        case compressedNumeric = "cn"
        /// Two decimal digits an octet, filled on the left with 0.
        case numeric = "n"
        /// Data objects in a template.
        case template
    }

    /// Whether a value may be shown.
    public enum Sensitivity: String, Sendable, Hashable {
        /// The value may be shown.
        case open
        /// The value is card data: shown masked, or only its length.
        case cardData = "card_data"
        /// The value is a PIN, a key or a part of one, enciphered or not: never shown.
        case secret
    }

    /// The tag of the element.
    public let tag: Tag
    /// The name, as the books and specifications have it.
    public let name: String
    /// The origin of the value.
    public let source: Source
    /// The encoding of the value.
    public let format: Format
    /// The numbers of octets that a value may have.
    public let lengths: ClosedRange<Int>
    /// Whether a value may be shown.
    public let sensitivity: Sensitivity
    /// The number of the contactless kernel that gives the tag this meaning, for example 2 (Mastercard) or 3 (Visa);
    /// nil if the meaning is general.
    public let kernel: Int?

    init(
        _ tag: Tag, _ name: String, _ source: Source, _ format: Format, _ lengths: ClosedRange<Int>,
        _ sensitivity: Sensitivity = .open, kernel: Int? = nil
    ) {
        self.tag = tag
        self.name = name
        self.source = source
        self.format = format
        self.lengths = lengths
        self.sensitivity = sensitivity
        self.kernel = kernel
    }

    init(
        _ tag: Tag, _ name: String, _ source: Source, _ format: Format, _ length: Int,
        _ sensitivity: Sensitivity = .open, kernel: Int? = nil
    ) {
        self.init(tag, name, source, format, length...length, sensitivity, kernel: kernel)
    }

    /// All elements, in ascending order of tags. Tags with several meanings have several elements;
    /// the general one is first.
    public static let all: [DataElement] = (templates + card + terminal + issuer + contactless).sorted(by: isBefore)

    private static func isBefore(_ left: DataElement, _ right: DataElement) -> Bool {
        left.tag == right.tag ? (left.kernel ?? 0) < (right.kernel ?? 0) : left.tag < right.tag
    }

    /// Returns the element that a tag stands for.
    /// - Parameters:
    ///   - tag: the tag of a data object.
    ///   - kernel: the number of a contactless kernel whose meanings apply. Default: nil, the general meaning, or else
    ///     that of the kernel with the lowest number.
    /// - Returns: nil if the tag is not in the dictionary.
    public static func find(_ tag: Tag, kernel: Int? = nil) -> DataElement? {
        let meanings = all[firstIndex(of: tag)...].prefix { $0.tag == tag }
        return meanings.first { $0.kernel == kernel } ?? meanings.first
    }

    /// Whether a card may supply a data object: the source of its element is the card, or the dictionary does not have
    /// the tag. The kernel's number selects the meaning, as in ``find(_:kernel:)``.
    static func isOfCard(_ tag: Tag, kernel: Int?) -> Bool {
        find(tag, kernel: kernel).map { $0.source == .card } ?? true
    }

    /// Whether the value of a tag may be shown: the strictest rule of its meanings. Tags that are not in the dictionary
    /// are treated like card data.
    public static func sensitivity(of tag: Tag) -> Sensitivity {
        let meanings = all[firstIndex(of: tag)...].prefix { $0.tag == tag }
        if meanings.contains(where: { $0.sensitivity == .secret }) { return .secret }
        let isOpen = !meanings.isEmpty && meanings.allSatisfy { $0.sensitivity == .open }
        return isOpen ? .open : .cardData
    }

    /// The index of the first element whose tag is not below a tag.
    private static func firstIndex(of tag: Tag) -> Int { all.partitionPoint { $0.tag < tag } }
}
