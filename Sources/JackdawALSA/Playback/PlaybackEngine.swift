import JackdawTransport

/// Keeps a playback device going.
typealias PlaybackEngine<Opener: PCMOpener, Source: SoundSource> =
    StreamEngine<Opener, PlaybackLoop<Opener.Calls, Source>>
