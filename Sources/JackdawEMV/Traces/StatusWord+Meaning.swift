// The meanings of status words.

extension StatusWord {
    /// Whether the card carried the command out: 9000, or 61xx, whose data follows.
    var isNormal: Bool { self == .success || first == 0x61 }

    /// The meaning, for people; nil if it is not known (ISO/IEC 7816-4, section 5.1.3; EMV Book 3 section 6.3.5).
    public var meaning: String? {
        if let triesLeft {
            return triesLeft == 1 ? "verification failed, 1 try left" : "verification failed, \(triesLeft) tries left"
        }
        if let special = specialMeaning { return special }
        switch first {
        case 0x61: return "\(second == 0 ? 256 : Int(second)) more octets with GET RESPONSE"
        case 0x62: return "warning, card unchanged"
        case 0x63: return "warning, card changed"
        case 0x64: return "execution error, card unchanged"
        case 0x65: return "execution error, card changed"
        case 0x66: return "security error"
        case 0x67: return "wrong length"
        case 0x68: return "class not supported"
        case 0x69: return "command not allowed"
        case 0x6A: return "wrong parameters"
        case 0x6B: return "wrong parameters P1 and P2"
        case 0x6C: return "wrong expected length, correct: \(second == 0 ? 256 : Int(second))"
        case 0x6D: return "instruction not supported"
        case 0x6E: return "class not supported"
        case 0x6F: return "no precise diagnosis"
        default: return nil
        }
    }

    private var specialMeaning: String? {
        switch rawValue {
        case 0x9000: "success"
        case 0x6281: "part of the data may be corrupted"
        case 0x6282: "end of file before the expected length"
        case 0x6283: "selected file invalidated"
        case 0x6284: "control information has an unknown format"
        case 0x6285: "selected file in termination state"
        case 0x6300: "authentication failed"
        case 0x6400: "execution error, card unchanged"
        case 0x6581: "memory failure"
        case 0x6700: "wrong length"
        case 0x6881: "logical channel not supported"
        case 0x6882: "secure messaging not supported"
        case 0x6884: "command chaining not supported"
        case 0x6981: "command incompatible with the file"
        case 0x6982: "security status not satisfied"
        case 0x6983: "authentication method blocked"
        case 0x6984: "referenced data invalidated"
        case 0x6985: "conditions of use not satisfied"
        case 0x6986: "command not allowed, no current file"
        case 0x6987: "secure messaging data object missing"
        case 0x6988: "secure messaging data object incorrect"
        case 0x6A80: "wrong data"
        case 0x6A81: "function not supported"
        case 0x6A82: "file not found"
        case 0x6A83: "record not found"
        case 0x6A84: "not enough memory in the file"
        case 0x6A86: "wrong parameters P1 and P2"
        case 0x6A88: "referenced data not found"
        default: nil
        }
    }
}
