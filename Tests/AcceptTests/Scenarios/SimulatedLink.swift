import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// A simulated reader as a link. Its time is its own: the steps of the next seconds follow each message at once.
final class SimulatedLink: PoweredTransport {
    let link: LinkName
    private let core: Core
    private let (near, far): (MemoryLink, MemoryLink)
    private let state = Lock(State())

    private struct State {
        var horizon = Duration.seconds(3)
        var isFrozen = false
        var loss: LinkError?
    }

    init(
        _ model: any ReaderModel, deck: [Presentation], faults: [PlannedFault],
        device: SimulatedDevice = SimulatedDevice()
    ) throws {
        link = try LinkName(parsing: "tcp:localhost:1")
        (near, far) = MemoryLink.pair(link: link)
        core = Core(model, deck, faults, device)
    }

    /// More than people and cards of a scenario take, and less than the limits of a reader.
    static let wide = Duration.milliseconds(9_500)

    /// Lets people and cards take ``wide`` from now on.
    func widen() async {
        state.withLock { $0.horizon = Self.wide }
        await step(within: Self.wide)
    }

    /// Takes the steps of a time without a message.
    func step(within time: Duration) async { await send(await core.step(within: time)) }

    /// The reader sends and hears nothing from now on.
    func freeze() { state.withLock { $0.isFrozen = true } }

    /// The link is lost.
    func unplug(_ error: LinkError = LinkError(.disconnected, link: "reader", "unplugged")) {
        state.withLock { $0.loss = error }
        Task { await far.close() }
    }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        let isOpen = try await near.receive(take)
        if !isOpen, let loss = state.withLock({ $0.loss }) { throw loss }
        return isOpen
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let now = state.withLock { $0 }
        if let loss = now.loss { throw loss }
        guard !now.isFrozen else { return }
        await send(await core.answer(bytes, within: now.horizon))
    }

    /// Sends messages at once, so that no event of the program comes between them.
    private func send(_ messages: [[UInt8]]) async {
        let bytes = Array(messages.joined())
        guard !bytes.isEmpty, state.withLock({ $0.loss == nil }) else { return }
        // The session may have closed its end.
        do throws(LinkError) { try await far.send(bytes) } catch {}
    }

    func setPower(_ power: ReaderPower) async throws(LinkError) {
        await send(await core.setPower(power, within: state.withLock { $0.horizon }))
    }

    func endSending() async throws(LinkError) {}

    func close() async { await near.close() }

    private actor Core {
        private var reader: SimulatedReader
        private var now = Duration.zero

        init(
            _ model: any ReaderModel, _ deck: [Presentation], _ faults: [PlannedFault], _ device: SimulatedDevice
        ) {
            reader = SimulatedReader(model, device: device, deck: deck, faults: faults)
        }

        func answer(_ bytes: [UInt8], within horizon: Duration) -> [[UInt8]] {
            reader.receive(bytes.span, at: now)
            return step(within: horizon)
        }

        func setPower(_ power: ReaderPower, within horizon: Duration) -> [[UInt8]] {
            reader.setPower(power != .off, at: now)
            return step(within: horizon)
        }

        func step(within horizon: Duration) -> [[UInt8]] {
            let end = now + horizon
            var messages: [[UInt8]] = []
            while let next = reader.nextDeadline, next <= end {
                now = max(now, next)
                for case .send(let message) in reader.advance(to: now) { messages.append(message) }
            }
            return messages
        }
    }
}
