import CSndFile
import Glibc
import Synchronization

/// A libsndfile handle and the descriptor under it, closed in this order.
@safe
struct LibraryFile: ~Copyable {
    let pointer: OpaquePointer
    private let descriptor: CInt

    /// libsndfile keeps the error of a failed open in a global variable.
    private static let opening = Mutex(())

    /// Opens a descriptor. The corresponding C function is `sf_open_fd`.
    /// - Parameters:
    ///   - descriptor: stays open as long as this value.
    ///   - mode: `SFM_READ` or `SFM_WRITE`.
    ///   - info: the format to write or of headerless samples; then the format found.
    ///   - path: for error messages.
    init(
        _ descriptor: consuming OwnedDescriptor, mode: Int, info: inout SF_INFO, path: String
    ) throws(AudioFileError) {
        var opened: OpaquePointer?
        var failure: AudioFileError?
        let number = descriptor.number
        Self.opening.withLock { _ in
            unsafe opened = sf_open_fd(number, CInt(mode), &info, CInt(SF_FALSE))
            if unsafe opened == nil { failure = unsafe AudioFileError(library: nil, path: path) }
        }
        guard let pointer = unsafe opened else {
            throw failure ?? AudioFileError(.io, path: path, "cannot be opened as sound")
        }
        unsafe self.pointer = pointer
        self.descriptor = descriptor.release()
    }

    deinit { _ = unsafe Self.close(pointer, descriptor) }

    /// Completes the header and closes the file.
    /// - Returns: libsndfile's error number, 0 for none.
    consuming func close() -> CInt {
        let (pointer, descriptor) = unsafe (pointer, descriptor)
        discard self
        return unsafe Self.close(pointer, descriptor)
    }

    private static func close(_ pointer: OpaquePointer, _ descriptor: CInt) -> CInt {
        let status = unsafe sf_close(pointer)
        _ = Glibc.close(descriptor)
        return status
    }
}

extension AudioFileError {
    /// The last error of a libsndfile handle, or of the last failed open where there is none.
    init(library file: OpaquePointer?, path: String) {
        let text = unsafe sf_strerror(file).map { unsafe String(cString: $0) } ?? "unknown error"
        self.init(libraryStatus: unsafe sf_error(file), text: text, path: path)
    }

    /// An error number of libsndfile; numbers over 4 are not documented and speak of broken headers and data.
    init(libraryStatus: CInt, text: String, path: String) {
        switch Int(libraryStatus) {
        case SF_ERR_UNRECOGNISED_FORMAT:
            self.init(.notSound, path: path, "is not a sound file that can be read here", underlying: text)
        case SF_ERR_SYSTEM:
            self.init(.io, path: path, "cannot be read or written", underlying: text)
        case SF_ERR_UNSUPPORTED_ENCODING:
            self.init(.unsupportedEncoding, path: path, "holds samples of an unknown encoding", underlying: text)
        default:
            self.init(.damaged, path: path, "is damaged", underlying: text)
        }
    }
}
