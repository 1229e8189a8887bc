import Glibc
internal import JackdawSystem
package import JackdawTransport

/// A file that a transcript is written to, which only this user may read.
final class TranscriptFile: Sendable {
    let descriptor: Int32
    private let link: String
    private struct State {
        /// The length of the complete lines in bytes.
        var length = 0
        /// The error of a line that could not be written; no line may follow it.
        var failure: LinkError?
    }

    private let state = Lock(State())

    /// Creates the file. An existing transcript is overwritten if it belongs to this user, and no one else may read it.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - link: the link's name in errors.
    /// - Throws: `LinkError`: `busy` if another link writes the file.
    init(_ path: String, link: String) throws(LinkError) {
        self.link = link
        var descriptor: Int32 = -1
        var isNew = true
        do throws(SystemFailure) {
            descriptor = unsafe open(FileName.characters(of: path), O_WRONLY | O_CREAT | O_EXCL | Self.flags, 0o600)
            if descriptor < 0, errno == EEXIST {
                // Without blocking and without truncation until the type of the existing file is known.
                isNew = false
                descriptor = unsafe open(FileName.characters(of: path), O_RDWR | O_NONBLOCK | Self.flags)
                guard descriptor >= 0 else { throw .last }
                var status = stat()
                guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
                guard status.isPrivateFile else { throw SystemFailure(code: EEXIST) }
            }
            guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last }
            guard isNew || Self.isTranscript(descriptor) else { throw SystemFailure(code: EEXIST) }
            guard ftruncate(descriptor, 0) == 0 else { throw .last }
        } catch {
            if descriptor >= 0 { close(descriptor) }
            throw Self.error(error, path, link)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Writes all of the lines, or none of them.
    /// - Throws: `LinkError` (`full`), and the same error on each later call. The lines that were written before can be
    ///   played back.
    func write(_ text: String) throws(LinkError) {
        let bytes = Array(text.utf8)
        let failure = state.withLock { state in
            guard state.failure == nil else { return state.failure }
            do throws(LinkError) {
                try append(bytes)
                state.length += bytes.count
            } catch {
                state.failure = error
                // Removes the incomplete line that could not be written.
                ftruncate(descriptor, off_t(state.length))
            }
            return state.failure
        }
        if let failure { throw failure }
    }

    private func append(_ bytes: [UInt8]) throws(LinkError) {
        do throws(SystemFailure) {
            try writeAll(bytes, to: descriptor)
        } catch {
            throw LinkError(
                .full, link: link, "the transcript cannot be written", remedy: "make room on the disk",
                underlying: error.message)
        }
    }

    private static let flags = O_APPEND | O_NOFOLLOW | O_CLOEXEC

    /// Whether a file is empty or begins like a transcript; another file that only its owner may read could be a key.
    private static func isTranscript(_ descriptor: Int32) -> Bool {
        let wanted = Array(TranscriptHeader.beginning.utf8)
        var found = [UInt8](repeating: 0, count: wanted.count)
        let count = unsafe found.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count == 0 || found == wanted
    }

    private static func error(_ failure: SystemFailure, _ path: String, _ link: String) -> LinkError {
        let (code, message, remedy): (LinkError.Code, String, String?) =
            switch failure.code {
            case EEXIST, ELOOP, ENXIO, EISDIR:
                (
                    .notPermitted, "\(path) exists and is not a transcript that only this user may read",
                    "use another file, or remove it"
                )
            case EAGAIN: (.busy, "another link writes \(path)", "use another file, or close that link")
            case EACCES, EPERM, EROFS: (.notPermitted, "\(path) may not be written", "use another folder")
            case ENOENT, ENOTDIR: (.notFound, "there is no folder for \(path)", "create it")
            default: (.system, "\(path) cannot be created", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }
}

extension Transcript {
    /// Reads a transcript from a file.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - link: the link's name in errors.
    /// - Throws: `LinkError`: `notFound`, `notPermitted`, or `unsupported` if the file is not a transcript.
    package init(contentsOf path: String, link: String) throws(LinkError) {
        var entries: [TranscriptEntry] = []
        let header = try TranscriptHeader(contentsOf: path, link: link) { entries += $0 }
        self.init(header: header, entries: entries)
    }
}

extension TranscriptHeader {
    /// Reads the first line of a file, and with `take` also the others.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - link: the link's name in errors.
    ///   - take: receives the entries, in pieces; nil to read the first line only.
    /// - Throws: `LinkError`: `notFound`, `notPermitted`, or `unsupported` if the file is not a transcript.
    package init(
        contentsOf path: String, link: String, _ take: (([TranscriptEntry]) -> Void)? = nil
    ) throws(LinkError) {
        switch try Self.read(path, link, take) {
        case .success(let header): self = header
        case .failure(let error):
            throw LinkError(.unsupported, link: link, "\(path) is not a transcript", underlying: error.description)
        }
    }

    private static func read(
        _ path: String, _ link: String, _ take: (([TranscriptEntry]) -> Void)?
    ) throws(LinkError) -> Result<TranscriptHeader, TranscriptError> {
        // Non-blocking, because opening a pipe waits for a writer.
        let descriptor = unsafe open(FileName.characters(of: path), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(.last, path, link) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw error(.last, path, link) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LinkError(.unsupported, link: link, "\(path) is not a transcript", underlying: "not a regular file")
        }
        var reader = TranscriptReader()
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe block.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error(.last, path, link) }
            do throws(TranscriptError) {
                let entries = try count > 0 ? reader.receive(block.span.extracting(first: count)) : reader.finish()
                take?(entries)
            } catch {
                return .failure(error)
            }
            if take == nil || count == 0, let header = reader.header { return .success(header) }
        }
    }

    private static func error(_ failure: SystemFailure, _ path: String, _ link: String) -> LinkError {
        let (code, message): (LinkError.Code, String) =
            switch failure.code {
            case ENOENT, ENOTDIR: (.notFound, "there is no \(path)")
            case EACCES, EPERM: (.notPermitted, "\(path) may not be read")
            case ENXIO: (.unsupported, "\(path) is not a transcript")
            default: (.system, "\(path) cannot be read")
            }
        return LinkError(code, link: link, message, underlying: failure.message)
    }
}
