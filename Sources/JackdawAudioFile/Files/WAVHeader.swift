import Glibc
import JackdawSystem

/// Reads the header of a RIFF/WAVE file (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0",
/// 1991; WAVEFORMATEXTENSIBLE, 2001).
///
/// This module, not libsndfile, reads it, because libsndfile silently shortens a length that exceeds the file, and
/// cannot stop at the end of the header of a pipe.
enum WAVHeader {
    /// Lengths from here on are placeholders of a program that writes to a pipe and does not know the length.
    static let smallestPlaceholder = 0x7FFF_0000
    /// A file with more chunks before its samples is not a recording.
    private static let chunkLimit = 256

    /// Reads a header that starts at offset 0 with `RIFF` and `WAVE`.
    /// - Returns: nil for sample encodings without a fixed size, for which libsndfile must read the header.
    /// - Throws: ``AudioFileError`` with code `damaged` or `io`.
    static func layout(in header: inout HeaderBytes, path: String) throws(AudioFileError) -> SampleLayout? {
        let riffSize = try header.read(at: 4, count: 4).littleEndian(at: 0, bytes: 4)
        var format: AudioFormat?
        var offset = 12
        for _ in 0..<chunkLimit {
            let chunk = try header.read(at: offset, count: 8)
            guard chunk.count == 8 else { break }
            let size = chunk.littleEndian(at: 4, bytes: 4)
            offset += 8
            if chunk.starts(with: "fmt ".utf8), format == nil {
                let body = try header.read(at: offset, count: min(size, 40))
                guard body.count >= 16 else {
                    throw AudioFileError(.damaged, path: path, "the WAV header ends within its fmt chunk")
                }
                format = try audioFormat(of: body, path: path)
                guard format != nil else { return nil }
            } else if chunk.starts(with: "data".utf8) {
                guard let format else {
                    throw AudioFileError(.damaged, path: path, "the WAV header has no fmt chunk before its samples")
                }
                let isUnfinished = size == 0 && riffSize + 8 <= offset
                let isPlaceholder = header.isPipe && size >= smallestPlaceholder || isUnfinished
                return SampleLayout(format: format, dataOffset: offset, claimedBytes: isPlaceholder ? nil : size)
            }
            offset += size + (size & 1)
        }
        throw AudioFileError(.damaged, path: path, "the WAV header has no data chunk")
    }

    /// The format in a fmt chunk, or nil for an encoding without a fixed size.
    private static func audioFormat(of chunk: ArraySlice<UInt8>, path: String) throws(AudioFileError) -> AudioFormat? {
        let channels = chunk.littleEndian(at: 2, bytes: 2)
        let rate = chunk.littleEndian(at: 4, bytes: 4)
        let blockSize = chunk.littleEndian(at: 12, bytes: 2)
        let bits = chunk.littleEndian(at: 14, bytes: 2)
        var tag = chunk.littleEndian(at: 0, bytes: 2)
        if tag == FormatTag.extensible, chunk.count == 40 {
            guard chunk.suffix(14).elementsEqual(FormatTag.subtypeSuffix) else { return nil }
            tag = chunk.littleEndian(at: 24, bytes: 2)
        }
        guard [FormatTag.pcm, FormatTag.float, FormatTag.aLaw, FormatTag.muLaw].contains(tag) else { return nil }
        // Samples may be stored in more bytes than their bits need: the frame size gives the number of bytes.
        let frameBytes = channels > 0 && blockSize % channels == 0 ? blockSize / channels : 0
        let sampleBytes = max(frameBytes, (bits + 7) / 8)
        let encoding: AudioEncoding? =
            switch (tag, sampleBytes) {
            case (FormatTag.pcm, 1): .unsigned8
            case (FormatTag.pcm, 2): .int16
            case (FormatTag.pcm, 3): .int24
            case (FormatTag.pcm, 4): .int32
            case (FormatTag.float, 4): .float32
            case (FormatTag.float, 8): .float64
            case (FormatTag.aLaw, 1): .aLaw
            case (FormatTag.muLaw, 1): .muLaw
            default: nil
            }
        guard let encoding else {
            throw AudioFileError(
                .damaged, path: path, "the WAV header declares \(bits) bits and \(sampleBytes) bytes per sample")
        }
        return AudioFormat(container: .wav, encoding: encoding, sampleRate: Double(rate), channels: channels)
    }

    private enum FormatTag {
        static let pcm = 1
        static let float = 3
        static let aLaw = 6
        static let muLaw = 7
        static let extensible = 0xFFFE
        /// The GUID bytes that all format tags share.
        static let subtypeSuffix: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
}

extension ArraySlice<UInt8> {
    /// An unsigned little-endian number `offset` bytes from the start; missing bytes count as 0.
    func littleEndian(at offset: Int, bytes: Int) -> Int {
        dropFirst(offset).prefix(bytes).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The code that reads a header.
enum HeaderReader {
    /// This module, by `WAVHeader`.
    case wav
    /// libsndfile reads the header.
    case library
}

extension HeaderReader {
    /// Recognises a sound file by its first bytes, so that no other content reaches a parser: neither the two dozen
    /// rare formats of libsndfile nor MPEG audio, whose library writes to standard error.
    /// - Throws: ``AudioFileError`` with code `notSound` or `io`.
    init(recognising header: inout HeaderBytes, path: String) throws(AudioFileError) {
        let start = try header.read(at: 0, count: 12)
        guard !start.isEmpty else { throw AudioFileError(.notSound, path: path, "is empty") }
        let kind = Array(start.prefix(4))
        let subkind = Array(start.dropFirst(8))
        switch (String(decoding: kind, as: UTF8.self), String(decoding: subkind, as: UTF8.self)) {
        case ("RIFF", "WAVE"):
            self = .wav
        case ("RIFX", "WAVE"), ("RF64", "WAVE"), ("FORM", "AIFF"), ("FORM", "AIFC"):
            self = .library
        case ("riff", _), ("fLaC", _), (".snd", _), ("dns.", _), ("caff", _), ("OggS", _):
            self = .library
        default:
            throw AudioFileError(.notSound, path: path, "is not a sound file of a supported kind")
        }
    }
}

/// The first bytes of an input, by offset: read by position from a file; read in order from a pipe, and kept.
struct HeaderBytes {
    /// A pipe's header must end within this many bytes, so that an endless header cannot fill the memory.
    static let pipeLimit = 1 << 20

    private let descriptor: CInt
    private let isSeekable: Bool
    private let path: String
    /// Whether the input can only be read front to back.
    var isPipe: Bool { !isSeekable }

    /// Called while a pipe has sent nothing, and returns false to end the wait; nil waits without limit.
    private let isWanted: (() -> Bool)?

    /// The first bytes; for a pipe, all bytes that were read from it.
    private(set) var kept: [UInt8] = []

    /// - Parameters:
    ///   - descriptor: open for reading; from a pipe, only `kept` has been read.
    ///   - isSeekable: whether it is a regular file.
    ///   - path: for error messages.
    ///   - kept: bytes that were already read from a pipe.
    ///   - isWanted: called while a pipe has sent nothing, and returns false to end the wait; nil waits without limit.
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

    /// The bytes from `offset`: fewer than `count` if the input ends, and no bytes beyond ``pipeLimit`` of a pipe.
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
