import Glibc
import JackdawSystem
import JackdawTransport

/// An opened input of a recognised format: a descriptor that libsndfile can read, and the layout of its samples.
struct SoundInput: ~Copyable {
    let descriptor: OwnedDescriptor
    /// The layout of the samples, or nil if libsndfile must read the header.
    let layout: SampleLayout?
    /// Bytes in the file, or nil for a pipe, which is positioned at its first sample.
    let byteCount: Int?
    /// Whether a header that libsndfile reads gives more bytes than the file has.
    let isTruncated: Bool
}

extension SoundInput {
    /// Most bytes of a pipe that are spooled to a temporary file; the same as the largest WAV file.
    private static let spoolLimit = 1 << 32

    /// Opens a path and recognises the format of its content.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - raw: the format of a headerless file; nil to read the header.
    ///   - isWanted: called while a pipe has sent nothing, and returns false to end the wait; nil waits without limit.
    /// - Throws: ``AudioFileError``.
    init(
        path: String, raw: RawAudioFormat?, while isWanted: (() -> Bool)? = nil
    ) throws(AudioFileError) {
        let descriptor = try SoundInput.openDescriptor(path: path)
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw SoundInput.readFailure(path) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            throw AudioFileError(.isDirectory, path: path, "is a directory, not a sound file")
        case S_IFREG:
            self = try SoundInput.file(consume descriptor, byteCount: Int(status.st_size), path: path, raw: raw)
        case S_IFIFO, S_IFSOCK:
            self = try SoundInput.pipe(consume descriptor, path: path, raw: raw, while: isWanted)
        default:
            throw AudioFileError(.notReadable, path: path, "is a device, not a sound file")
        }
    }

    /// Opens the input with libsndfile.
    /// - Throws: ``AudioFileError`` with code `notSound`, `damaged`, `unsupportedEncoding`, `unsupportedRate`,
    ///   `unsupportedChannels` or `io`.
    consuming func sound(path: String) throws(AudioFileError) -> SoundHandle {
        if let layout {
            try layout.format.validate(path: path)
            return try SoundHandle(reading: descriptor, layout: layout, byteCount: byteCount, path: path)
        }
        let isTruncated = isTruncated
        let sound: SoundHandle
        do throws(AudioFileError) {
            sound = try SoundHandle(reading: descriptor, isTruncated: isTruncated, path: path)
        } catch {
            guard isTruncated, error.code == .damaged else { throw error }
            throw AudioFileError(
                .damaged, path: path, "is cut short: its header promises more", underlying: error.underlying)
        }
        try sound.format.validate(path: path)
        return sound
    }

    private static func openDescriptor(path: String) throws(AudioFileError) -> OwnedDescriptor {
        guard path != "-" else { return try .duplicate(of: STDIN_FILENO, path: path) }
        guard !path.utf8.contains(0) else {
            throw AudioFileError(.notFound, path: path, "no file can have this name")
        }
        // Without `O_NONBLOCK`, opening a FIFO waits until a program opens its other end.
        let number = unsafe Glibc.open(FileName.characters(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw openFailure(errno, path: path) }
        return OwnedDescriptor(number)
    }

    static func openFailure(_ number: CInt, path: String) -> AudioFileError {
        let (code, message): (AudioFileError.Code, String) =
            switch number {
            case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: (.notFound, "no such file")
            case EACCES, EPERM: (.notReadable, "may not be read by this user")
            case ENXIO, ENODEV: (.notReadable, "is not a file")
            default: (.io, "cannot be opened")
            }
        return AudioFileError(code, path: path, message, underlying: SystemFailure(code: number).message)
    }

    private static func file(
        _ descriptor: consuming OwnedDescriptor, byteCount: Int, path: String, raw: RawAudioFormat?,
        isPipe: Bool = false
    ) throws(AudioFileError) -> SoundInput {
        // Standard input may be a file that another program has read in part.
        lseek(descriptor.number, 0, SEEK_SET)
        var layout = raw.map { SampleLayout(format: $0.format) }
        var isTruncated = false
        if layout == nil {
            var header = HeaderBytes(descriptor: descriptor, isSeekable: true, path: path)
            if try HeaderReader(recognising: &header, path: path) == .wav {
                layout = try WAVHeader.layout(in: &header, path: path)
            }
            if layout == nil, let claim = try SampleClaim(in: &header) {
                // A program that writes to a pipe does not know the length.
                let isPlaceholder = isPipe && claim.byteCount >= WAVHeader.smallestPlaceholder
                isTruncated = claim.end > byteCount && !isPlaceholder
            }
        }
        return SoundInput(descriptor: descriptor, layout: layout, byteCount: byteCount, isTruncated: isTruncated)
    }

    private static func pipe(
        _ descriptor: consuming OwnedDescriptor, path: String, raw: RawAudioFormat?, while isWanted: (() -> Bool)?
    ) throws(AudioFileError) -> SoundInput {
        let kept = path == "-" ? [] : try firstByte(of: descriptor, path: path)
        // libsndfile takes `EAGAIN` for the end.
        let flags = fcntl(descriptor.number, F_GETFL)
        if flags & O_NONBLOCK != 0 { _ = fcntl(descriptor.number, F_SETFL, flags & ~O_NONBLOCK) }
        var header = HeaderBytes(
            descriptor: descriptor, isSeekable: false, path: path, kept: kept, while: isWanted)
        var layout: SampleLayout?
        if let raw {
            layout = kept.isEmpty ? SampleLayout(format: raw.format) : nil
        } else if try HeaderReader(recognising: &header, path: path) == .wav {
            layout = try WAVHeader.layout(in: &header, path: path)
        }
        guard layout == nil else {
            return SoundInput(descriptor: descriptor, layout: layout, byteCount: nil, isTruncated: false)
        }
        return try spooled(descriptor, kept: header.kept, path: path, raw: raw, while: isWanted)
    }

    /// Rejects a FIFO without a writer, which was opened without waiting. It takes a byte from the pipe only if no byte
    /// was available at first.
    private static func firstByte(
        of descriptor: borrowing OwnedDescriptor, path: String
    ) throws(AudioFileError) -> [UInt8] {
        var state = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&state, 1, 0) == 0 || state.revents & Int16(POLLIN) == 0 else { return [] }
        var byte: UInt8 = 0
        let number = descriptor.number
        switch retried({ unsafe read(number, &byte, 1) }) {
        case 1:
            return [byte]
        case 0:
            throw AudioFileError(.notReadable, path: path, "is a FIFO without a writer")
        default:
            guard errno == EAGAIN else { throw readFailure(path) }
            return []
        }
    }

    /// Copies a pipe to a nameless temporary file, for formats that cannot be read front to back.
    private static func spooled(
        _ descriptor: borrowing OwnedDescriptor, kept: [UInt8], path: String, raw: RawAudioFormat?,
        while isWanted: (() -> Bool)?
    ) throws(AudioFileError) -> SoundInput {
        let file = try OwnedDescriptor.anonymousFile(for: path)
        do throws(SystemFailure) {
            try writeAll(kept, to: file.number)
            try descriptor.copy(to: file, limit: spoolLimit, while: isWanted)
        } catch {
            guard error.code != ETIME else { throw AudioFileError(reading: path, error) }
            throw AudioFileError(
                .io, path: path, "cannot be copied to a temporary file; save it and give its path",
                underlying: error.message)
        }
        let byteCount = Int(lseek(file.number, 0, SEEK_CUR))
        return try self.file(consume file, byteCount: byteCount, path: path, raw: raw, isPipe: true)
    }

    private static func readFailure(_ path: String) -> AudioFileError {
        AudioFileError(reading: path, .last)
    }
}
