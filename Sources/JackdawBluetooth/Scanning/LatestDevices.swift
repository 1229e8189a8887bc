internal import JackdawSystem
internal import JackdawTransport

/// What a search has found and nobody has taken yet: of each device the latest, so that whoever takes them slowly is not told
/// of every change in between and they do not pile up.
final class LatestDevices: Sendable {
    /// Devices that wait at most; then the one that has waited longest is left out.
    static let most = 1_024

    private struct State {
        var devices: [LinkName: FoundDevice] = [:]
        /// The names of those devices, the one that has waited longest first.
        var order: [LinkName] = []
        /// How the search ended; nil while it goes on.
        var end: Result<Void, LinkError>?
    }

    private let state = SystemLock(State())
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() { (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func put(_ device: FoundDevice) {
        state.withLock { state in
            if state.devices.updateValue(device, forKey: device.link) == nil { state.order.append(device.link) }
            // Devices that change their addresses all the time would be new ones for ever.
            if state.order.count > Self.most { state.devices[state.order.removeFirst()] = nil }
        }
        ring.yield()
    }

    /// Ends them behind what was put.
    func finish(_ end: Result<Void, LinkError>) {
        state.withLock { $0.end = end }
        ring.finish()
    }

    /// Waits for a device. For one task at a time.
    /// - Returns: the one that has waited longest; nil at the end, and where the task was cancelled.
    /// - Throws: why the search ended, once.
    func next() async throws(LinkError) -> FoundDevice? {
        var rings = bell.makeAsyncIterator()
        while true {
            let (device, end) = state.withLock { state -> (FoundDevice?, Result<Void, LinkError>?) in
                guard state.order.isEmpty else {
                    return (state.devices.removeValue(forKey: state.order.removeFirst()), nil)
                }
                defer { if state.end != nil { state.end = .success(()) } }
                return (nil, state.end)
            }
            if let device { return device }
            if let end {
                try end.get()
                return nil
            }
            guard await rings.next() != nil || state.withLock({ $0.end != nil }) else { return nil }
        }
    }
}
