internal import JackdawALSA
internal import JackdawSystem
public import JackdawTransport

/// The playback volume of a sound card. Its mixer is opened on first use, and kept until the volume is restored.
final class PlaybackVolume: Sendable {
    private struct State {
        var mixer: Mixer?
        var isClosed = false
    }

    private let open: @Sendable () throws(LinkError) -> Mixer?
    private let state = Lock(State())

    /// - Parameter open: opens the mixer; nil for a device without one.
    init(_ open: @escaping @Sendable () throws(LinkError) -> Mixer?) { self.open = open }

    /// Whether all playback levels are at the maximum and switched on.
    func isFull() async -> Bool { await onThread { mixer throws(LinkError) in try Self.isFull(mixer) } }

    /// Sets all playback levels to the maximum, and switches them on.
    /// - Returns: whether all are at the maximum now.
    func raise() async -> Bool {
        await onThread { mixer throws(LinkError) in
            for control in mixer.controls(.playbackLevel) {
                switch control.kind {
                case .volume: try mixer.setVolume(control, share: 1)
                case .toggle: try mixer.setOn(control, true)
                case .choice: break
                }
            }
            return try Self.isFull(mixer)
        }
    }

    /// Restores the volume from before ``raise()``.
    func restore() async { await end(isClosed: false) }

    /// Restores the volume; it cannot be changed afterwards.
    func close() async { await end(isClosed: true) }

    private func end(isClosed: Bool) async {
        await WorkerThread.finish(name: "jackdaw-volume") { [self] in
            state.withLock { state in
                if isClosed { state.isClosed = true }
                // If that fails now, the next mixer of this card restores the levels.
                try? state.mixer?.restore()
                state.mixer = nil
            }
        }
    }

    private static func isFull(_ mixer: Mixer) throws(LinkError) -> Bool {
        for control in mixer.controls(.playbackLevel) {
            switch control.kind {
            case .volume: guard try mixer.volume(of: control).share >= 1 else { return false }
            case .toggle: guard try mixer.isOn(control) else { return false }
            case .choice: break
            }
        }
        return true
    }

    private static func run(
        _ body: (Mixer) throws(LinkError) -> Bool, _ mixer: inout Mixer?, _ open: () throws(LinkError) -> Mixer?
    ) throws(LinkError) -> Bool {
        if mixer == nil { mixer = try open() }
        guard let mixer else { return true }
        return try body(mixer)
    }

    /// Runs a body with the mixer on a thread that may block.
    /// - Returns: the body's result; true if there is no mixer, false on an error.
    private func onThread(_ body: @escaping @Sendable (Mixer) throws(LinkError) -> Bool) async -> Bool {
        let answer = try? await WorkerThread.run(name: "jackdaw-volume") { [self] in
            state.withLock { state -> Bool in
                guard !state.isClosed else { return false }
                // A card that was unplugged and plugged in again needs a new mixer.
                let isKept = state.mixer != nil
                do throws(LinkError) {
                    return try Self.run(body, &state.mixer, open)
                } catch {
                    let isMissing = state.mixer == nil && error.code == .notFound
                    state.mixer = nil
                    // A device that is not a card of its own, such as a plug-in, has no levels either.
                    guard isKept else { return isMissing }
                    return (try? Self.run(body, &state.mixer, open)) ?? false
                }
            }
        }
        return answer ?? false
    }
}

extension LinuxDevices {
    /// Reads the playback of the sound card with a reader in its jack. Free devices are opened for a moment.
    /// - Parameter link: the name of the link.
    /// - Returns: the playback; nil if the link is not a sound card. A device in use counts as one of two channels, and a
    ///   card without levels as one of full volume.
    public func jackOutput(_ link: LinkName) async -> JackOutput? {
        guard link.scheme == .alsa else { return nil }
        let volume = PlaybackVolume { [self] () throws(LinkError) in try mixer(link) }
        let isVolumeFull = await volume.isFull()
        await volume.close()
        let channels = try? await WorkerThread.run(name: "jackdaw-probe") {
            (try? SoundCards())?.device(link, .playback)?.abilities?.channels
        }
        return JackOutput(isMono: channels?.upperBound == 1, isVolumeFull: isVolumeFull)
    }
}
