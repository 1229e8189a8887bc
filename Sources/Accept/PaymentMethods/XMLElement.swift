/// An element of a file in XML (XML 1.0, fifth edition), read by a bounded reader for the subset that property lists and
/// `paymentmethods.xml` use.
///
/// The reader takes elements, text, comments, the five named entities and characters by number, in UTF-8. It refuses
/// document types, with them all other entities, and CDATA sections; attributes are checked and left out. Nesting is
/// followed with a stack of its own, so that no input can exhaust the program's.
struct XMLElement: Sendable, Hashable {
    /// The name in the start tag.
    let name: String
    /// The line of the start tag, from 1.
    let line: Int
    /// The text without spaces at its ends; empty if there are children.
    fileprivate(set) var text = ""
    /// The elements inside of this one.
    fileprivate(set) var children: [XMLElement] = []

    /// The first child with a name; nil without one.
    subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The most bytes of a file, levels, elements, and bytes of a name. They are our choice: the published file has
    /// 23,807 bytes and 12 levels.
    static let maxBytes = 1 << 18
    static let maxDepth = 32
    static let maxElements = 10_000
    static let maxNameBytes = 64
}

extension XMLElement {
    /// Reads the outermost element of a file. Any bytes give an element or an error.
    /// - Throws: ``AcceptFileError``.
    init(file bytes: [UInt8]) throws(AcceptFileError) {
        var reader = XMLReader(bytes: bytes)
        self = try reader.read()
    }
}

/// The error of a file that a program hands over.
public struct AcceptFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code.
        public let name: String

        /// The bytes are no XML, or no UTF-8.
        public static let syntax = Code(name: "syntax")
        /// The file has a document type, an entity that it would define, or another part that is not taken.
        public static let notTaken = Code(name: "notTaken")
        /// The file is too large, or nested too deeply.
        public static let size = Code(name: "size")
        /// The file does not have the structure of `paymentmethods.xml`.
        public static let structure = Code(name: "structure")
    }

    /// The kind of error.
    public let code: Code
    /// The line, from 1; 0 if the error is of the whole file.
    public let line: Int
    /// A sentence for a person.
    public let message: String

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    public var description: String { "line \(line): \(message)" }
}

/// Reads XML from its first byte to its last.
private struct XMLReader {
    let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var count = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() throws(AcceptFileError) -> XMLElement {
        guard bytes.count <= XMLElement.maxBytes else {
            throw AcceptFileError(
                .size, line: 0, "\(bytes.count) bytes; the maximum is \(XMLElement.maxBytes).")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw AcceptFileError(.syntax, line: 0, "The file is not in UTF-8.")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        try readDeclaration()
        try skipBetweenElements()
        var root: XMLElement?
        // The elements that are open, outermost first, with their text so far.
        var open: [(element: XMLElement, text: [UInt8])] = []
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<") {
                if isNext("<!--") {
                    try skipComment()
                } else if isNext("</") {
                    guard let (element, text) = open.popLast() else { throw fail(.syntax, "An end without a start.") }
                    let closed = try close(element, text)
                    if open.isEmpty { root = closed } else { open[open.count - 1].element.children.append(closed) }
                } else {
                    guard !open.isEmpty || root == nil else { throw fail(.syntax, "A second outermost element.") }
                    guard open.count < XMLElement.maxDepth else {
                        throw fail(.size, "More than \(XMLElement.maxDepth) levels.")
                    }
                    let (element, isEmpty) = try readStart()
                    if !isEmpty {
                        open.append((element, []))
                    } else if open.isEmpty {
                        root = element
                    } else {
                        open[open.count - 1].element.children.append(element)
                    }
                }
            } else if open.isEmpty {
                guard bytes[index].isXMLSpace else { throw fail(.syntax, "Text outside of elements.") }
                advance()
            } else if bytes[index] == UInt8(ascii: "&") {
                open[open.count - 1].text += try readReference()
            } else {
                open[open.count - 1].text.append(bytes[index])
                advance()
            }
        }
        guard open.isEmpty else { throw fail(.syntax, "An element without an end.") }
        guard let root else { throw fail(.syntax, "The file has no element.") }
        return root
    }

    // MARK: tags and their names

    private mutating func readStart() throws(AcceptFileError) -> (XMLElement, isEmpty: Bool) {
        guard !isNext("<!") else { throw fail(.notTaken, "Document types and CDATA sections are not taken.") }
        guard !isNext("<?") else { throw fail(.notTaken, "Processing instructions are not taken.") }
        count += 1
        guard count <= XMLElement.maxElements else {
            throw fail(.size, "More than \(XMLElement.maxElements) elements.")
        }
        let start = line
        advance()
        let name = try readName()
        while true {
            let hadSpace = skipSpace()
            guard index < bytes.count else { throw fail(.syntax, "A tag without an end.") }
            if bytes[index] == UInt8(ascii: ">") {
                advance()
                return (XMLElement(name: name, line: start), false)
            }
            if isNext("/>") {
                advance(2)
                return (XMLElement(name: name, line: start), true)
            }
            guard hadSpace else { throw fail(.syntax, "A tag has a character that no name has.") }
            try skipAttribute()
        }
    }

    private mutating func close(_ element: XMLElement, _ text: [UInt8]) throws(AcceptFileError) -> XMLElement {
        advance(2)
        let name = try readName()
        _ = skipSpace()
        guard name == element.name, index < bytes.count, bytes[index] == UInt8(ascii: ">") else {
            throw fail(.syntax, "The end tag is not that of \(element.name).")
        }
        advance()
        var closed = element
        var part = text[...]
        while let last = part.last, last.isXMLSpace { part.removeLast() }
        part = part.drop { $0.isXMLSpace }
        guard part.isEmpty || closed.children.isEmpty else { throw fail(.structure, "Text beside elements.") }
        closed.text = String(decoding: part, as: UTF8.self)
        return closed
    }

    private mutating func readName() throws(AcceptFileError) -> String {
        let start = index
        while index < bytes.count, bytes[index].isXMLNameCharacter { advance() }
        let name = bytes[start..<index]
        guard (1...XMLElement.maxNameBytes).contains(name.count), name.first.map({ !$0.isXMLDigit }) ?? false else {
            throw fail(.syntax, "A name has 1 to \(XMLElement.maxNameBytes) letters, digits and signs.")
        }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func skipAttribute() throws(AcceptFileError) {
        _ = try readName()
        _ = skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { throw fail(.syntax, "A name without =.") }
        advance()
        _ = skipSpace()
        guard index < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[index]) else {
            throw fail(.syntax, "A value without quotes.")
        }
        let quote = bytes[index]
        advance()
        while index < bytes.count, bytes[index] != quote {
            guard bytes[index] != UInt8(ascii: "<") else { throw fail(.syntax, "A value has the character <.") }
            advance()
        }
        guard index < bytes.count else { throw fail(.syntax, "A value without an end.") }
        advance()
    }

    // MARK: declaration, comments, spaces

    /// The XML declaration, whose encoding must be UTF-8 if it names one.
    private mutating func readDeclaration() throws(AcceptFileError) {
        guard isNext("<?xml"), bytes.count > index + 5, bytes[index + 5].isXMLSpace else { return }
        let start = index
        while index < bytes.count, !isNext("?>") { advance() }
        guard index < bytes.count else { throw fail(.syntax, "The declaration has no end.") }
        let text = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        advance(2)
        guard !text.utf8.containsText("encoding") || text.utf8.containsText("utf-8") else {
            throw fail(.notTaken, "The encoding must be UTF-8.")
        }
    }

    private mutating func skipBetweenElements() throws(AcceptFileError) {
        while true {
            _ = skipSpace()
            guard isNext("<!--") else { return }
            try skipComment()
        }
    }

    private mutating func skipComment() throws(AcceptFileError) {
        advance(4)
        while index < bytes.count, !isNext("-->") { advance() }
        guard index < bytes.count else { throw fail(.syntax, "A comment without an end.") }
        advance(3)
    }

    private mutating func skipSpace() -> Bool {
        let start = index
        while index < bytes.count, bytes[index].isXMLSpace { advance() }
        return index > start
    }

    // MARK: references to characters and entities

    private static let entities: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    private mutating func readReference() throws(AcceptFileError) -> [UInt8] {
        advance()
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: ";"), index - start < 10 { advance() }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard index < bytes.count, bytes[index] == UInt8(ascii: ";") else { throw fail(.syntax, "An & without a ;.") }
        advance()
        if let character = Self.entities[name] { return [character] }
        guard name.hasPrefix("#") else { throw fail(.notTaken, "The entity is not one of the five of XML.") }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number), number >= 0x20 || [9, 10, 13].contains(number) else {
            throw fail(.syntax, "The number is not that of a character.")
        }
        return Array(String(Character(scalar)).utf8)
    }

    // MARK: places in the file

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        return bytes[index..<(index + count)].elementsEqual(text.description.utf8)
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] == 0x0A { line += 1 }
            index += 1
        }
    }

    private func fail(_ code: AcceptFileError.Code, _ message: String) -> AcceptFileError {
        AcceptFileError(code, line: line, message)
    }
}

extension UInt8 {
    fileprivate var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
    fileprivate var isXMLDigit: Bool { (0x30...0x39).contains(self) }
    /// Whether it may be in a name: letters and digits of ASCII, and four signs.
    fileprivate var isXMLNameCharacter: Bool {
        isXMLDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: ":")
    }
}

extension String.UTF8View {
    fileprivate func containsText(_ text: String) -> Bool {
        let (own, other) = (Array(self), Array(text.utf8))
        guard own.count >= other.count else { return false }
        return (0...(own.count - other.count)).contains { own[$0..<($0 + other.count)].elementsEqual(other) }
    }
}
