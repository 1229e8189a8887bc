internal import JackdawALSA
internal import JackdawSystem
internal import JackdawTransport

/// How loud a sound card plays. Its mixer is opened when it is needed, and kept until the volume is put back.
final class PlaybackVolume: Sendable {
    private struct State {
        var mixer: Mixer?
        var isClosed = false
    }

    private let open: @Sendable () throws(LinkError) -> Mixer?
    private let state = SystemLock(State())

    /// - Parameter open: opens the mixer; nil for what has none.
    init(_ open: @escaping @Sendable () throws(LinkError) -> Mixer?) { self.open = open }

    /// Whether everything that is played with is at its most and on.
    func isFull() async -> Bool { await onThread { mixer throws(LinkError) in try Self.isFull(mixer) } }

    /// Turns everything that is played with to its most, and on.
    /// - Returns: whether it is now.
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

    /// Puts the volume back to what it was.
    func restore() async { await end(isClosed: false) }

    /// Puts the volume back; it is not changed any more.
    func close() async { await end(isClosed: true) }

    private func end(isClosed: Bool) async {
        await WorkerThread.finish(name: "jackdaw-volume") { [self] in
            state.withLock { state in
                if isClosed { state.isClosed = true }
                // What cannot be restored now is restored by the next mixer of this card.
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

    /// Does something with the mixer on a thread that may wait.
    /// - Returns: what comes of it; true where there is no mixer, and false where it fails.
    private func onThread(_ body: @escaping @Sendable (Mixer) throws(LinkError) -> Bool) async -> Bool {
        let answer = try? await WorkerThread.run(name: "jackdaw-volume") { [self] in
            state.withLock { state -> Bool in
                guard !state.isClosed else { return false }
                // A card that was pulled out and put back has another mixer.
                let isKept = state.mixer != nil
                do throws(LinkError) {
                    return try Self.run(body, &state.mixer, open)
                } catch {
                    let isMissing = state.mixer == nil && error.code == .notFound
                    state.mixer = nil
                    // What is no card of its own, such as a plug-in, has no levels either.
                    guard isKept else { return isMissing }
                    return (try? Self.run(body, &state.mixer, open)) ?? false
                }
            }
        }
        return answer ?? false
    }
}
