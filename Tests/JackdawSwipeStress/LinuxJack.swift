import JackdawLinux
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import SwipeController

/// The jack of a sound card, with whatever is in it, in real time: for the lab.
final class LinuxJack: StressJack, SwipeEnvironment {
    private struct Weak {
        weak var session: ReaderSession?
    }

    private let linux: LinuxSwipeEnvironment
    private let made = Shared<[Weak]>([])
    private let underWay = Shared(0)
    private let raised = Shared(0)

    init(_ link: LinkName) throws {
        linux = try LinuxDevices().swipeEnvironment(link, attachment: .manual, memory: .none)
    }

    var environment: any SwipeEnvironment { self }
    let clock: any Clock<Duration> = SuspendingClock()
    let isSearchable = true
    var raisedCount: Int { raised.with { $0 } }

    var livingCount: Int {
        let kept = made.with { made in
            made.removeAll { $0.session == nil }
            return made.count
        }
        return kept + underWay.with { $0 }
    }

    func attach(_ isAttached: Bool) { linux.setAttached(isAttached) }
    func pass() async throws -> Bool {
        try await Task.sleep(for: .milliseconds(10))
        return true
    }

    func attachments() -> AsyncStream<Bool> { linux.attachments() }
    func iDynamos() -> AsyncStream<ReaderSession> { linux.iDynamos() }

    func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession {
        underWay.with { $0 += 1 }
        defer { underWay.with { $0 -= 1 } }
        let session = try await linux.open(type)
        made.with { $0.append(Weak(session: session)) }
        return session
    }

    func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        underWay.with { $0 += 1 }
        defer { underWay.with { $0 -= 1 } }
        return try await linux.search(for: types, mayPlayTones: mayPlayTones)
    }

    func isVolumeFull() async -> Bool { await linux.isVolumeFull() }

    func raiseVolume() async -> Bool {
        raised.with { $0 = 1 }
        return await linux.raiseVolume()
    }

    func restoreVolume() async {
        await linux.restoreVolume()
        raised.with { $0 = 0 }
    }
}
