/// Who reads a header.
enum HeaderReader {
    /// ``WAVHeader``.
    case wav
    /// libsndfile.
    case library
}

extension HeaderReader {
    /// Tells a sound file by its first bytes, so that nothing else gets as far as a parser: neither the two dozen rare
    /// formats of libsndfile nor MPEG audio, whose library writes to standard error.
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
            throw AudioFileError(.notSound, path: path, "is not a sound file that can be read here")
        }
    }
}
