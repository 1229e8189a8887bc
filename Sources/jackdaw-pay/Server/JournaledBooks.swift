import Glibc
import JackdawConsole
import JackdawSandbox
import JackdawSystem
import JackdawTransport

/// Books of a sandbox that survive the end of the process: a file that only grows, with one change a line, and the
/// same books in memory for questions. A change is on the disk before it is in the memory.
struct JournaledBooks: SandboxStore {
    private var memory: MemorySandboxStore
    let file: BooksFile

    var paymentCount: Int { memory.paymentCount }

    func payment(_ number: Int) -> SandboxPayment? { memory.payment(number) }

    func entry(_ key: SandboxKey) -> SandboxEntry? { memory.entry(key) }

    func passwordHash(ofUser user: String) -> String? { memory.passwordHash(ofUser: user) }

    mutating func write(_ change: SandboxChange) throws(SandboxStoreError) {
        try memory.check(change)
        try file.append(change)
        try memory.write(change)
    }
}

extension JournaledBooks {
    /// The name of the file in its directory.
    static let fileName = "books.jsonl"
    /// The first line of the file.
    static let header = Array(#"{"format":"jackdaw-sandbox-books","version":1}"#.utf8)

    /// Opens the books in a directory, which is made if it is not there. An entry at the end that was not written as a
    /// whole is cut off: no client has an answer about it.
    /// - Parameters:
    ///   - directory: the path of the directory.
    ///   - calls: the system's calls. Default: those of the system.
    /// - Throws: `CommandError` with status `unavailable` if another process uses the books, `badData` if an entry
    ///   before the last cannot be read, `noInput` if the file is not of this user alone, and `inputOutput`.
    init(directory: String, calls: BooksFile.Calls = BooksFile.Calls()) throws(CommandError) {
        if unsafe mkdir(FileName.characters(of: directory), 0o700) == 0 {
            do throws(SystemFailure) { try Self.sync(directory: Self.parent(of: directory)) } catch {
                throw CommandError(.inputOutput, "\(directory): cannot be made durable (\(error.message))")
            }
        } else if errno != EEXIST {
            throw CommandError(.inputOutput, "\(directory): cannot be made (\(SystemFailure.last.message))")
        }
        let path = "\(directory)/\(Self.fileName)"
        file = try BooksFile(path: path, calls: calls)
        memory = MemorySandboxStore()
        var reader = LineReader()
        var number = 0
        var sound = 0
        /// The error of the line before: at the end of the file it is that of an entry written in part.
        var doubt: CommandError?
        do throws(SystemFailure) {
            while let line = try reader.next(file.descriptor) {
                if doubt != nil { break }
                number += 1
                doubt = Self.read(line, number, path, into: &memory)
                if doubt == nil { sound += line.count + 1 }
            }
        } catch {
            throw CommandError(.inputOutput, "\(path): cannot be read (\(error.message))")
        }
        if let doubt {
            // A contradiction was written as a whole, and so was every line before other bytes.
            guard doubt.status == .noInput, reader.isAtEnd, reader.rest.isEmpty else {
                throw CommandError(.badData, doubt.message)
            }
        }
        guard number > 0 || Self.header.starts(with: reader.rest) else { throw Self.otherFile(path) }
        try file.begin(at: sound, header: sound == 0 ? Self.header : nil)
    }

    /// The directory that has the name of a directory, whose path may end with a slash.
    private static func parent(of directory: String) -> String {
        var path = directory[...]
        while path.unicodeScalars.count > 1, path.unicodeScalars.last == "/" { path.unicodeScalars.removeLast() }
        return FileName.directory(of: String(path))
    }

    /// Makes the names in a directory durable.
    fileprivate static func sync(directory: String) throws(SystemFailure) {
        let descriptor = unsafe open(FileName.characters(of: directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last }
    }

    private static func otherFile(_ path: String) -> CommandError {
        CommandError(.badData, "\(path): these are no books of this version")
    }

    /// Reads a line into the books.
    /// - Returns: nil if it was read; an error with status `noInput` if it may be an entry that was written in part.
    private static func read(
        _ line: [UInt8], _ number: Int, _ path: String, into memory: inout MemorySandboxStore
    ) -> CommandError? {
        if number == 1 {
            return line == header ? nil : otherFile(path)
        }
        do throws(SandboxStoreError) {
            try memory.write(try SandboxChange(encoded: line))
            return nil
        } catch {
            return CommandError(error.code == .unreadable ? .noInput : .badData, "\(path), line \(number): \(error)")
        }
    }
}

/// The lines of a file, one after the other.
private struct LineReader {
    /// The longest line; a longer one is cut, and cannot be read.
    private static let most = SandboxChange.maxSize
    private var bytes: [UInt8] = []
    private var start = 0
    /// Whether all bytes of the file were read.
    private(set) var isAtEnd = false

    /// The bytes after the last line.
    var rest: ArraySlice<UInt8> { bytes[start...] }

    /// The next line without its end. Bytes after the last line end are no line.
    mutating func next(_ descriptor: CInt) throws(SystemFailure) -> [UInt8]? {
        while true {
            if let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(bytes[start..<end])
            }
            guard bytes.count - start <= Self.most else { return Array(bytes[start...]) }
            bytes.removeFirst(start)
            start = 0
            var block = [UInt8](repeating: 0, count: 65_536)
            let count = try readWaiting(from: descriptor, into: &block)
            guard count > 0 else {
                isAtEnd = true
                return nil
            }
            bytes += block.prefix(count)
        }
    }
}

/// The open file of books: for this user alone, and in use by one process at a time.
final class BooksFile: Sendable {
    /// The calls that make an entry durable, so that tests can let them fail.
    struct Calls: Sendable {
        var write: @Sendable ([UInt8], CInt) throws(SystemFailure) -> Void = {
            bytes, descriptor throws(SystemFailure) in
            try writeAll(bytes, to: descriptor)
        }
        var sync: @Sendable (CInt) throws(SystemFailure) -> Void = { descriptor throws(SystemFailure) in
            guard fdatasync(descriptor) == 0 else { throw .last }
        }
    }

    private struct State {
        /// The length of the entries that are on the disk, in bytes.
        var length = 0
        /// Whether the end of the file is not known: nothing is written any more.
        var isBroken = false
    }

    let path: String
    let descriptor: CInt
    private let calls: Calls
    private let state = Lock(State())

    fileprivate init(path: String, calls: Calls) throws(CommandError) {
        self.path = path
        self.calls = calls
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = unsafe open(FileName.characters(of: path), flags, 0o600)
        guard descriptor >= 0 else {
            throw CommandError(.inputOutput, "\(path): cannot be opened (\(SystemFailure.last.message))")
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.isPrivateFile else {
            throw CommandError(.noInput, "\(path): run chmod 600 on these books: other users can open them")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandError(.unavailable, "\(path): another process uses these books")
        }
    }

    /// Whether it is not known what the file has: the process must not answer any more, and a new one reads it.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    deinit {
        guard descriptor >= 0 else { return }
        // A program that is just being started has a copy of the descriptor, which would hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Cuts off what comes after the entries that were read, and writes the header of new books.
    fileprivate func begin(at length: Int, header: [UInt8]?) throws(CommandError) {
        do throws(SystemFailure) {
            try cut(to: length)
            var length = length
            if let header {
                let line = header + [UInt8(ascii: "\n")]
                try calls.write(line, descriptor)
                length = line.count
            }
            try calls.sync(descriptor)
            try JournaledBooks.sync(directory: FileName.directory(of: path))
            state.withLock { [length] in $0.length = length }
        } catch {
            throw CommandError(.inputOutput, "\(path): cannot be written (\(error.message))")
        }
    }

    /// Writes a change, and returns when it is on the disk.
    /// - Throws: `SandboxStoreError` with code `notWritten`; the file is as before, or takes no more changes.
    fileprivate func append(_ change: SandboxChange) throws(SandboxStoreError) {
        let line = change.encoded + [UInt8(ascii: "\n")]
        guard line.count <= SandboxChange.maxSize else { throw SandboxStoreError(.full, "the change is too long") }
        let isWritten = state.withLock { state in
            guard !state.isBroken else { return false }
            do throws(SystemFailure) {
                try calls.write(line, descriptor)
            } catch {
                // A part of the entry would come before the next one.
                do throws(SystemFailure) { try cut(to: state.length) } catch { state.isBroken = true }
                return false
            }
            do throws(SystemFailure) {
                try calls.sync(descriptor)
            } catch {
                // After an error it is not known what is on the disk (fsync(2)). A restart should not find an entry that
                // this process denies.
                do throws(SystemFailure) { try cut(to: state.length) } catch {}
                state.isBroken = true
                return false
            }
            state.length += line.count
            return true
        }
        guard isWritten else { throw SandboxStoreError(.notWritten, "the file of the books cannot be written") }
    }

    private func cut(to length: Int) throws(SystemFailure) {
        guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) >= 0 else {
            throw .last
        }
    }
}
