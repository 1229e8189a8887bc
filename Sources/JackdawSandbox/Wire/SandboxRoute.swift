import JackdawBytes
package import JackdawPayments

/// A request that the sandbox knows. The table of all is ``table``.
package enum SandboxRoute: Sendable, Hashable {
    case token
    case user
    case resetPassword
    case changePassword
    case create
    case search
    case payment(String)
    case update(String)
    case reverse(String)
    case refund(String)
    case capture(String)
    case totals
    case products
    case firmware
    case terminal(String)
    case configuration
    case configurationFile
    case status(String)
    case close(String)

    /// A row of the table.
    package struct Row: Sendable {
        package let methods: [HTTPRequest.Method]
        /// The path after the base; `{id}` is any part.
        package let path: String
        /// Whether no published source of the host's version 3 has it.
        package let isBeyond: Bool
        let make: @Sendable (String) -> SandboxRoute

        /// The name for faults: `POST payments.json`.
        package var name: String { "\(methods[0].rawValue) \(path)" }
    }

    /// All requests. The paths are those of the Android archive of the Accept SDK; where it does not name the method of
    /// an action on a payment, POST and PUT are both taken.
    package static let table: [Row] = [
        Row(methods: [.post], path: "oauth2/token", isBeyond: false) { _ in .token },
        Row(methods: [.get], path: "user.json", isBeyond: false) { _ in .user },
        Row(methods: [.post, .put], path: "user/reset_password.json", isBeyond: false) { _ in .resetPassword },
        Row(methods: [.put], path: "user/password.json", isBeyond: true) { _ in .changePassword },
        Row(methods: [.post], path: "payments.json", isBeyond: false) { _ in .create },
        Row(methods: [.get], path: "payments/search.json", isBeyond: false) { _ in .search },
        Row(methods: [.get], path: "payments/total_sums.json", isBeyond: false) { _ in .totals },
        Row(methods: [.get], path: "payments/{id}.json", isBeyond: true) { .payment($0) },
        Row(methods: [.put], path: "payments/{id}.json", isBeyond: false) { .update($0) },
        Row(methods: [.post, .put], path: "payments/{id}/reverse.json", isBeyond: false) { .reverse($0) },
        Row(methods: [.post, .put], path: "payments/{id}/refund.json", isBeyond: false) { .refund($0) },
        Row(methods: [.post, .put], path: "payments/{id}/capture.json", isBeyond: false) { .capture($0) },
        Row(methods: [.get], path: "merchant/product_list.json", isBeyond: false) { _ in .products },
        Row(methods: [.get], path: "cnp_firmware_version.json", isBeyond: false) { _ in .firmware },
        Row(methods: [.get], path: "terminals/{id}.json", isBeyond: false) { .terminal($0) },
        Row(methods: [.get], path: "configuration.json", isBeyond: true) { _ in .configuration },
        Row(methods: [.get], path: configurationPath, isBeyond: true) { _ in .configurationFile },
        Row(methods: [.get], path: "unique_ids/{id}.json", isBeyond: true) { .status($0) },
        Row(methods: [.post], path: "unique_ids/{id}/reverse.json", isBeyond: true) { .close($0) },
    ]

    /// The path of the configuration that the sandbox serves.
    static let configurationPath = "configuration/file.json"

    /// The longest path, in bytes.
    static let maxPath = 512

    /// Finds the request of a method and a path.
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the percent-encoded path.
    ///   - base: the path of the host, before that of the table.
    /// - Returns: the route and its row.
    /// - Throws: ``WireRefusal`` 404 if no row has the path, 405 if none with the path has the method.
    static func find(
        _ method: HTTPRequest.Method, _ path: String, base: String
    ) throws(WireRefusal) -> (route: SandboxRoute, row: Row) {
        let rows = rows(at: path, base: base)
        guard !rows.isEmpty else { throw .notFound }
        guard let (row, identifier) = rows.first(where: { $0.0.methods.contains(method) }) else {
            let allowed = allowedMethods(at: path, base: base)
            throw WireRefusal(
                405, "method_not_allowed", "the methods here are \(allowed)", headers: [HTTPField("Allow", allowed)])
        }
        return (row.make(identifier), row)
    }

    /// The name of the row of a method and a path, without what the client wrote; nil if there is no such row.
    package static func name(_ method: HTTPRequest.Method, _ path: String, base: String) -> String? {
        rows(at: path, base: base).first { $0.0.methods.contains(method) }?.0.name
    }

    /// The methods of a path for the header `Allow`; empty if no row has the path.
    package static func allowedMethods(at path: String, base: String) -> String {
        rows(at: path, base: base).flatMap { $0.0.methods.map(\.rawValue) }.joined(separator: ", ")
    }

    /// The rows of a path, with the identifier in it.
    private static func rows(at path: String, base: String) -> [(Row, String)] {
        guard path.utf8.count <= maxPath, path.utf8.starts(with: base.utf8) else { return [] }
        let rest = path.utf8.dropFirst(base.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return [] }
        let parts = String(Substring(rest.dropFirst())).split(separator: "/", omittingEmptySubsequences: false)
        let matches = table.compactMap { row in match(row.path, parts).map { (row, $0) } }
        // A path without a place for an identifier comes first: `payments/search.json` is no payment.
        let literal = matches.filter { !$0.0.path.utf8.contains(UInt8(ascii: "{")) }
        return literal.isEmpty ? matches : literal
    }

    /// Compares a path of the table with parts of a path.
    /// - Returns: the identifier, empty without one; nil if they differ. The ending `.json` may be left out.
    private static func match(_ pattern: String, _ parts: [Substring]) -> String? {
        let wanted = pattern.split(separator: "/")
        guard wanted.count == parts.count else { return nil }
        var identifier = ""
        for (wanted, part) in zip(wanted, parts) {
            if wanted.utf8.starts(with: "{id}".utf8) {
                let isLast = wanted.utf8.count > 4
                let name = isLast && part.hasSuffix(".json") ? part.dropLast(5) : part
                guard let decoded = name.percentDecoded, decoded.isIdentifier else { return nil }
                identifier = decoded
            } else if wanted != part, wanted != "\(part).json" {
                return nil
            }
        }
        return identifier
    }
}

extension StringProtocol {
    /// Whether it is 1 to 64 characters of printable ASCII without spaces.
    var isIdentifier: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The text with its percent signs decoded; nil if two hexadecimal digits are missing, or the result is not UTF-8.
    var percentDecoded: String? {
        var octets: [UInt8] = []
        let source = Array(utf8)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%") {
                guard let octet = source.span.byte(at: index + 1) else { return nil }
                octets.append(octet)
                index += 3
            } else {
                octets.append(source[index])
                index += 1
            }
        }
        return String(validating: octets, as: UTF8.self)
    }
}
