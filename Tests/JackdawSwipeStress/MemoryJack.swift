import JackdawReaders
import JackdawSimulator
import JackdawSoundTestSupport
import JackdawTestSupport
import JackdawTransport
import SwipeController

/// A jack with a UniMag in sound, on a clock whose time passes with it.
final class MemoryJack: StressJack, SwipeEnvironment {
    private struct Weak {
        weak var port: MemorySoundPort?
        weak var link: SoundLink?
        weak var session: ReaderSession?
    }

    private struct State {
        var port: MemorySoundPort?
        var link: SoundLink?
        var made: [Weak] = []
        var raised = 0
    }

    private let manualClock = ManualClock()
    private let state = Shared(State())
    private let jack = AsyncStream<Bool>.makeStream()
    private let family: ReaderFamily
    private let sound: ReaderSound
    private let profile: ReaderProfile

    init() throws {
        guard let family = ReaderFamily.named("unimag") else { preconditionFailure("there are such readers") }
        var profile = ReaderProfile("quick", of: family.name)
        profile[.takesCommands] = ProfileEntry("", .flag(false), .inferred, "nothing is asked")
        guard let sound = try family.makeSound(profile) else { preconditionFailure("they are heard") }
        self.family = family
        self.profile = profile
        self.sound = sound
    }

    var environment: any SwipeEnvironment { self }
    var clock: any Clock<Duration> { manualClock }
    let isSearchable = false

    func attach(_ isAttached: Bool) { jack.continuation.yield(isAttached) }

    var livingCount: Int {
        state.with { state in
            state.made.removeAll { $0.port == nil && $0.link == nil && $0.session == nil }
            return state.made.count
        }
    }

    var raisedCount: Int { state.with { $0.raised } }

    /// The sound passes with the time where a link is open.
    func pass() async throws -> Bool {
        guard let (port, link) = state.with({ state in state.port.flatMap { port in state.link.map { (port, $0) } } })
        else {
            manualClock.advance(by: .milliseconds(10))
            await Task.yield()
            return false
        }
        _ = try port.receive(within: .zero) { event, samples in link.hear(event, samples) }
        for _ in 0..<1_000 where link.waitingCount > 0 { await Task.yield() }
        await Task.yield()
        return true
    }

    func attachments() -> AsyncStream<Bool> { jack.stream }

    func iDynamos() -> AsyncStream<ReaderSession> { AsyncStream { $0.finish() } }

    func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession {
        let name = LinkName(.alsa, "memory")
        do {
            let port = try MemorySoundPort(sound, sampleRate: 48_000, clock: manualClock) {
                SimulatedReader(UniMagModel())
            }
            let link = try SoundLink(name, sound, playback: port, captureRate: port.sampleRate) { [state] in
                state.with { state in
                    state.port = nil
                    state.link = nil
                }
            }
            let session = ReaderSession(link, try family.makeDialect(profile), clock: manualClock)
            state.with { state in
                state.port = port
                state.link = link
                state.made.append(Weak(port: port, link: link, session: session))
            }
            return session
        } catch {
            throw LinkError(.unsupported, link: name.description, "\(error)")
        }
    }

    func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport { ReaderSearchReport() }

    func isVolumeFull() async -> Bool { state.with { $0.raised > 0 } }

    func raiseVolume() async -> Bool {
        state.with { $0.raised = 1 }
        return true
    }

    func restoreVolume() async { state.with { $0.raised = 0 } }
}
