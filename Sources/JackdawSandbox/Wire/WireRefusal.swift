import JackdawEMV
import JackdawPayments
import JackdawReaders

/// The error with which a request ends. The host's own bodies of errors are not published: these are those of RFC 6749.
struct WireRefusal: Error, Sendable {
    let status: Int
    /// The code for programs: `not_found`.
    let code: String
    /// The message for people, without a value of the request.
    let message: String
    /// The headers, beside that of the content's type.
    var headers: [HTTPField] = []

    init(_ status: Int, _ code: String, _ message: String, headers: [HTTPField] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    var answer: HTTPAnswer {
        HTTPAnswer(
            status: status, json: .object(["error": .text(code), "error_description": .text(message)]),
            headers: headers)
    }

    static func invalid(_ place: String, _ message: String) -> WireRefusal {
        WireRefusal(422, "invalid", "\(place): \(message)")
    }

    static let notFound = WireRefusal(404, "not_found", "there is no such thing here")
    static let full = WireRefusal(507, "full", "the sandbox has no room, or cannot store")
    static let noToken = WireRefusal(
        401, "invalid_token", "the token is missing, unknown or expired",
        headers: [HTTPField("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
}

extension HTTPAnswer {
    /// An answer with JSON.
    init(status: Int, json: JSONValue, headers: [HTTPField] = []) {
        let body = json.encoded()
        self.init(
            status: status,
            headers: [
                HTTPField("Content-Type", "application/json; charset=utf-8"), HTTPField("Cache-Control", "no-store"),
            ]
                + headers,
            body: HTTPBody(copying: body.span))
    }
}

/// Fields of a request, with their place for errors. A method throws ``WireRefusal`` if a value has the wrong form.
struct WireFields {
    let fields: FormFields
    /// The name that has them: `payment`; empty for the whole form.
    let place: String

    init(_ fields: FormFields, at place: String = "") {
        self.fields = fields
        self.place = place
    }

    func place(of name: String) -> String { place.isEmpty ? name : "\(place)[\(name)]" }

    func has(_ name: String) -> Bool { fields[name] != nil }

    /// A text that may be a secret; nil if it is missing.
    func secret(_ name: String, most: Int) throws(WireRefusal) -> SecretOctets? {
        guard let value = fields[name] else { return nil }
        guard let text = value.secret, text.count <= most else {
            throw .invalid(place(of: name), "it must be a text of at most \(most) bytes")
        }
        return text
    }

    /// A text in UTF-8 without control characters; nil if it is missing.
    func text(_ name: String, most: Int) throws(WireRefusal) -> String? {
        guard let secret = try secret(name, most: most) else { return nil }
        let text = secret.withOctets { octets in String(validating: Array(span: octets), as: UTF8.self) }
        guard let text, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw .invalid(place(of: name), "it must be text in UTF-8 without control characters")
        }
        return text
    }

    /// A text that must be there.
    func required(_ name: String, most: Int) throws(WireRefusal) -> String {
        guard let text = try text(name, most: most), !text.isEmpty else {
            throw .invalid(place(of: name), "it is missing")
        }
        return text
    }

    /// A whole number without a sign, at most 15 digits; nil if it is missing.
    func number(_ name: String) throws(WireRefusal) -> UInt64? {
        guard let text = try text(name, most: 15) else { return nil }
        guard let number = text.wholeNumber else { throw .invalid(place(of: name), "it must be a whole number") }
        return number
    }

    /// `true`, `1`, `false` or `0`; nil if it is missing.
    func flag(_ name: String) throws(WireRefusal) -> Bool? {
        switch try text(name, most: 5) {
        case nil: nil
        case "true", "1": true
        case "false", "0": false
        default: throw .invalid(place(of: name), "it must be true or false")
        }
    }

    /// Fields in a field; nil if they are missing.
    func object(_ name: String) throws(WireRefusal) -> WireFields? {
        switch fields[name] {
        case nil: nil
        case .fields(let fields): WireFields(fields, at: place(of: name))
        default: throw .invalid(place(of: name), "it must have fields")
        }
    }

    /// The elements of a list that have fields; none if it is missing.
    func objects(_ name: String, most: Int) throws(WireRefusal) -> [WireFields] {
        guard let value = fields[name] else { return [] }
        guard case .list(let list) = value, list.count <= most else {
            throw .invalid(place(of: name), "it must be a list of at most \(most) elements")
        }
        var objects: [WireFields] = []
        for element in list {
            guard case .fields(let fields) = element else {
                throw .invalid(place(of: name), "its elements must have fields")
            }
            objects.append(WireFields(fields, at: "\(place(of: name))[]"))
        }
        return objects
    }
}

extension StringProtocol {
    /// The number of 1 to 15 decimal digits; nil for another text.
    var wholeNumber: UInt64? {
        guard (1...15).contains(utf8.count), utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(self)
    }
}
