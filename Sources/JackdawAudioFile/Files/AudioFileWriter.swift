import Glibc
import JackdawSystem
import JackdawTransport

/// Writes a sound file: WAV or FLAC. The file appears under its name, complete, with ``finish()``; a writer that is
/// destroyed before that leaves no file.
///
/// ```swift
/// var writer = try AudioFileWriter(path: "swipe.wav", sampleRate: 44_100)
/// try writer.write(samples.span)
/// try writer.finish()
/// ```
public struct AudioFileWriter: ~Copyable, Sendable {
    /// The path as the caller passed it; `-` is standard output.
    public let path: String
    /// The format of the written file.
    public let format: AudioFormat
    /// Number of frames written so far.
    public private(set) var framesWritten = 0

    private var output: OutputFile
    private let sound: SoundHandle
    private var scratch16 = WipedMemory<Int16>(count: scratchSamples)
    private var scratch32 = WipedMemory<Int32>(count: scratchSamples)
    private var scratchFloat = WipedMemory<Float>(count: scratchSamples)

    private static let scratchSamples = 16_384
    /// RIFF counts bytes in 32 bits; libsndfile's header is smaller than the margin.
    private static let largestWAV = 0xFFFF_FFFF - 4_096

    /// Starts to write a file.
    ///
    /// Only this user may read a new file, since the sound of a swipe is card data; an existing file keeps its
    /// permissions.
    /// - Parameters:
    ///   - path: a path that ends in `.wav` or `.flac`, or `-` for WAV on standard output.
    ///   - encoding: `.int16`, `.int24` or, for WAV, `.float32`.
    ///   - sampleRate: whole Hz, within ``AudioFormat/sampleRates``.
    ///   - channels: within ``AudioFormat/channelCounts``; FLAC holds 8 at most.
    /// - Throws: ``AudioFileError`` with code `invalidRequest` or `io`.
    public init(
        path: String, encoding: AudioEncoding = .int16, sampleRate: Double, channels: Int = 1
    ) throws(AudioFileError) {
        try self.init(
            path: path, encoding: encoding, sampleRate: sampleRate, channels: channels, predecessor: .keepsItsPlace)
    }

    /// Starts to write a file; `predecessor` is the treatment of an existing file.
    package init(
        path: String, encoding: AudioEncoding, sampleRate: Double, channels: Int, predecessor: OutputFile.Predecessor
    ) throws(AudioFileError) {
        let container = try AudioFileWriter.container(of: path)
        let format = AudioFormat(
            container: container, encoding: encoding, sampleRate: sampleRate, channels: channels)
        try format.validate(path: path, isRequest: true)
        let encodings: [AudioEncoding] = container == .wav ? [.int16, .int24, .float32] : [.int16, .int24]
        guard encodings.contains(encoding) else {
            throw AudioFileError(
                .invalidRequest, path: path, "\(encoding) samples are not written to \(container) files")
        }
        guard container == .wav || channels <= 8 else {
            throw AudioFileError(
                .invalidRequest, path: path, "a FLAC file holds at most 8 channels", refusedValue: channels)
        }
        let output = try OutputFile(path: path, predecessor: predecessor)
        sound = try SoundHandle(writing: output.descriptor(), format: format, path: path)
        self.output = output
        self.format = format
        self.path = path
    }

    /// Writes samples of full scale ±1, channels interleaved.
    ///
    /// Integers of n bits are x · 2^(n-1), rounded to the nearest (half to even) and limited to their range: samples
    /// that were read from n bits are written unchanged. Samples that are not finite are written as 0.
    /// - Parameter samples: whole frames.
    /// - Throws: ``AudioFileError`` with code `io`.
    public mutating func write(_ samples: Span<Float>) throws(AudioFileError) {
        switch format.encoding {
        case .int16:
            try unsafe write(samples, through: scratch16.buffer()) { Int16(quantised($0, bits: 16)) }
        case .int24:
            try unsafe write(samples, through: scratch32.buffer()) { quantised($0, bits: 24) << 8 }
        default:
            try unsafe write(samples, through: scratchFloat.buffer()) { $0.isFinite ? $0 : 0 }
        }
    }

    /// Writes 16-bit samples, channels interleaved; all formats store them exactly.
    /// - Parameter samples: whole frames.
    /// - Throws: ``AudioFileError`` with code `io`.
    public mutating func write(_ samples: Span<Int16>) throws(AudioFileError) {
        switch format.encoding {
        case .int16:
            try unsafe write(samples, through: scratch16.buffer()) { $0 }
        case .int24:
            try unsafe write(samples, through: scratch32.buffer()) { Int32($0) << 16 }
        default:
            try unsafe write(samples, through: scratchFloat.buffer(), scaled)
        }
    }

    /// Puts the samples so far in the file under its final name, where they survive the end of this process; more may
    /// follow. The last frames of a FLAC file are written when their block is full (4,096 frames).
    /// - Throws: ``AudioFileError`` with code `io`.
    package mutating func save() throws(AudioFileError) {
        try sound.updateHeader()
        try output.place()
    }

    /// Completes the file and renames it to its path.
    /// - Throws: ``AudioFileError`` with code `io`, or `invalidRequest` for a FLAC file without samples. Unless it was
    ///   saved before, there is then no new file, and an old file is unchanged.
    public consuming func finish() throws(AudioFileError) {
        guard framesWritten > 0 || format.container == .wav else {
            // libsndfile would leave an empty file.
            throw AudioFileError(.invalidRequest, path: path, "a FLAC file needs at least one sample")
        }
        try sound.close()
        try output.commit()
    }
}

extension AudioFileWriter {
    private mutating func write<From, To: LibrarySample>(
        _ samples: Span<From>, through buffer: UnsafeMutableBufferPointer<To>, _ convert: (From) -> To
    ) throws(AudioFileError) {
        let channels = format.channels
        precondition(samples.count.isMultiple(of: channels), "only whole frames can be written")
        let room = buffer.count / channels * channels
        var start = 0
        while start < samples.count {
            let piece = samples.extracting(start..<min(start + room, samples.count))
            for index in piece.indices { unsafe buffer[index] = convert(piece[index]) }
            try reserve(piece.count)
            try unsafe sound.write(UnsafeBufferPointer(buffer), frames: piece.count / channels)
            framesWritten += piece.count / channels
            start += piece.count
        }
    }

    /// Rejects samples that would exceed the largest size of a WAV file.
    private func reserve(_ samples: Int) throws(AudioFileError) {
        guard format.container == .wav else { return }
        let bytes = (framesWritten * format.channels + samples) * (format.encoding.bytesPerSample ?? 1)
        guard bytes <= AudioFileWriter.largestWAV else {
            throw AudioFileError(.io, path: path, "a WAV file holds at most 4 GiB; write FLAC")
        }
    }

    private static func container(of path: String) throws(AudioFileError) -> AudioContainer {
        let name = path.lowercased()
        if path == "-" || name.hasSuffix(".wav") { return .wav }
        if name.hasSuffix(".flac") { return .flac }
        throw AudioFileError(.invalidRequest, path: path, "the name of a sound file to write ends in .wav or .flac")
    }
}

/// An output file: a temporary file until it is renamed to its path, and removed if that does not happen.
package struct OutputFile: ~Copyable, Sendable {
    /// The treatment of an existing file when the new one is renamed to its path.
    package enum Predecessor: Sendable {
        /// The new file gets its permissions, and symbolic links stay links. A device or a FIFO receives the content.
        case keepsItsPlace
        /// A file for this user alone replaces it; a symbolic link itself is replaced.
        case isReplaced
        /// As `isReplaced`, if the file is empty or sound, and only this user may read it; any other file, and a link,
        /// is refused.
        case isPrivateSound
    }

    /// A file that is not yet renamed to its path.
    private struct Pending {
        let temporary: String
        let final: String
        let mode: mode_t
        /// Whether only a private sound file may replace it.
        let replacesSound: Bool
    }

    private let path: String
    private let content: OwnedDescriptor
    private var pending: Pending?
    /// Receives a copy, and is not a regular file: standard output, a device, a FIFO.
    private let stream: OwnedDescriptor?

    /// The sound of a swipe is card data: only this user may read a new file.
    private static let newFileMode: mode_t = 0o600

    /// Checks that the path can be written, and opens a temporary file for it.
    /// - Parameters:
    ///   - path: a path; with `.keepsItsPlace`, `-` is standard output.
    ///   - predecessor: the treatment of an existing file.
    /// - Throws: ``AudioFileError`` with code `io`.
    package init(path: String, predecessor: Predecessor = .keepsItsPlace) throws(AudioFileError) {
        var status = stat()
        if predecessor != .keepsItsPlace {
            if predecessor == .isPrivateSound { try OutputFile.checkPrivateSound(path) }
            try self.init(
                path: path, final: path, mode: OutputFile.newFileMode, replacesSound: predecessor == .isPrivateSound)
        } else if path == "-" {
            try self.init(path: path, stream: .duplicate(of: STDOUT_FILENO, path: path))
        } else if unsafe stat(FileName.characters(of: path), &status) != 0 {
            try self.init(path: path, final: path, mode: OutputFile.newFileMode)
        } else if status.st_mode & S_IFMT == S_IFREG {
            try self.init(path: path, final: OutputFile.resolved(path), mode: status.st_mode & 0o777)
        } else {
            let number = unsafe open(FileName.characters(of: path), O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard number >= 0 else { throw OutputFile.failure(path) }
            try self.init(path: path, stream: OwnedDescriptor(number))
        }
    }

    private init(path: String, stream: consuming OwnedDescriptor) throws(AudioFileError) {
        content = try .anonymousFile(for: path)
        self.stream = consume stream
        self.path = path
    }

    private init(
        path: String, final: String, mode: mode_t, replacesSound: Bool = false
    ) throws(AudioFileError) {
        let file = try TemporaryFile(in: FileName.directory(of: final), for: path)
        pending = Pending(temporary: file.path, final: final, mode: mode, replacesSound: replacesSound)
        content = file.descriptor
        stream = nil
        self.path = path
    }

    deinit {
        if let pending { unsafe unlink(FileName.characters(of: pending.temporary)) }
    }

    /// A descriptor for writing the content, closed separately.
    borrowing func descriptor() throws(AudioFileError) -> OwnedDescriptor {
        try .duplicate(of: content.number, path: path)
    }

    /// Writes bytes after the previous ones.
    /// - Throws: ``AudioFileError`` with code `io`.
    package borrowing func write(_ bytes: [UInt8]) throws(AudioFileError) {
        do throws(SystemFailure) {
            try writeAll(bytes, to: content.number)
        } catch {
            throw OutputFile.failure(path, error)
        }
    }

    /// Renames the temporary file to its path, complete or not; later bytes are written there, too. A stream receives
    /// its content only when it is complete.
    /// - Throws: ``AudioFileError`` with code `io`; the path is then unchanged.
    package mutating func place() throws(AudioFileError) {
        guard let pending else { return }
        // Another program may have created the file since the start.
        if pending.replacesSound { try OutputFile.checkPrivateSound(pending.final) }
        fchmod(content.number, pending.mode)
        guard content.rename(pending.temporary, to: pending.final) else { throw OutputFile.failure(path) }
        self.pending = nil
    }

    /// Ends the file: writes the complete content to the disk and gives it its path, or copies it to the stream.
    /// - Throws: ``AudioFileError`` with code `io`. The file at the path is then the earlier one, unless
    ///   ``place()`` has replaced it.
    package consuming func commit() throws(AudioFileError) {
        guard pending == nil else { return try place() }
        switch stream {
        case .none: try sync()
        case .some(let target):
            lseek(content.number, 0, SEEK_SET)
            do throws(SystemFailure) {
                try content.copy(to: target, limit: .max)
            } catch {
                throw OutputFile.failure(path, error)
            }
        }
    }

    /// Writes all bytes so far to the disk.
    /// - Throws: ``AudioFileError`` with code `io`.
    package borrowing func sync() throws(AudioFileError) {
        guard retried({ fsync(content.number) }) == 0 else { throw OutputFile.failure(path) }
    }

    /// Rejects a file that may not be a recording, or that other users may read or have open.
    private static func checkPrivateSound(_ path: String) throws(AudioFileError) {
        // The open must not block or follow a symbolic link.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let number = unsafe open(FileName.characters(of: path), flags)
        guard number >= 0 else {
            switch errno {
            case ENOENT: return
            // A symbolic link, or something that is not a regular file.
            case ELOOP, ENXIO, ENODEV: throw refusal(path)
            default: throw failure(path)
            }
        }
        let file = OwnedDescriptor(number)
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw failure(path) }
        guard status.isPrivateFile else { throw refusal(path) }
        var beginning = [UInt8](repeating: 0, count: 4)
        let count = unsafe beginning.withUnsafeMutableBytes { unsafe pread(file.number, $0.baseAddress, $0.count, 0) }
        guard count == 0 || ["RIFF", "fLaC"].contains(String(decoding: beginning, as: UTF8.self)) else {
            throw refusal(path)
        }
        guard flock(file.number, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw AudioFileError(.io, path: path, "is being written by another process; use another file")
        }
    }

    private static func refusal(_ path: String) -> AudioFileError {
        AudioFileError(
            .io, path: path,
            "exists and is not a recording that only this user may read; use another file, or remove it")
    }

    private static func failure(_ path: String, _ cause: SystemFailure = .last) -> AudioFileError {
        AudioFileError(.io, path: path, "cannot be written", underlying: cause.message)
    }

    /// The file that a symbolic link points to, so that the link remains one.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(FileName.characters(of: path), nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe FileName.text(of: UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }
}
