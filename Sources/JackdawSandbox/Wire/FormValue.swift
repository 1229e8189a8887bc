package import JackdawEMV
import JackdawBytes

// The body of a request in `application/x-www-form-urlencoded` with nested names: `payment[items][][gross_price]=1000`.
// No published source of the host describes the nesting; the rules are those of Rack, of which the names have the form.

/// A value of a form. Texts are in wiped memory, as any of them may be card data or a password.
package enum FormValue: Sendable, Equatable {
    case text(SecretOctets)
    case list([FormValue])
    case fields(FormFields)

    /// The text; nil for a list and for fields.
    package var secret: SecretOctets? {
        guard case .text(let octets) = self else { return nil }
        return octets
    }
}

/// The fields of a form, or of a name in it, in the order in which their names came first.
package struct FormFields: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package var value: FormValue
    }

    package private(set) var all: [Field] = []

    package init() {}

    /// The value of a name; nil if there is none.
    package subscript(name: String) -> FormValue? { all.first { $0.name == name }?.value }

    /// The place of a name; it is appended with an empty list if it is not there.
    fileprivate mutating func place(of name: String) -> (index: Int, isNew: Bool) {
        if let index = all.firstIndex(where: { $0.name == name }) { return (index, false) }
        all.append(Field(name: name, value: .list([])))
        return (all.count - 1, true)
    }

    fileprivate mutating func change<Failure: Error>(
        _ index: Int, _ body: (inout FormValue) throws(Failure) -> Void
    ) throws(Failure) {
        try body(&all[index].value)
    }
}

/// The limits of a form. None has a source: they are this project's.
package struct FormLimits: Sendable {
    /// The most bytes of a body.
    package var bytes = 1 << 18
    /// The most pairs of a name and a value.
    package var pairs = 2_000
    /// The most bytes of a name.
    package var nameBytes = 256
    /// The most steps of a name: `payment[items][][note]` has four.
    package var depth = 6
    /// The most elements of a list.
    package var elements = 500

    package init() {}
}

/// The error of a body that is no form, or exceeds a limit. It has no value of the body.
package struct FormError: Error, Sendable, Hashable {
    /// The kind of error. A struct, so that codes can be added.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// There are too many bytes, pairs or elements.
        package static let size = Code(rawValue: "size")
        /// A percent sign without two hexadecimal digits, or text that is not UTF-8.
        package static let encoding = Code(rawValue: "encoding")
        /// A name is empty, too long or too deep, or its brackets do not match.
        package static let name = Code(rawValue: "name")
        /// A name has two values, or is a text and a list or fields.
        package static let conflict = Code(rawValue: "conflict")
    }

    package let code: Code
    /// The pair in which the error is, from 1.
    package let pair: Int
    package let message: String

    package init(code: Code, pair: Int, message: String) {
        self.code = code
        self.pair = pair
        self.message = message
    }
}

extension FormFields {
    /// Parses a form. Any bytes give fields or an error.
    /// - Parameters:
    ///   - bytes: the body.
    ///   - limits: the limits.
    /// - Throws: ``FormError`` with the pair that is wrong.
    package init(form bytes: Span<UInt8>, _ limits: FormLimits = FormLimits()) throws(FormError) {
        guard bytes.count <= limits.bytes else {
            throw FormError(code: .size, pair: 0, message: "\(bytes.count) bytes; the maximum is \(limits.bytes)")
        }
        var parser = FormParser(limits: limits)
        var start = 0
        for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "&") {
            if index > start { try parser.add(bytes.extracting(start..<index)) }
            start = index + 1
        }
        self = parser.fields
    }
}

/// Puts pairs of a form into fields.
private struct FormParser {
    /// A step of a name: a field, or an element of a list.
    enum Step: Equatable {
        case field(String)
        case element
    }

    let limits: FormLimits
    var fields = FormFields()
    private var pairs = 0

    init(limits: FormLimits) { self.limits = limits }

    mutating func add(_ pair: Span<UInt8>) throws(FormError) {
        pairs += 1
        guard pairs <= limits.pairs else { throw fail(.size, "more than \(limits.pairs) pairs") }
        let end = pair.indices.first { pair[$0] == UInt8(ascii: "=") } ?? pair.count
        let steps = try steps(of: pair.extracting(0..<end))
        let value = end < pair.count ? try decode(pair.extracting((end + 1)..<pair.count)) : SecretOctets([])
        var root = FormValue.fields(fields)
        fields = FormFields()
        defer { if case .fields(let changed) = root { fields = changed } }
        try insert(value, steps[...], isNew: false, &root)
    }

    // MARK: names and their steps

    private func steps(of name: Span<UInt8>) throws(FormError) -> [Step] {
        guard name.count <= limits.nameBytes else { throw fail(.name, "a name is too long") }
        let octets = try decode(name).octets
        guard let text = String(validating: octets, as: UTF8.self) else { throw fail(.encoding, "a name is not UTF-8") }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw fail(.name, "a name has a control character")
        }
        var steps: [Step] = []
        var rest = text.utf8[...]
        let first = rest.prefix { $0 != UInt8(ascii: "[") }
        guard !first.isEmpty, !first.contains(UInt8(ascii: "]")) else { throw fail(.name, "a name has no beginning") }
        steps.append(.field(String(Substring(first))))
        rest = rest[first.endIndex...]
        while !rest.isEmpty {
            guard rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
                throw fail(.name, "the brackets of a name do not match")
            }
            let step = rest[rest.index(after: rest.startIndex)..<end]
            guard !step.contains(UInt8(ascii: "[")) else { throw fail(.name, "the brackets of a name do not match") }
            guard !step.isEmpty || steps.last != .element else { throw fail(.name, "a list in a list") }
            steps.append(step.isEmpty ? .element : .field(String(Substring(step))))
            guard steps.count <= limits.depth else { throw fail(.name, "a name is too deep") }
            rest = rest[rest.index(after: end)...]
        }
        return steps
    }

    // MARK: values in wiped memory

    /// Decodes percent signs and plus signs, into wiped memory.
    private func decode(_ text: Span<UInt8>) throws(FormError) -> SecretOctets {
        var count = 0
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%") {
                guard text.byte(at: index + 1) != nil else { throw fail(.encoding, "% without two digits") }
                index += 2
            }
            index += 1
            count += 1
        }
        return SecretOctets(count: count) { target in
            var index = 0
            for place in target.indices {
                switch text[index] {
                case UInt8(ascii: "%"):
                    target[place] = text.byte(at: index + 1) ?? 0
                    index += 2
                case UInt8(ascii: "+"): target[place] = UInt8(ascii: " ")
                case let other: target[place] = other
                }
                index += 1
            }
        }
    }

    // MARK: the tree of values

    private func insert(
        _ text: SecretOctets, _ steps: ArraySlice<Step>, isNew: Bool, _ node: inout FormValue
    ) throws(FormError) {
        guard let step = steps.first else {
            guard isNew else { throw fail(.conflict, "a name has two values") }
            node = .text(text)
            return
        }
        let rest = steps.dropFirst()
        switch step {
        case .field(let name):
            guard case .fields(var fields) = isNew ? .fields(FormFields()) : node else {
                throw fail(.conflict, "a name has fields and another value")
            }
            node = .list([])
            defer { node = .fields(fields) }
            let (index, isNew) = fields.place(of: name)
            try fields.change(index) { (child: inout FormValue) throws(FormError) in
                try insert(text, rest, isNew: isNew, &child)
            }
        case .element:
            guard case .list(var list) = isNew ? .list([]) : node else {
                throw fail(.conflict, "a name has a list and another value")
            }
            node = .list([])
            defer { node = .list(list) }
            // An element goes on until one of its names comes again.
            if let last = list.last, !rest.isEmpty, case .fields = last, !Self.isSet(rest, in: last) {
                try insert(text, rest, isNew: false, &list[list.count - 1])
                return
            }
            guard list.count < limits.elements else { throw fail(.size, "more than \(limits.elements) elements") }
            var element = FormValue.list([])
            try insert(text, rest, isNew: true, &element)
            list.append(element)
        }
    }

    /// Whether a name has a value already. A list takes more of them.
    private static func isSet(_ steps: ArraySlice<Step>, in node: FormValue) -> Bool {
        guard let step = steps.first else { return true }
        guard case .field(let name) = step, case .fields(let fields) = node, let child = fields[name] else {
            return false
        }
        return isSet(steps.dropFirst(), in: child)
    }

    private func fail(_ code: FormError.Code, _ message: String) -> FormError {
        FormError(code: code, pair: pairs, message: message)
    }
}
