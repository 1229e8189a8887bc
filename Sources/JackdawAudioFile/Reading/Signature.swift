/// Who reads a header.
enum HeaderReader {
    /// ``WAVHeader``.
    case wav
    /// libsndfile.
    case library
}

extension HeaderReader {
    /// Tells a sound file by its first bytes, so that nothing else gets as far as a parser.
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
            guard kind.starts(with: "ID3".utf8) || kind.isMPEGFrameHeader else {
                throw AudioFileError(.notSound, path: path, "is not a sound file that can be read here")
            }
            self = .library
        }
    }
}

extension [UInt8] {
    /// Whether four bytes can start a frame of MPEG audio layer II or III (ISO/IEC 11172-3, 2.4.1.3).
    fileprivate var isMPEGFrameHeader: Bool {
        guard count == 4, self[0] == 0xFF, self[1] & 0xE0 == 0xE0 else { return false }
        let layer = self[1] >> 1 & 3
        return (layer == 1 || layer == 2) && self[2] >> 4 != 15 && self[2] >> 2 & 3 != 3
    }
}
