import Glibc
import JackdawSystem

/// The first bytes of an input, by offset: from a file by position, from a pipe by reading on and keeping what was read.
struct HeaderBytes {
    /// A pipe's header must end within this many bytes, so that an endless one cannot fill the memory.
    static let pipeLimit = 1 << 20

    private let descriptor: CInt
    private let isSeekable: Bool
    private let path: String
    /// Whether the input can only be read front to back.
    var isPipe: Bool { !isSeekable }

    /// Asked while a pipe has sent nothing; nil waits for as long as it takes.
    private let isWanted: (() -> Bool)?

    /// The first bytes; of a pipe all that was taken from it.
    private(set) var kept: [UInt8] = []

    /// - Parameters:
    ///   - descriptor: open for reading; of a pipe nothing but `kept` has been read.
    ///   - isSeekable: whether it is a regular file.
    ///   - path: for error messages.
    ///   - kept: bytes already taken from a pipe.
    ///   - isWanted: asked while a pipe has sent nothing; nil waits for as long as it takes.
    init(
        descriptor: borrowing OwnedDescriptor, isSeekable: Bool, path: String, kept: [UInt8] = [],
        while isWanted: (() -> Bool)? = nil
    ) {
        self.isWanted = isWanted
        self.descriptor = descriptor.number
        self.isSeekable = isSeekable
        self.path = path
        self.kept = kept
    }

    /// The bytes from `offset`, fewer than `count` where the input ends, none beyond ``pipeLimit`` of a pipe.
    /// - Throws: ``AudioFileError`` with code `io`, or `cancelled`.
    mutating func read(at offset: Int, count: Int) throws(AudioFileError) -> ArraySlice<UInt8> {
        if offset + count > kept.count {
            guard !isSeekable else { return try readFile(at: offset, count: count) }
            guard offset + count <= HeaderBytes.pipeLimit else { return [] }
            try readPipe(to: offset + count)
        }
        guard offset < kept.count else { return [] }
        return kept[offset..<min(offset + count, kept.count)]
    }

    private mutating func readFile(at offset: Int, count: Int) throws(AudioFileError) -> ArraySlice<UInt8> {
        // One read serves all headers of a plain file.
        let window = kept.isEmpty && offset == 0 ? max(count, 512) : count
        var bytes = [UInt8](repeating: 0, count: window)
        let descriptor = descriptor
        let got = unsafe bytes.withUnsafeMutableBytes { buffer in
            retried { unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        }
        guard got >= 0 else { throw failure() }
        if window > count { kept = Array(bytes[..<got]) }
        return bytes[..<min(got, count)]
    }

    private mutating func readPipe(to end: Int) throws(AudioFileError) {
        let start = kept.count
        kept.append(contentsOf: repeatElement(0, count: end - start))
        var filled = start
        while filled < end {
            let got: Int
            do throws(SystemFailure) {
                got = try readWaiting(from: descriptor, into: &kept, at: filled, while: isWanted)
            } catch {
                throw failure(error)
            }
            guard got > 0 else { break }
            filled += got
        }
        kept.removeLast(end - filled)
    }

    private func failure(_ cause: SystemFailure = .last) -> AudioFileError {
        AudioFileError(reading: path, cause)
    }
}
