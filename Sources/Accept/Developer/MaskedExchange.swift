import JackdawBytes
import JackdawPayments
import JackdawReaders

/// Requests and answers as texts for the developer mode. A value is masked unless its name is in a list of those that have
/// neither card data nor persons nor secrets.
enum MaskedExchange {
    private static let shownFields: Set = [
        "payment[unique_id]", "payment[transaction_type]", "payment[amount]", "payment[currency]", "payment[tip]",
        "payment[tip_tax_rate]", "payment[net_taxation]", "payment[pos_data][pos_entry_mode]",
        "payment[items][][gross_price]", "payment[items][][quantity]", "payment[items][][tax_rate]",
        "payment[receipt_requested]", "payment[payment_method]", "unique_id", "amount", "fnc_type", "grant_type",
    ]
    private static let shownMembers = [
        "unique_id", "state", "transaction_type", "amount", "currency", "error_code", "error",
    ]
    /// The most values of a form that are named.
    private static let maxFields = 24
    /// The most bytes of a name or a value.
    private static let maxBytes = 64
    /// The most bytes of an answer that is read.
    private static let maxAnswerBytes = 1 << 19

    /// The method, the path, and the names of the form's values: `POST /v3/payments.json payment[amount]=1000 ...`.
    static func text(of request: HTTPRequest) -> String {
        var parts = ["\(request.method.rawValue) \(request.path)"]
        parts += request.query.map { "?\($0.name)=***" }
        let (fields, leftOut) = request.body.withBytes { maskedFields($0) }
        parts += fields
        if leftOut > 0 { parts.append("and \(leftOut) more") }
        return parts.joined(separator: " ")
    }

    /// The status, and the members that may be shown: `200 /v3/payments.json state=approved amount=1000`. The answer to a
    /// login is not read, because its token must not be copied.
    static func text(of answer: HTTPAnswer, to request: HTTPRequest) -> String {
        var parts = ["\(answer.status) \(request.path)"]
        if !request.path.hasSuffix("/oauth2/token"), answer.body.count > 0,
            let json = try? JSONValue(answer.body, most: maxAnswerBytes)
        {
            for name in shownMembers {
                if let text = json[name]?.text, isPlain(text.utf8) {
                    parts.append("\(name)=\(ReasonText(text).text)")
                } else if let number = json[name]?.wholeNumber {
                    parts.append("\(name)=\(ReasonText("\(number)").text)")
                }
            }
        }
        parts.append("\(answer.body.count) bytes")
        return parts.joined(separator: " ")
    }

    private static func isPlain(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count <= maxBytes && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    }

    // MARK: values of forms

    /// The values of a form as `NAME=VALUE`, and the number of those that are left out. Bytes of other values are not
    /// copied.
    private static func maskedFields(_ bytes: Span<UInt8>) -> (texts: [String], leftOut: Int) {
        var (texts, leftOut) = ([String](), 0)
        var start = 0
        while start < bytes.count {
            var end = start
            var equals: Int?
            while end < bytes.count, bytes[end] != UInt8(ascii: "&") {
                if equals == nil, bytes[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if texts.count < maxFields {
                let name = decoded(bytes, start..<(equals ?? end)) ?? "?"
                var value = "***"
                if let equals, shownFields.contains(name), let shown = decoded(bytes, (equals + 1)..<end) {
                    value = ReasonText(shown).text
                }
                texts.append("\(name)=\(value)")
            } else {
                leftOut += 1
            }
            start = end + 1
        }
        return (texts, leftOut)
    }

    /// The text of percent-encoded bytes; nil if it is long or not printable.
    private static func decoded(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        guard range.count <= 3 * maxBytes else { return nil }
        var octets: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "+"): octets.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < range.upperBound, let high = bytes[index + 1].hexadecimalValue,
                    let low = bytes[index + 2].hexadecimalValue
                else { return nil }
                octets.append(high << 4 | low)
                index += 2
            case let byte: octets.append(byte)
            }
            index += 1
        }
        return isPlain(octets) ? String(decoding: octets, as: UTF8.self) : nil
    }
}
