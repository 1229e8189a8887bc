import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport

@testable import SwipeController

/// A jack in memory into which simulated readers are put, by their bytes, on a clock that stands still.
final class SimulatedEnvironment: SwipeEnvironment {
    private struct State {
        var host: SimulatorHost?
        var volume: [String] = []
        var opened = 0
        /// The family that a search finds.
        var found: String?
    }

    let clock = ManualClock()
    private let state = Shared(State())
    private let jack = AsyncStream<Bool>.makeStream()
    private let iDynamo = AsyncStream<ReaderSession>.makeStream()

    var volume: [String] { state.with { $0.volume } }

    /// - Parameter found: the family that a search finds.
    init(finding found: String? = nil) { state.with { $0.found = found } }

    func attach(_ isAttached: Bool) { jack.continuation.yield(isAttached) }

    /// A card goes through the reader that is open.
    func present(_ presentation: Presentation) async { await state.with { $0.host }?.present(presentation) }

    /// Puts an iDynamo on a connector of its own.
    func attachIDynamo(_ model: any ReaderModel) -> SimulatorHost {
        let (near, far) = MemoryLink.pair(link: LinkName(.sim, "magtek"))
        var device = SimulatedDevice()
        device.answerDelay = .zero
        let host = SimulatorHost(far, clock: clock) { [device] in SimulatedReader(model, device: device) }
        Task { await host.run() }
        iDynamo.continuation.yield(ReaderSession(near, MagTekDialect(), clock: clock))
        return host
    }

    func attachments() -> AsyncStream<Bool> { jack.stream }

    func iDynamos() -> AsyncStream<ReaderSession> { iDynamo.stream }

    /// Whatever is open is what was found.
    func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        guard await mayPlayTones() else { return ReaderSearchReport() }
        return ReaderSearchReport(found: state.with { $0.found })
    }

    func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession {
        let name = type == .unimag ? "unimag" : "ips"
        guard let family = ReaderFamily.named(name), let model = SimulatedFamily.named(name)?.makeModel(),
            let dialect = try? family.makeDialect(family.simulatedProfile)
        else { throw LinkError(.notFound, link: name, "no such family") }
        let (near, far) = MemoryLink.pair(link: LinkName(.sim, name), keepsPackets: family.needsPackets)
        var device = SimulatedDevice()
        device.answerDelay = .zero
        let host = SimulatorHost(far, clock: clock) { [device] in SimulatedReader(model, device: device) }
        Task { await host.run() }
        state.with {
            $0.host = host
            $0.opened += 1
        }
        return ReaderSession(near, dialect, clock: clock)
    }

    func isVolumeFull() async -> Bool { false }

    func raiseVolume() async -> Bool {
        state.with { $0.volume.append("up") }
        return true
    }

    func restoreVolume() async { state.with { $0.volume.append("back") } }
}
