import CSndFile

/// An open sound file that libsndfile reads or writes.
struct SoundHandle: ~Copyable, Sendable {
    /// The format according to the header.
    let format: AudioFormat
    /// Frames according to the header, or nil if the header has no number.
    let claimedFrames: Int?
    /// Whether the header claims more bytes than the file has.
    let isTruncated: Bool
    private let file: LibraryFile
    private let path: String
    /// The descriptor from which libsndfile reads a pipe, and the bytes of a frame; nil for a file.
    private let pipe: (descriptor: CInt, bytesPerFrame: Int)?

    /// Numbers of frames from here on mean "unknown": at 192 kHz this many would last 46 years.
    private static let unknownFrames = 1 << 48

    /// Opens a file whose header libsndfile reads; libsndfile does not report a length that the file does not hold.
    /// - Throws: ``AudioFileError`` with code `notSound`, `damaged`, `unsupportedEncoding` or `io`.
    init(reading descriptor: consuming OwnedDescriptor, isTruncated: Bool, path: String) throws(AudioFileError) {
        var info = SF_INFO()
        let opened = try LibraryFile(descriptor, mode: SFM_READ, info: &info, path: path)
        guard let format = AudioFormat(info) else {
            throw AudioFileError(.notSound, path: path, "is not a sound file of a supported kind")
        }
        file = opened
        self.format = format
        self.path = path
        claimedFrames = info.frames < Self.unknownFrames ? Int(info.frames) : nil
        self.isTruncated = isTruncated
        pipe = nil
    }

    /// Opens samples whose position is known; `byteCount` is nil for a pipe, which must be positioned at the first
    /// sample.
    init(
        reading descriptor: consuming OwnedDescriptor, layout: SampleLayout, byteCount: Int?, path: String
    ) throws(AudioFileError) {
        var info = SF_INFO(layout.format, container: .raw)
        pipe = byteCount == nil ? (descriptor.number, layout.bytesPerFrame) : nil
        file = try LibraryFile(descriptor, mode: SFM_READ, info: &info, path: path)
        format = layout.format
        self.path = path
        let available = byteCount.map { max(0, $0 - layout.dataOffset) }
        let bytes = [available, layout.claimedBytes].compactMap { $0 }.min()
        claimedFrames = bytes.map { $0 / layout.bytesPerFrame }
        isTruncated = (available ?? .max) < (layout.claimedBytes ?? 0)
        guard available != nil, layout.dataOffset > 0 else { return }
        var offset = sf_count_t(layout.dataOffset)
        unsafe sf_command(
            file.pointer, CInt(SFC_SET_RAW_START_OFFSET), &offset, CInt(MemoryLayout<sf_count_t>.size))
        // The command alone does not change the position.
        unsafe sf_seek(file.pointer, 0, CInt(SF_SEEK_SET))
    }

    /// Starts to write a file of a format.
    init(writing descriptor: consuming OwnedDescriptor, format: AudioFormat, path: String) throws(AudioFileError) {
        var info = SF_INFO(format, container: format.container)
        file = try LibraryFile(descriptor, mode: SFM_WRITE, info: &info, path: path)
        self.format = format
        self.path = path
        claimedFrames = nil
        isTruncated = false
        pipe = nil
        // The PEAK chunk holds the time of day; without it, the same samples give the same file.
        unsafe sf_command(file.pointer, CInt(SFC_SET_ADD_PEAK_CHUNK), nil, CInt(SF_FALSE))
    }

    /// Updates the header with the number of frames written so far, in formats whose header has it before the end
    /// (WAV).
    /// - Throws: ``AudioFileError`` with code `io`.
    borrowing func updateHeader() throws(AudioFileError) {
        guard format.container == .wav else { return }
        unsafe sf_command(file.pointer, CInt(SFC_UPDATE_HEADER_NOW), nil, 0)
        guard unsafe sf_error(file.pointer) == SF_ERR_NO_ERROR else {
            let text = unsafe sf_strerror(file.pointer).map { unsafe String(cString: $0) }
            throw AudioFileError(.io, path: path, "cannot be written", underlying: text)
        }
    }

    /// Completes the header and closes the file.
    /// - Throws: ``AudioFileError`` with code `io`.
    consuming func close() throws(AudioFileError) {
        let path = path
        let status = file.close()
        guard status == SF_ERR_NO_ERROR else {
            let text = unsafe sf_error_number(status).map { unsafe String(cString: $0) }
            throw AudioFileError(.io, path: path, "cannot be completed", underlying: text)
        }
    }
}

extension SoundHandle {
    /// Waits until a pipe has sent a frame.
    /// - Returns: the number of frames that can be read without waiting, 0 if none arrived in time; nil for a file, and
    ///   at the end.
    borrowing func framesReady(within timeout: Duration) -> Int? {
        guard let pipe else { return nil }
        return piecesReady(in: pipe.descriptor, of: pipe.bytesPerFrame, within: timeout)
    }

    /// Reads whole frames of interleaved samples.
    /// - Returns: frames read, fewer than requested at the end.
    /// - Throws: ``AudioFileError`` with code `damaged` or `io`, if no frame was read.
    borrowing func read<Sample: LibrarySample>(
        _ samples: UnsafeMutableBufferPointer<Sample>, frames: Int
    ) throws(AudioFileError) -> Int {
        let count = unsafe Sample.read(file.pointer, samples, frames: frames)
        if count == 0, unsafe sf_error(file.pointer) != SF_ERR_NO_ERROR {
            throw unsafe AudioFileError(library: file.pointer, path: path)
        }
        return count
    }

    /// Writes whole frames of interleaved samples.
    /// - Throws: ``AudioFileError`` with code `io`.
    borrowing func write<Sample: LibrarySample>(
        _ samples: UnsafeBufferPointer<Sample>, frames: Int
    ) throws(AudioFileError) {
        guard unsafe Sample.write(file.pointer, samples, frames: frames) == frames else {
            let text = unsafe sf_strerror(file.pointer).map { unsafe String(cString: $0) }
            throw AudioFileError(.io, path: path, "cannot be written", underlying: text)
        }
    }
}
