import JackdawBytes

/// The facts on which the meaning of a value depends, besides its tag.
struct ValueContext {
    /// The number of the contactless kernel; nil if none applies.
    var kernel: Int?
    /// The numeric code of the currency of amounts; nil if unknown.
    var currency: UInt16?
    /// The code table of names; nil if unknown.
    var codeTable: CodeTable?

    init(kernel: Int?) { self.kernel = kernel }

    /// Takes a value on which the meaning of others depends; all other values are ignored.
    mutating func learn(_ tag: Tag, _ value: Span<UInt8>) {
        switch tag {
        case 0x5F2A, 0x9F42: currency = value.packedDecimal.flatMap { UInt16(exactly: $0) }
        case 0x9F11: codeTable = value.count == 1 ? CodeTable(value[0]) : nil
        default: break
        }
    }

    /// The part of card data that default output may show: the masked number of tags 5A, 57 and 9F6B.
    func maskedText(_ tag: Tag, _ value: Span<UInt8>) -> String? {
        guard [0x5A, 0x57, 0x9F6B].contains(tag) else { return nil }
        var count = 0
        for index in 0..<2 * value.count {
            guard Self.digit(value, index) <= 9 else { break }
            count += 1
        }
        guard (8...19).contains(count) else { return nil }
        var text = ""
        for index in 0..<count {
            let isShown = index >= count - 4 || (index < 6 && count >= 13)
            let digit = Self.digit(value, index)
            text.unicodeScalars.append(isShown ? Unicode.Scalar(0x30 + digit) : "*")
        }
        return text
    }

    private static func digit(_ value: Span<UInt8>, _ index: Int) -> UInt8 {
        index % 2 == 0 ? value[index / 2] >> 4 : value[index / 2] & 0x0F
    }

    /// The value for people; nil if the digits say as much.
    func text(_ tag: Tag, _ element: DataElement?, _ value: Span<UInt8>) -> String? {
        switch tag {
        case 0x9F02, 0x9F03: return Amount(value, currencyCode: currency)?.description
        case 0x81, 0x9F04, 0x9F1B:
            guard value.count == 4 else { return nil }
            return Amount(minorUnits: value.bigEndian, currencyCode: currency).description
        case 0x5F24, 0x5F25, 0x9A: return CardDate(value)?.description
        case 0x9F21: return time(value)
        case 0x5F2A, 0x9F42, 0x9F3C: return Currency.find(value).map { "\($0.alphabeticCode) (\($0.name))" }
        case 0x5F28, 0x9F1A: return Country.find(value).map { "\($0.alphabeticCode) (\($0.name))" }
        case 0x9F12: return codeTable.flatMap { try? $0.text(value) } ?? printable(value)
        case 0x9C: return value.count == 1 ? TransactionKind.text(value[0]) : nil
        case 0x9F35: return value.count == 1 ? TerminalKind.text(value[0]) : nil
        case 0x9F36, 0x9F13: return value.count == 2 ? "\(value.bigEndian)" : nil
        case 0x9F60, 0x9F61:
            guard kernel == 2 else { break }
            return value.count == 2 ? "\(value.bigEndian)" : nil
        case 0x9F62 where kernel == 7: return value.count == 1 ? IdentityDocument.text(value[0]) : nil
        case 0x9F14, 0x9F17, 0x9F23: return value.count == 1 ? "\(value[0])" : nil
        case 0x8A: return responseCode(value)
        case 0x9F11: return value.count == 1 ? CodeTable(value[0]).map { "ISO/IEC 8859-\($0.part)" } : nil
        default: break
        }
        switch element?.format {
        case .text, .alphanumeric, .alphabetic: return printable(value)
        case .numeric: return value.packedDecimal.map { "\($0)" }
        default:
            let isName = tag == 0x84 && value.starts(with: [0x31, 0x50, 0x41, 0x59].span)
            let isContactlessName = tag == 0x84 && value.starts(with: [0x32, 0x50, 0x41, 0x59].span)
            return isName || isContactlessName ? printable(value) : nil
        }
    }

    /// The characters of ASCII text; nil if there are others.
    private func printable(_ value: Span<UInt8>) -> String? {
        var text = ""
        for index in value.indices {
            guard (0x20...0x7E).contains(value[index]) else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(value[index]))
        }
        return text
    }

    private func time(_ value: Span<UInt8>) -> String? {
        guard value.count == 3, value.packedDecimal != nil else { return nil }
        return "\(value[0].hexadecimal):\(value[1].hexadecimal):\(value[2].hexadecimal)"
    }

    /// The codes that a terminal sets (EMV Book 4, annex A6).
    private func responseCode(_ value: Span<UInt8>) -> String? {
        guard let code = printable(value) else { return nil }
        switch code {
        case "Y1": return "Y1: offline approved"
        case "Z1": return "Z1: offline declined"
        case "Y3": return "Y3: unable to go online, offline approved"
        case "Z3": return "Z3: unable to go online, offline declined"
        case "00": return "00: approved"
        default: return code
        }
    }
}

/// The transaction type (tag 9C): the first two digits of the processing code of ISO 8583.
enum TransactionKind {
    static func text(_ code: UInt8) -> String? {
        switch code {
        case 0x00: "Purchase"
        case 0x01: "Cash advance"
        case 0x09: "Purchase with cashback"
        case 0x17: "Cash disbursement"
        case 0x20: "Refund"
        case 0x30, 0x31: "Balance inquiry"
        default: nil
        }
    }
}

/// The identity document of a cardholder (tag 9F62 of UnionPay), as binaryfoo/emv-bertlv has it.
enum IdentityDocument {
    static func text(_ code: UInt8) -> String? {
        switch code {
        case 0x00: "ID card"
        case 0x01: "Military officer's certificate"
        case 0x02: "Passport"
        case 0x03: "Entry permit"
        case 0x04: "Interim ID card"
        case 0x05: "Other document"
        default: nil
        }
    }
}

/// The terminal type (tag 9F35; EMV Book 4, annex A1): operator, attendance and connection.
enum TerminalKind {
    static func text(_ code: UInt8) -> String? {
        let owner: String
        switch code >> 4 {
        case 1: owner = "financial institution"
        case 2: owner = "merchant"
        case 3: owner = "cardholder"
        default: return nil
        }
        let use: String
        switch code & 0x0F {
        case 1: use = "attended, online only"
        case 2: use = "attended, offline with online capability"
        case 3: use = "attended, offline only"
        case 4: use = "unattended, online only"
        case 5: use = "unattended, offline with online capability"
        case 6: use = "unattended, offline only"
        default: return nil
        }
        return "\(use), operated by \(owner)"
    }
}
