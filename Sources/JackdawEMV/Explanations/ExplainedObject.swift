/// A data object with the meaning of its value.
///
/// Card data is masked or left out, unless the caller asks for it.
public struct ExplainedObject: Sendable, Hashable {
    /// A part of a value: a bit that is set, an entry of a list, a field.
    public struct Detail: Sendable, Hashable {
        /// A stable identifier, for programs: `floor_limit_exceeded`.
        public let name: String
        /// The meaning, for people: `Transaction exceeds floor limit`.
        public let text: String
        /// The number of the octet that has the part, from 1; nil if the part is longer than an octet.
        public let octet: Int?
        /// The number of the bit in its octet, 1 to 8; nil if the part is not a bit.
        public let bit: Int?

        init(_ name: String, _ text: String, octet: Int? = nil, bit: Int? = nil) {
            self.name = name
            self.text = text
            self.octet = octet
            self.bit = bit
        }
    }

    /// Tag, place and depth of the object.
    public let object: TagLengthValue
    /// The data element of the tag; nil if the dictionary does not have it.
    public let element: DataElement?
    /// The value in hexadecimal digits; nil of a template, and if the value is hidden.
    public let digits: String?
    /// The value for people, for example `10.50 EUR` or a masked card number; nil if digits and details say all.
    public let text: String?
    /// The parts of the value in their order.
    public let details: [Detail]

    /// Whether the value is card data or a secret, and not shown.
    public var isHidden: Bool { digits == nil && !object.tag.isConstructed }

    /// Explains data objects, nested ones included; each follows the object that contains it.
    /// - Parameters:
    ///   - octets: the objects, in BER-TLV.
    ///   - kernel: the number of the contactless kernel whose meanings apply. Default: nil.
    ///   - isRevealing: whether card data is shown. Secrets are never shown. Default: false.
    /// - Returns: the objects in their order.
    /// - Throws: ``DataObjectError`` with the error of the first object that is not valid.
    public static func explain(
        _ octets: Span<UInt8>, kernel: Int? = nil, isRevealing: Bool = false
    ) throws(DataObjectError) -> [ExplainedObject] {
        let objects = try TagLengthValue.list(octets)
        func value(_ tag: Tag) -> Span<UInt8>.Index? { objects.firstIndex { $0.tag == tag } }
        var context = ValueContext(kernel: kernel)
        if let index = value(0x5F2A) ?? value(0x9F42) {
            context.currency = octets.extracting(objects[index].value).packedDecimal.flatMap { UInt16(exactly: $0) }
        }
        if let index = value(0x9F11), objects[index].value.count == 1 {
            context.codeTable = CodeTable(octets[objects[index].value.lowerBound])
        }
        var explained: [ExplainedObject] = []
        explained.reserveCapacity(objects.count)
        for object in objects {
            explained.append(ExplainedObject(object, octets.extracting(object.value), context, isRevealing))
        }
        return explained
    }

    private init(_ object: TagLengthValue, _ value: Span<UInt8>, _ context: ValueContext, _ isRevealing: Bool) {
        self.object = object
        element = DataElement.find(object.tag, kernel: context.kernel)
        let ofKernel = element.flatMap { $0.kernel != nil && $0.kernel == context.kernel ? $0.sensitivity : nil }
        let sensitivity = ofKernel ?? DataElement.sensitivity(of: object.tag)
        let isShown = sensitivity == .open || (sensitivity == .cardData && isRevealing)
        guard !object.tag.isConstructed else {
            (digits, text, details) = (nil, nil, [])
            return
        }
        guard isShown else {
            digits = nil
            text = context.maskedText(object.tag, value)
            details = []
            return
        }
        digits = value.hexadecimal
        text = context.text(object.tag, element, value)
        details = context.details(object.tag, element, value)
    }
}
