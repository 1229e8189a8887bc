import CSndFile
import Synchronization

/// A libsndfile handle, which owns its file descriptor.
@safe
struct LibraryFile: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    /// libsndfile keeps the error of a failed open in a global variable.
    private static let opening = Mutex(())

    /// Opens a descriptor. The corresponding C function is `sf_open_fd`.
    /// - Parameters:
    ///   - descriptor: the file to read or write, from its current position.
    ///   - mode: `SFM_READ` or `SFM_WRITE`.
    ///   - info: the format to write or of headerless samples; receives the format found.
    ///   - path: for error messages.
    /// - Throws: ``AudioFileError`` with code `notSound`, `damaged`, `unsupportedEncoding` or `io`.
    init(
        _ descriptor: consuming OwnedDescriptor, mode: Int, info: inout SF_INFO, path: String
    ) throws(AudioFileError) {
        var opened: OpaquePointer?
        var failure: AudioFileError?
        // Ownership goes to libsndfile even on failure: from 1.0.30 on, it closes a descriptor that it fails to open,
        // whatever `close_desc` is.
        let number = descriptor.release()
        Self.opening.withLock { _ in
            unsafe opened = sf_open_fd(number, CInt(mode), &info, CInt(SF_TRUE))
            if unsafe opened == nil { failure = unsafe AudioFileError(library: nil, path: path) }
        }
        guard let pointer = unsafe opened else {
            throw failure ?? AudioFileError(.io, path: path, "cannot be opened as sound")
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe sf_close(pointer) }

    /// Completes the header and closes the file.
    /// - Returns: libsndfile's error number, 0 for success.
    consuming func close() -> CInt {
        let pointer = unsafe pointer
        discard self
        return unsafe sf_close(pointer)
    }
}

extension AudioFileError {
    /// The last error of a libsndfile handle, or of the last failed open if the handle is nil.
    init(library file: OpaquePointer?, path: String) {
        let text = unsafe sf_strerror(file).map { unsafe String(cString: $0) } ?? "unknown error"
        self.init(libraryStatus: unsafe sf_error(file), text: text, path: path)
    }

    /// The error for a libsndfile error number. Numbers over 4 are undocumented and mean broken headers and data.
    init(libraryStatus: CInt, text: String, path: String) {
        switch Int(libraryStatus) {
        case SF_ERR_UNRECOGNISED_FORMAT:
            self.init(.notSound, path: path, "is not a sound file of a supported kind", underlying: text)
        case SF_ERR_SYSTEM:
            self.init(.io, path: path, "cannot be read or written", underlying: text)
        case SF_ERR_UNSUPPORTED_ENCODING:
            self.init(.unsupportedEncoding, path: path, "holds samples of an unknown encoding", underlying: text)
        default:
            self.init(.damaged, path: path, "is damaged", underlying: text)
        }
    }
}

/// A sample type that libsndfile reads and writes.
protocol LibrarySample: BitwiseCopyable {
    /// Reads interleaved frames.
    /// - Returns: frames read.
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Self>, frames: Int) -> Int

    /// Writes interleaved frames.
    /// - Returns: frames written.
    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Self>, frames: Int) -> Int

    /// Replaces samples that are not finite by 0.
    /// - Returns: the number of replaced samples.
    static func replaceNonFinite(in samples: UnsafeMutableBufferPointer<Self>) -> Int
}

extension LibrarySample where Self: FixedWidthInteger {
    static func replaceNonFinite(in samples: UnsafeMutableBufferPointer<Self>) -> Int { 0 }
}

extension Int16: LibrarySample {
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Int16>, frames: Int) -> Int {
        Int(unsafe sf_readf_short(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Int16>, frames: Int) -> Int {
        Int(unsafe sf_writef_short(file, samples.baseAddress, sf_count_t(frames)))
    }
}

/// Left-justified: narrower samples are in the upper bits.
extension Int32: LibrarySample {
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Int32>, frames: Int) -> Int {
        Int(unsafe sf_readf_int(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Int32>, frames: Int) -> Int {
        Int(unsafe sf_writef_int(file, samples.baseAddress, sf_count_t(frames)))
    }
}

extension Float: LibrarySample {
    static func read(_ file: OpaquePointer, _ samples: UnsafeMutableBufferPointer<Float>, frames: Int) -> Int {
        Int(unsafe sf_readf_float(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func write(_ file: OpaquePointer, _ samples: UnsafeBufferPointer<Float>, frames: Int) -> Int {
        Int(unsafe sf_writef_float(file, samples.baseAddress, sf_count_t(frames)))
    }

    static func replaceNonFinite(in samples: UnsafeMutableBufferPointer<Float>) -> Int {
        // An exponent of all ones carries into the sign bit: no branch, so that the compiler vectorises the loop.
        var count: UInt32 = 0
        for index in 0..<samples.count {
            count &+= unsafe ((samples[index].bitPattern & 0x7F80_0000) &+ 0x0080_0000) >> 31
        }
        guard count > 0 else { return 0 }
        for index in samples.indices where unsafe !samples[index].isFinite { unsafe samples[index] = 0 }
        return Int(count)
    }
}
