import CSndFile

extension SF_INFO {
    /// The format that libsndfile must write, or must assume for headerless samples.
    init(_ format: AudioFormat, container: AudioContainer) {
        self.init()
        let byteOrder = container == .raw ? SF_ENDIAN_LITTLE : SF_ENDIAN_FILE
        samplerate = CInt(format.sampleRate)
        channels = CInt(format.channels)
        self.format = CInt(container.libraryType | format.encoding.librarySubtype | byteOrder)
    }
}

extension AudioFormat {
    /// The format that libsndfile found, or nil for a kind of file that this module does not read.
    init?(_ info: SF_INFO) {
        guard let container = AudioContainer(libraryFormat: Int(info.format)) else { return nil }
        self.init(
            container: container, encoding: AudioEncoding(libraryFormat: Int(info.format)),
            sampleRate: Double(info.samplerate), channels: Int(info.channels))
    }
}

extension AudioContainer {
    fileprivate var libraryType: Int {
        switch kind {
        case .wav: SF_FORMAT_WAV
        case .rf64: SF_FORMAT_RF64
        case .w64: SF_FORMAT_W64
        case .flac: SF_FORMAT_FLAC
        case .aiff: SF_FORMAT_AIFF
        case .au: SF_FORMAT_AU
        case .caf: SF_FORMAT_CAF
        case .ogg: SF_FORMAT_OGG
        case .raw: SF_FORMAT_RAW
        }
    }

    fileprivate init?(libraryFormat: Int) {
        switch libraryFormat & SF_FORMAT_TYPEMASK {
        case SF_FORMAT_WAV, SF_FORMAT_WAVEX: self = .wav
        case SF_FORMAT_RF64: self = .rf64
        case SF_FORMAT_W64: self = .w64
        case SF_FORMAT_FLAC: self = .flac
        case SF_FORMAT_AIFF: self = .aiff
        case SF_FORMAT_AU: self = .au
        case SF_FORMAT_CAF: self = .caf
        case SF_FORMAT_OGG: self = .ogg
        default: return nil
        }
    }
}

extension AudioEncoding {
    fileprivate var librarySubtype: Int {
        switch kind {
        case .unsigned8: SF_FORMAT_PCM_U8
        case .signed8: SF_FORMAT_PCM_S8
        case .int16: SF_FORMAT_PCM_16
        case .int24: SF_FORMAT_PCM_24
        case .int32: SF_FORMAT_PCM_32
        case .float32: SF_FORMAT_FLOAT
        case .float64: SF_FORMAT_DOUBLE
        case .muLaw: SF_FORMAT_ULAW
        case .aLaw: SF_FORMAT_ALAW
        case .other: 0
        }
    }

    fileprivate init(libraryFormat: Int) {
        switch libraryFormat & SF_FORMAT_SUBMASK {
        case SF_FORMAT_PCM_U8: self = .unsigned8
        case SF_FORMAT_PCM_S8: self = .signed8
        case SF_FORMAT_PCM_16: self = .int16
        case SF_FORMAT_PCM_24: self = .int24
        case SF_FORMAT_PCM_32: self = .int32
        case SF_FORMAT_FLOAT: self = .float32
        case SF_FORMAT_DOUBLE: self = .float64
        case SF_FORMAT_ULAW: self = .muLaw
        case SF_FORMAT_ALAW: self = .aLaw
        case let subtype: self = .other(AudioEncoding.libraryName(subtype))
        }
    }

    /// libsndfile's name for an encoding. The corresponding C command is `SFC_GET_FORMAT_INFO`.
    private static func libraryName(_ subtype: Int) -> String {
        var info = unsafe SF_FORMAT_INFO()
        unsafe info.format = CInt(subtype)
        let size = unsafe CInt(MemoryLayout<SF_FORMAT_INFO>.size)
        guard unsafe sf_command(nil, CInt(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = unsafe info.name else {
            return "unknown encoding"
        }
        return unsafe String(cString: name)
    }
}
