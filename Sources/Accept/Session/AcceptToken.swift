import JackdawBytes
import JackdawCards
import JackdawPayments
import JackdawReaders

/// The answer of `oauth2/token` (RFC 6749, 5.1): a token and its lifetime.
struct AcceptToken: Sendable {
    /// The token as the host wrote it.
    let token: SecretText
    /// The value of the header `Authorization` (RFC 6750, 2.1): `Bearer TOKEN`.
    let authorization: SecretText
    /// The time for which an unused token is valid; nil if the host does not report it.
    let lifetime: Duration?

    /// The most bytes of an answer, and of a token.
    private static let maxBytes = 1 << 16
    private static let maxTokenBytes = 4096
    private static let scheme: [UInt8] = Array("Bearer ".utf8)

    /// Reads an answer; nil if it has no token of the characters of RFC 6750, or is not JSON.
    ///
    /// The JSON reader makes a `String` of each text, so it receives a copy whose tokens are replaced.
    init?(_ body: HTTPBody) {
        guard body.count <= Self.maxBytes else { return nil }
        var copy: [UInt8] = []
        defer { copy.wipeCapacity() }
        copy.reserveCapacity(body.count)
        var found: [UInt8] = []
        defer { found.wipeCapacity() }
        let isFound = body.withBytes { bytes in
            guard let place = Self.place(of: Self.name, in: bytes), place.count <= Self.maxTokenBytes else {
                return false
            }
            let refresh = Self.place(of: Self.refreshName, in: bytes) ?? place
            for index in bytes.indices {
                let isHidden = place.contains(index) || refresh.contains(index)
                copy.append(isHidden ? UInt8(ascii: "x") : bytes[index])
            }
            found.reserveCapacity(place.count)
            for index in place { found.append(bytes[index]) }
            return true
        }
        guard isFound, let json = try? JSONValue(copy, most: Self.maxBytes),
            json["access_token"]?.text == String(repeating: "x", count: found.count)
        else { return nil }
        // The only type that the client knows; its case does not count (RFC 6749, 5.1).
        guard json["token_type"].map({ $0.text?.lowercased() == "bearer" }) ?? true else { return nil }
        lifetime = json["expires_in"]?.wholeNumber.map { .seconds(Int64(min($0, 31_536_000))) }
        token = SecretText(copying: found.span)
        authorization = Self.authorization(token)
    }

    /// A token of an earlier login.
    /// - Parameters:
    ///   - token: the token, which ``isToken(_:)`` is true for.
    ///   - lifetime: the time for which it is valid unused; nil if it is not known.
    init(_ token: SecretText, lifetime: Duration?) {
        self.token = token
        authorization = Self.authorization(token)
        self.lifetime = lifetime
    }

    /// The value of the header `Authorization` for a token.
    static func authorization(_ token: SecretText) -> SecretText {
        var header: [UInt8] = []
        defer { header.wipeCapacity() }
        header.reserveCapacity(scheme.count + token.count)
        header += scheme
        token.withRevealedText { bytes in
            for index in bytes.indices { header.append(bytes[index]) }
        }
        return SecretText(copying: header.span)
    }

    /// Whether a text has 1 to 4096 characters of a token (RFC 6750, 2.1), so that it cannot end a header.
    static func isToken(_ text: SecretText) -> Bool {
        guard (1...maxTokenBytes).contains(text.count) else { return false }
        return text.withRevealedText { bytes in bytes.indices.allSatisfy { bytes[$0].isTokenCharacter } }
    }

    /// The place of the value of a token in the outermost object; nil if it is no text of a token's characters.
    private static func place(of name: [UInt8], in bytes: Span<UInt8>) -> Range<Int>? {
        var (depth, index) = (0, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                guard let end = endOfText(bytes, from: index + 1) else { return nil }
                if depth == 1, isEqual(bytes, index + 1..<end, name), let place = value(bytes, after: end + 1) {
                    return place
                }
                index = end
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func endOfText(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private static let name: [UInt8] = Array("access_token".utf8)
    private static let refreshName: [UInt8] = Array("refresh_token".utf8)

    private static func isEqual(_ bytes: Span<UInt8>, _ range: Range<Int>, _ name: [UInt8]) -> Bool {
        range.count == name.count && range.allSatisfy { bytes[$0] == name[$0 - range.lowerBound] }
    }

    /// The place of the text after a colon; nil if there is none, or it has other characters than a token.
    private static func value(_ bytes: Span<UInt8>, after start: Int) -> Range<Int>? {
        var index = start
        func skipSpace() {
            while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        }
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
        index += 1
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        index += 1
        let first = index
        while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
        guard index > first, index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        return first..<index
    }
}

extension UInt8 {
    /// Whether it may be in a token (RFC 6750, 2.1: b64token).
    fileprivate var isTokenCharacter: Bool {
        isUnreserved || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") || self == UInt8(ascii: "=")
    }
}
