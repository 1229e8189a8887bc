#if Payments
import Glibc
public import JackdawCards
import JackdawSystem

/// A file with one secret, such as a token or a password, which only this user may read.
///
/// The file has mode 0600 or 0400, belongs to this user, and is no link. Or it is a credential that systemd hands to a
/// service (`LoadCredential=` in systemd.exec).
public struct SecretFile: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    private let isCredential: Bool

    /// The most bytes of a secret.
    public static let maxBytes = 65_536

    /// A file of this user.
    public init(path: String) {
        self.path = path
        isCredential = false
    }

    private init(credential path: String) {
        self.path = path
        isCredential = true
    }

    /// A credential of systemd: a file in the folder that the variable `CREDENTIALS_DIRECTORY` names.
    /// - Parameter name: the name of the credential: 1 to 255 letters, digits, and `.`, `-` or `_`; not `.` or `..`.
    /// - Returns: the file, which need not exist.
    /// - Throws: ``SecretFileError`` with `missing` if systemd has set no such variable, or the name is not one of a
    ///   credential.
    public static func credential(_ name: String) throws(SecretFileError) -> SecretFile {
        try credential(name, in: unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) })
    }

    static func credential(_ name: String, in folder: String?) throws(SecretFileError) -> SecretFile {
        let isName =
            (1...255).contains(name.utf8.count) && name != "." && name != ".."
            && name.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil || "._-".contains("\($0)"))
            }
        guard isName else { throw SecretFileError(.missing, "This is no name of a credential.") }
        guard let folder, folder.hasPrefix("/") else {
            throw SecretFileError(.missing, "systemd has handed no credentials to this program.")
        }
        return SecretFile(credential: folder + "/" + name)
    }

    /// Reads the secret, without the end of line after it.
    /// - Throws: ``SecretFileError``.
    public func read() throws(SecretFileError) -> SecretText {
        do throws(FileFault) {
            return try readText()
        } catch {
            throw SecretFileError(error)
        }
    }

    private func readText() throws(FileFault) -> SecretText {
        let file = try PrivateFile.open(path, O_RDONLY, isCredential ? .system : .own)
        defer { close(file) }
        var count = 0
        let bytes = try SecretBytes(count: Self.maxBytes + 1) { (bytes) throws(FileFault) in
            while count < bytes.count {
                let part = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                    retried { unsafe Glibc.read(file, bytes.baseAddress! + count, bytes.count - count) }
                }
                guard part >= 0 else { throw .last(path) }
                guard part > 0 else { break }
                count += part
            }
        }
        guard count <= Self.maxBytes else {
            throw FileFault(.tooLarge, path, "it has more than \(Self.maxBytes) bytes")
        }
        return bytes.withBytes { bytes in
            if count > 0, bytes[count - 1] == 0x0A { count -= 1 }
            if count > 0, bytes[count - 1] == 0x0D { count -= 1 }
            return SecretText(copying: bytes.extracting(first: count))
        }
    }

    /// Writes a secret with mode 0600, so that the file has the old secret or the new one after a loss of power.
    /// - Throws: ``SecretFileError``; `notPrivate` for a credential, which only systemd writes.
    public func write(_ secret: SecretText) throws(SecretFileError) {
        do throws(FileFault) {
            guard !isCredential else { throw FileFault(.notPrivate, path, "only systemd writes credentials") }
            guard secret.count <= Self.maxBytes else {
                throw FileFault(.tooLarge, path, "a secret has at most \(Self.maxBytes) bytes")
            }
            try PrivateFile.checkFolder(of: path)
            _ = try PrivateFile.check(path)
            let temporary = path + ".new"
            // A file from a run that did not end; no link is followed.
            unsafe unlink(temporary)
            try secret.withRevealedText { (bytes) throws(FileFault) in
                try PrivateFile.create(bytes, at: temporary)
            }
            guard unsafe rename(temporary, path) == 0 else {
                let fault = FileFault.last(path)
                unsafe unlink(temporary)
                throw fault
            }
            try PrivateFile.syncFolder(of: path)
        } catch {
            throw SecretFileError(error)
        }
    }
}

/// The error of a file with a secret.
public struct SecretFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code.
        public let name: String

        /// There is no such file or credential.
        public static let missing = Code(name: "missing")
        /// Another user could read or change the file, or it is a link.
        public static let notPrivate = Code(name: "notPrivate")
        /// The file has more than ``SecretFile/maxBytes`` bytes.
        public static let tooLarge = Code(name: "tooLarge")
        /// The disk has no room.
        public static let full = Code(name: "full")
        /// The system reported an error; ``SecretFileError/cause`` has it.
        public static let system = Code(name: "system")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a person, with the path.
    public let message: String
    /// The reason, or the text of the system; nil without one.
    public let cause: String?

    init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    init(_ fault: FileFault) {
        switch fault.kind {
        case .missing: self.init(.missing, "There is no file \(fault.path).", cause: fault.cause)
        case .notPrivate: self.init(.notPrivate, "The file \(fault.path) is not private.", cause: fault.cause)
        case .tooLarge: self.init(.tooLarge, "The file \(fault.path) is too large.", cause: fault.cause)
        case .full: self.init(.full, "The disk has no room for \(fault.path).", cause: fault.cause)
        case .system: self.init(.system, "The file \(fault.path) cannot be used.", cause: fault.cause)
        }
    }

    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
#endif
