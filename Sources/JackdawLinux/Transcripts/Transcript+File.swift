import Glibc
internal import JackdawSystem
package import JackdawTransport

extension Transcript {
    /// Reads a file.
    /// - Parameters:
    ///   - path: where it is.
    ///   - link: its name in errors.
    /// - Throws: `LinkError`: `notFound`, `notPermitted`, or `unsupported` where it is no transcript.
    package init(contentsOf path: String, link: String) throws(LinkError) {
        var entries: [TranscriptEntry] = []
        let header = try TranscriptHeader(contentsOf: path, link: link) { entries += $0 }
        self.init(header: header, entries: entries)
    }
}

extension TranscriptHeader {
    /// Reads the first line of a file, and the others if the caller takes them.
    /// - Parameters:
    ///   - path: where it is.
    ///   - link: its name in errors.
    ///   - take: gets the entries, in pieces.
    /// - Throws: `LinkError`: `notFound`, `notPermitted`, or `unsupported` where it is no transcript.
    package init(
        contentsOf path: String, link: String, _ take: (([TranscriptEntry]) -> Void)? = nil
    ) throws(LinkError) {
        switch try Self.read(path, link, take) {
        case .success(let header): self = header
        case .failure(let error):
            throw LinkError(.unsupported, link: link, "\(path) is no transcript", underlying: error.description)
        }
    }

    private static func read(
        _ path: String, _ link: String, _ take: (([TranscriptEntry]) -> Void)?
    ) throws(LinkError) -> Result<TranscriptHeader, TranscriptError> {
        // A pipe would wait for somebody who writes.
        let descriptor = unsafe open(FileName.characters(of: path), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(.last, path, link) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw error(.last, path, link) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LinkError(.unsupported, link: link, "\(path) is no transcript", underlying: "it is no regular file")
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
            case ENXIO: (.unsupported, "\(path) is no transcript")
            default: (.system, "\(path) cannot be read")
            }
        return LinkError(code, link: link, message, underlying: failure.message)
    }
}
