// What reflection (`dump`, `Mirror`) shows of types that hold card data: never the data. Embedded Swift has no
// reflection, so there is nothing to hide.
#if !hasFeature(Embedded)

extension WipedArray: CustomReflectable {
    /// Reflection does not show the content.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}

extension Wiped: CustomReflectable {
    /// Reflection does not show the content.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SoundBuffer: CustomReflectable {
    /// Reflection does not show the sound.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SwipeDecoder: CustomReflectable {
    /// Reflection does not show the sound.
    public var customMirror: Mirror {
        Mirror(self, children: ["configuration": configuration], displayStyle: .struct)
    }
}

extension DecodedTrack: CustomReflectable {
    /// Reflection does not show the text.
    public var customMirror: Mirror {
        Mirror(self, children: ["track": track, "swipe": swipe, "tier": tier], displayStyle: .struct)
    }
}

extension SwipeFailure: CustomReflectable {
    /// Reflection does not show the text.
    public var customMirror: Mirror {
        Mirror(self, children: ["reason": reason.message, "swipe": swipe], displayStyle: .struct)
    }
}

extension TrackMessage: CustomReflectable {
    /// Reflection does not show the text.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code, "characters": characters.count], displayStyle: .struct)
    }
}

extension FluxStripe: CustomReflectable {
    /// Reflection shows no positions.
    public var customMirror: Mirror {
        Mirror(self, children: ["transitions": transitions.count, "length": length], displayStyle: .struct)
    }
}

extension LineCharacter: CustomReflectable {
    /// Reflection shows no value.
    public var customMirror: Mirror {
        Mirror(self, children: ["startSample": startSample, "confidence": confidence], displayStyle: .struct)
    }
}

extension FSKDecoder: CustomReflectable {
    /// Reflection does not show the sound.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["shift": shift, "framing": framing, "sampleRate": sampleRate], displayStyle: .struct)
    }
}

extension FSKBitDecoder: CustomReflectable {
    /// Reflection does not show the bits.
    package var customMirror: Mirror {
        Mirror(self, children: ["shift": shift, "sampleRate": sampleRate], displayStyle: .struct)
    }
}

extension BasebandDecoder: CustomReflectable {
    /// Reflection does not show the sound.
    var customMirror: Mirror {
        Mirror(self, children: ["line": line, "sampleRate": sampleRate], displayStyle: .struct)
    }
}

extension LineModeDecoder: CustomReflectable {
    /// Reflection does not show the sound.
    public var customMirror: Mirror {
        Mirror(self, children: ["mode": mode.name, "sampleRate": sampleRate], displayStyle: .struct)
    }
}

extension LineModeEncoder: CustomReflectable {
    /// Reflection does not show bytes that were held back.
    public var customMirror: Mirror {
        Mirror(self, children: ["mode": mode.name, "sampleRate": sampleRate], displayStyle: .struct)
    }
}

#endif
