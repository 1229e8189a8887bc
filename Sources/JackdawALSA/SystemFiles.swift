internal import CALSA
import Glibc
import JackdawSystem

/// The part of the file system that this module reads: the kernel's files about sound cards and processes. Tests use a
/// tree of their own.
protocol SystemFiles: Sendable {
    /// The whole text of a file.
    /// - Throws: `SystemFailure` if it cannot be read.
    func text(of path: String) throws(SystemFailure) -> String
    /// The names in a folder, sorted; empty if it cannot be read.
    func names(in folder: String) -> [String]
    /// Whether this user may open a file for reading and writing; nil if there is no such file.
    func mayOpen(_ path: String) -> Bool?
    /// The user with whose rights this program runs.
    var user: SystemUser { get }
}

/// A user by number and name.
struct SystemUser: Sendable, Hashable {
    let number: UInt32
    let name: String
}

extension SystemFiles {
    /// The text of a file without its final newline; nil if it cannot be read.
    func line(of path: String) -> String? {
        guard let text = try? text(of: path) else { return nil }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// The fields of a file with lines such as `name: value`; blanks around names and values are removed.
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

/// The file system of this computer.
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

/// Silences libasound, which would print messages on the standard error of any program that uses it.
///
/// Its calls return the error, and this module reports it in its own words. All code that calls the library calls
/// ``silence()`` first.
enum LibraryMessages {
    private static let silenced: Void = jackdaw_silence_library()

    /// Silences the library, from the first call on; a handler that the program has set itself stays.
    static func silence() { silenced }
}
