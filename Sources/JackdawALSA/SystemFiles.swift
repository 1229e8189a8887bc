internal import CALSA
import Glibc
import JackdawSystem

/// What this module reads of the file system: the kernel's account of sound cards and processes. Tests put a tree of their
/// own behind it.
protocol SystemFiles: Sendable {
    /// The text of a file.
    /// - Throws: ``SystemFailure``.
    func text(of path: String) throws(SystemFailure) -> String
    /// The names in a folder, sorted; none where it cannot be read.
    func names(in folder: String) -> [String]
    /// Whether this user may open a file for reading and writing; nil where there is no such file.
    func mayOpen(_ path: String) -> Bool?
    /// The user that this program acts for.
    var user: SystemUser { get }
}

/// A user by number and name.
struct SystemUser: Sendable, Hashable {
    let number: UInt32
    let name: String
}

extension SystemFiles {
    /// The text of a file without the line end behind it; nil where it cannot be read.
    func line(of path: String) -> String? {
        guard let text = try? text(of: path) else { return nil }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// The fields of a file of lines such as `name: value`, where names may have blanks behind them.
    func fields(of path: String) -> [String: String] {
        guard let text = try? text(of: path) else { return [:] }
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].trimmed] = line[line.index(after: colon)...].trimmed
        }
        return fields
    }
}

extension StringProtocol {
    /// The text without blanks around it.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
    }
}

/// The file system that this program runs on.
struct LinuxFiles: SystemFiles {
    func text(of path: String) throws(SystemFailure) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 {
                return String(decoding: bytes, as: UTF8.self)
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func mayOpen(_ path: String) -> Bool? {
        if unsafe faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 { return true }
        return errno == ENOENT || errno == ENOTDIR ? nil : false
    }

    var user: SystemUser {
        let number = geteuid()
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        let name: String? = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard unsafe getpwuid_r(number, &entry, buffer.baseAddress!, buffer.count, &found) == 0,
                unsafe found != nil
            else { return nil }
            return unsafe String(cString: entry.pw_name)
        }
        return SystemUser(number: number, name: name ?? "$USER")
    }
}

/// What libasound would print on the standard error of whatever program uses it: nothing.
///
/// Its calls return what went wrong, and that is told in this module's own words. Everything that calls the library does
/// ``silence()`` first.
enum LibraryMessages {
    private static let silenced: Void = jackdaw_silence_library()

    /// Keeps the library from printing, from the first call on; a handler that the program has set itself stays.
    static func silence() { silenced }
}

/// Zeroes memory in a way that the compiler does not take for superfluous. The corresponding C function is
/// `explicit_bzero`.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
}
