public import JackdawDSP
public import JackdawTransport

extension PoweredLine: SoundSource {}
