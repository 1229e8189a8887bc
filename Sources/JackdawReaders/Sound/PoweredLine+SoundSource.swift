public import JackdawDSP
public import JackdawTransport

/// A power tone with commands in it is sound to be played: `PlaybackStream` in JackdawALSA plays it, and lets its commands
/// be put in while it sounds.
extension PoweredLine: SoundSource {}
