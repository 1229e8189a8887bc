/// Where sound goes to, made by a source that is changed while it plays: a sound card, or what stands in for one.
public protocol PlaybackPort<Source>: Sendable {
    /// What makes the sound.
    associatedtype Source: SoundSource

    /// Frames per second (Hz).
    var sampleRate: Double { get }

    /// Changes the source, after all changes that were asked for before. Never waits for the sound.
    /// - Parameter change: what is to be done. It runs on the thread that plays: it must neither wait nor allocate.
    func change(_ change: @escaping @Sendable (inout Source) -> Void)
}
