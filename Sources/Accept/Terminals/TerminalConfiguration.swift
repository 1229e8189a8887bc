import JackdawBytes
import JackdawPayments
import JackdawReaders

/// The file with the configuration of terminals. Its content is that of the sandbox, because no source shows that of the host:
/// a JSON object with the version, and the kinds of terminals that it is for.
struct TerminalConfiguration: Sendable, Hashable {
    let version: String
    /// The kinds of terminals, as in `paymentmethods.xml`: `PosMate`.
    let kinds: [String]

    /// The most bytes of a file.
    static let maxBytes = 65_536
    /// The most kinds of terminals in a file.
    static let maxKinds = 200

    /// Reads a file, and compares it with its announcement.
    /// - Parameters:
    ///   - body: the file.
    ///   - files: the version and the MD5 that the host has announced.
    /// - Throws: `config(.zipDownload)` if the file is damaged, or is not the one that was announced.
    init(_ body: HTTPBody, announcedBy files: AcceptTerminalConfigFiles) throws(AcceptError) {
        guard body.count <= Self.maxBytes else {
            throw Self.wrong("It has \(body.count) bytes; the maximum is \(Self.maxBytes).")
        }
        if !files.md5.isEmpty {
            let digest = MD5Digest(of: body.withBytes { Array(span: $0) }).octets.map(\.lowercaseHexadecimal).joined()
            guard digest == files.md5.lowercased() else { throw Self.wrong("Its MD5 is another one.") }
        }
        let json: JSONValue
        do throws(HostFailure) { json = try JSONValue(body, most: Self.maxBytes) } catch {
            throw Self.wrong(error.message)
        }
        guard case .array(let elements)? = json["terminals"], elements.count <= Self.maxKinds else {
            throw Self.wrong("It does not name its terminals.")
        }
        let kinds = elements.compactMap(\.text)
        guard json["version"]?.text == files.version, kinds.count == elements.count else {
            throw Self.wrong("It is not that of version \(files.version.prefix(64)).")
        }
        version = files.version
        self.kinds = kinds
    }

    private static func wrong(_ reason: String) -> AcceptError {
        AcceptError(.config(.zipDownload), "The file with the configuration cannot be used. \(reason)")
    }

    /// Whether the file is for a terminal. Names are compared without regard to case.
    func isFor(_ terminal: AcceptTerminal) -> Bool {
        kinds.contains { $0.lowercased() == terminal.kind.lowercased() }
    }

    /// The name of the journal's note with the version that a terminal has.
    static func note(of terminalUUID: String, _ vendorUUID: String) -> String {
        "accept/configuration/\(vendorUUID.percentEncoded)/\(terminalUUID.percentEncoded)"
    }
}
