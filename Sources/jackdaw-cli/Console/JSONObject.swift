import JackdawTransport

/// One JSON object on one line, its fields in the order in which they are added.
struct JSONObject {
    private var fields = ""

    /// The object as text.
    var text: String { "{\(fields)}" }

    mutating func add(_ name: String, _ value: String?) { add(name, json: value.map(Self.quoted) ?? "null") }

    mutating func add(_ name: String, _ value: Int) { add(name, json: String(value)) }

    mutating func add(_ name: String, _ value: Int?) { add(name, json: value.map { String($0) } ?? "null") }

    mutating func add(_ name: String, _ value: Bool) { add(name, json: String(value)) }

    mutating func add(_ name: String, _ value: Bool?) { add(name, json: value.map { String($0) } ?? "null") }

    mutating func add(_ name: String, _ values: [Int]) {
        add(name, json: "[\(values.map(String.init).joined(separator: ","))]")
    }

    mutating func add(_ name: String, _ values: [String]) {
        add(name, json: "[\(values.map(Self.quoted).joined(separator: ","))]")
    }

    mutating func add(_ name: String, _ values: [JSONObject]) {
        add(name, json: "[\(values.map(\.text).joined(separator: ","))]")
    }

    /// A number rounded to some decimals; null where it is not finite.
    mutating func add(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return add(name, json: "null") }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        add(name, json: "\((value * scale).rounded() / scale)")
    }

    private mutating func add(_ name: String, json: String) {
        if !fields.isEmpty { fields += "," }
        fields += "\"\(name)\":\(json)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where FileName.byte(of: scalar) != nil:
                quoted += "\\\\x\(FileName.byte(of: scalar)?.hexadecimal ?? "")"
            case _ where scalar.steersTerminal:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
