#if Payments
import Accept
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawSoak
import JackdawTransport

/// The readers of a till: each attempt has one of its own, with a card.
actor CardReaders {
    private struct Entry {
        let attempt: AttemptIdentifier
        let station: any Station
        let means: Means
    }

    private let files: CardFiles
    private let clock = ElapsedClock(SuspendingClock())
    private let changed = AsyncSignal()
    private var tasks: [ReaderTask] = []
    /// The customers whose payments have no reader yet, in the order of the payments.
    private var expected: [(amount: UInt64, means: Means)] = []
    private var entries: [Entry] = []
    private var opened = 0

    init(_ files: CardFiles) { self.files = files }

    /// The customer of the next payment has come.
    func expect(_ amount: UInt64, _ means: Means) { expected.append((amount, means)) }

    /// The payment of the last customer was refused.
    func expectNone() { _ = expected.popLast() }

    func add(_ task: ReaderTask) {
        tasks.append(task)
        changed.send()
    }

    /// Takes the reader of an attempt away whose flow has ended.
    func close(_ attempt: AttemptIdentifier) { entries.removeAll { $0.attempt == attempt } }

    /// Carries out tasks and the steps of readers, until the task is cancelled.
    /// - Throws: `SimulationFileError` if a card's file is wrong.
    func run(_ service: PaymentService) async throws(SimulationFileError) {
        while !Task.isCancelled {
            let seen = changed.count
            while !tasks.isEmpty { try await carryOut(tasks.removeFirst(), service) }
            let now = clock.now()
            for entry in entries {
                guard let deadline = entry.station.nextDeadline, deadline <= now else { continue }
                await send(entry.station.advance(to: now), entry.attempt, service)
            }
            guard tasks.isEmpty else { continue }
            await changed.wait(after: seen, until: entries.compactMap(\.station.nextDeadline).min(), on: clock)
        }
    }

    private func carryOut(_ task: ReaderTask, _ service: PaymentService) async throws(SimulationFileError) {
        let (attempt, effect) = (task.attempt, task.effect)
        if effect.action == .prepare, !entries.contains(where: { $0.attempt == attempt }), !expected.isEmpty {
            let (amount, means) = expected.removeFirst()
            let isOfflineAllowed = await service.allowsOffline(attempt)
            let station = try files.station(
                means, number: opened, amount: amount, isOfflineAllowed: isOfflineAllowed)
            opened += 1
            entries.append(Entry(attempt: attempt, station: station, means: means))
        }
        guard let entry = entries.first(where: { $0.attempt == attempt }) else { return }
        switch effect.action {
        case .acceptCard where entry.means.isCancelled: await service.receive(.cancelled, of: attempt)
        case .completeCard where entry.means.isUnplugged:
            await send(entry.station.unplug(at: clock.now()), attempt, service)
        case .captureSignature:
            await service.receive(
                entry.means.signature == .refused ? .signatureRefused : .signatureCaptured, of: attempt,
                answering: effect.identifier)
        case .verifySignature:
            await service.receive(
                entry.means.signature == .wrong ? .signatureRejected : .signatureAccepted, of: attempt,
                answering: effect.identifier)
        default: await send(entry.station.carryOut(effect, task.forCard, at: clock.now()), attempt, service)
        }
    }

    private func send(
        _ events: [AcceptTerminalEvent], _ attempt: AttemptIdentifier, _ service: PaymentService
    ) async {
        for case .payment(let event, let answered, let sealed) in events {
            await service.receive(event, of: attempt, answering: answered, sealed: sealed)
        }
    }
}
#endif
