import JackdawBytes

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
    public private(set) var digits: String?
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
        var context = ValueContext(kernel: kernel)
        let objects = try TagLengthValue.list(octets)
        for tag: Tag in [0x9F42, 0x5F2A, 0x9F11] {
            guard let object = objects.first(where: { $0.tag == tag }) else { continue }
            context.learn(tag, octets.extracting(object.value))
        }
        return explain(octets, objects, context, isRevealing)
    }

    /// Explains data objects whose places are known, as ``explain(_:kernel:isRevealing:)`` does.
    static func explain(
        _ octets: Span<UInt8>, _ objects: [TagLengthValue], _ context: ValueContext, _ isRevealing: Bool
    ) -> [ExplainedObject] {
        var explained: [ExplainedObject] = []
        explained.reserveCapacity(objects.count)
        // The end of a template whose contents are secret.
        var secretEnd = 0
        for object in objects {
            let isSecret = object.start < secretEnd
            explained.append(
                ExplainedObject(object, octets.extracting(object.value), context, isRevealing, isSecret: isSecret))
            guard DataElement.sensitivity(of: object.tag) == .secret else { continue }
            secretEnd = max(secretEnd, object.value.upperBound)
        }
        return explained
    }

    /// A value without tag and length: of a list (DOL), or of an answer in format 1.
    /// - Parameters:
    ///   - tag: the tag that the value would have.
    ///   - place: the offsets of the value.
    ///   - depth: the number of templates that contain it.
    ///   - octets: the octets that contain it.
    ///   - context: the facts on which its meaning depends.
    ///   - isRevealing: whether card data is shown.
    init(
        _ tag: Tag, _ place: Range<Int>, depth: Int, in octets: Span<UInt8>, _ context: ValueContext,
        _ isRevealing: Bool
    ) {
        let object = TagLengthValue(tag: tag, start: place.lowerBound, value: place, depth: depth)
        self.init(object, octets.extracting(place), context, isRevealing, isSecret: false)
    }

    /// The object with other digits.
    func withDigits(_ digits: String?) -> ExplainedObject {
        var object = self
        object.digits = digits
        return object
    }

    /// The object of which these are the parts: it is shown if all of them are, and hidden otherwise.
    func with(_ parts: [ExplainedObject], _ value: Span<UInt8>) -> ExplainedObject {
        withDigits(parts.contains { $0.digits == nil } ? nil : value.hexadecimal)
    }

    private init(
        _ object: TagLengthValue, _ value: Span<UInt8>, _ context: ValueContext, _ isRevealing: Bool, isSecret: Bool
    ) {
        self.object = object
        element = DataElement.find(object.tag, kernel: context.kernel)
        guard !object.tag.isConstructed else {
            (digits, text, details) = (nil, nil, [])
            return
        }
        let isSecret = isSecret || Self.mayHaveSecret(object.tag, value)
        let ofKernel = element.flatMap { $0.kernel != nil && $0.kernel == context.kernel ? $0.sensitivity : nil }
        let sensitivity = isSecret ? .secret : ofKernel ?? DataElement.sensitivity(of: object.tag)
        guard sensitivity == .open || (sensitivity == .cardData && isRevealing) else {
            digits = nil
            text = sensitivity == .secret ? nil : context.maskedText(object.tag, value)
            details = []
            return
        }
        digits = value.hexadecimal
        text = context.text(object.tag, element, value)
        details = context.details(object.tag, element, value)
    }

    /// Whether a value that is card data otherwise may have a PIN or a key: a script command that sets one. A value
    /// that is no command may be such a command whose length is wrong.
    private static func mayHaveSecret(_ tag: Tag, _ value: Span<UInt8>) -> Bool {
        tag == 0x86 && ((try? CardCommand(value))?.mayHaveSecret ?? true)
    }
}
