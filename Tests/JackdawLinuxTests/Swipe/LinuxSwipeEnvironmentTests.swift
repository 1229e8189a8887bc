import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import SwipeController
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport
@testable import JackdawLinux

/// Controllers over the jacks of this computer, simulated ones and such that do what a test says.
@Suite(.timeLimit(.minutes(30)))
struct LinuxSwipeEnvironmentTests {
    /// A jack at which a test says what is found.
    private final class ScriptedJack: ReaderJack {
        let orders = Shared<[[String]]>([])
        let found = Shared<String?>(nil)
        let mayOpen = Shared(true)
        let isOpening = Shared(false)
        let isClosed = Shared(false)

        func open(_ family: ReaderFamily) async throws(LinkError) -> ReaderSession {
            isOpening.with { $0 = true }
            // To its end, cancelled or not, as a card's opening is.
            await Task { [mayOpen] in try? await mayOpen.until { $0 } }.value
            let (near, far) = MemoryLink.pair(link: LinkName(.sim, family.name))
            Task { [isClosed] in
                while (try? await far.receive { _ in }) == true {}
                isClosed.with { $0 = true }
            }
            return ReaderSession(near, MiuraDialect(), clock: ManualClock())
        }

        func search(
            _ families: [ReaderFamily], mayPlayTones: @escaping @Sendable () async -> Bool
        ) async throws(LinkError) -> ReaderSearchReport {
            orders.with { $0.append(families.map(\.name)) }
            guard await mayPlayTones() else { throw LinkError(.cancelled, link: "scripted", "given up") }
            return ReaderSearchReport(found: found.with { $0 })
        }
    }

    private static func environment(
        _ jack: ScriptedJack, _ memory: ReaderMemory? = nil,
        _ attachment: JackAttachment = JackAttachment(.always) { nil }
    ) -> LinuxSwipeEnvironment {
        LinuxSwipeEnvironment(
            LinkName(.alsa, "hw:1"), jack, attachment, PlaybackVolume { nil }, memory)
    }

    private static func types(_ name: String) throws -> (AudioJackReaderType, CardReaderAutodetectResult) {
        switch name {
        case "unimag": (.unimag, .uniMag)
        case "ips": (.ips, .ips)
        default: (.ipsEnterprise, .ipsEnterprise)
        }
    }

    /// Families that are simulated in sound.
    private static let simulated = ["unimag", "ips", "ipsenterprise"].filter { name in
        guard let family = ReaderFamily.named(name), SimulatedFamily.named(name) != nil else { return false }
        return (try? family.makeSound(family.simulatedProfile)) != nil
    }

    @Test(arguments: simulated) func aSimulatedReaderIsFoundAndSwipes(name: String) async throws {
        let (type, result) = try Self.types(name)
        // A frame that has come in part is given up after half a second, which must not pass by itself.
        let clock = LeapingClock(most: .milliseconds(100))
        // At once: no time passes while its bytes are under way.
        let cardDelay = Duration.seconds(type == .unimag ? 3 : 1)
        let environment = try LinuxDevices().swipeEnvironment(LinkName(.sim, name), clock: clock)
        let controller = PGSwipeController(
            environment, delegate: nil, audioReader: .autodetectOnConnect, executor: .immediate, clock: ManualClock())
        var swipes = 0
        var reported: [String] = []
        for await event in controller.events {
            reported.append("\(event)")
            switch event {
            case .deviceAutodetectComplete(let found):
                #expect(found == result)
                #expect(controller.audioJackReaderType == type)
                clock.advance(by: cardDelay)
            case .didSwipeCard(let card, _):
                #expect(card != nil)
                swipes += 1
                if type != .unimag { clock.advance(by: cardDelay) }
            case .deviceBecameReadyForSwipe: clock.advance(by: cardDelay)
            default: break
            }
            if swipes == 2 { break }
        }
        #expect(swipes == 2, "\(reported)")
        let report = try #require(controller.autodetectReport)
        #expect(report.found == name)
        controller.shutdown()
        await environment.close()
        await #expect(throws: LinkError.self) { _ = try await environment.open(type) }
        await #expect(throws: LinkError.self) { _ = try await environment.search(for: [type]) { true } }
    }

    /// The first card that a controller gets at readers which encrypt with the test key of X9.24.
    private static func encryptedCard(_ name: String, _ type: AudioJackReaderType) async throws -> PGSwipedCard? {
        let clock = LeapingClock(most: .milliseconds(100))
        let key = hex(PublishedSwipes.key)
        let environment = try LinuxDevices().swipeEnvironment(
            LinkName(.sim, name), iDynamo: type == .none ? LinkName(.sim, "magtek") : nil,
            ciphers: SwipeEncryptor.byFamily(testKey: SecretBytes(copying: key.span)), clock: clock)
        let controller = PGSwipeController(
            environment, delegate: nil, audioReader: type, executor: .immediate, clock: ManualClock())
        var card: PGSwipedCard?
        for await event in controller.events {
            switch event {
            case .deviceBecameReadyForSwipe: clock.advance(by: .seconds(type == .unimag ? 3 : 1))
            case .didSwipeCard(let swiped, _): card = swiped
            default: break
            }
            if card != nil { break }
        }
        controller.shutdown()
        await environment.close()
        return card
    }

    @Test(arguments: ["unimag", "ips"]) func aSimulatedJackEncryptsWithAKey(name: String) async throws {
        let (type, _) = try Self.types(name)
        let card = try #require(try await Self.encryptedCard(name, type) as? PGEncryptedSwipedCard)
        #expect(card.ksn == (name == "ips" ? "00000000000000000001" : "FFFF9876543210E00001"))
        let post = card.getDirectPostString(withCVVIncluded: false)
        #expect(post.hasPrefix("encrypted_track_1=") && post.contains("&encrypted_ksn=\(card.ksn)"))
        #expect(!post.contains("4111"))
    }

    @Test func aSimulatedIDynamoEncryptsWithAKey() async throws {
        let card = try #require(try await Self.encryptedCard("none", .none) as? PGMagnesafeSwipedCard)
        #expect(card.magnesafeKsn == "FFFF9876543210E00001")
        let post = card.getDirectPostString(withCVVIncluded: false)
        #expect(post.hasPrefix("magnesafe_track_1=") && post.contains("&magnesafe_magneprint="))
    }

    /// Nothing is sent in clear for want of a way to encrypt it.
    @Test func aSimulatedReaderThatCannotEncryptIsNotOpened() async throws {
        let key = hex(PublishedSwipes.key)
        let encryptor = try SwipeEncryptor(testKey: SecretBytes(copying: key.span), scheme: .pin)
        for name in ["miura", "ipsenterprise"] {
            do throws(LinkError) {
                _ = try await LinuxDevices().connect(LinkName(.sim, name), cipher: encryptor)
                Issue.record("it was opened")
            } catch {
                #expect(error.code == .unsupported)
            }
        }
    }

    @Test func aReaderOfAnotherTypeNeverAnswers() async throws {
        let environment = try LinuxDevices().swipeEnvironment(LinkName(.sim, "none"), clock: ManualClock())
        let session = try await environment.open(.unimag)
        await session.perform(.connect)
        await environment.close()
        for await event in session.events {
            if case .lost = event { break }
        }
        let other = try LinuxDevices().swipeEnvironment(LinkName(.sim, "none"))
        #expect(try await other.search(for: [.unimag]) { true }.found == nil)
    }

    @Test func refusedTonesAreNotPlayed() async throws {
        let environment = try LinuxDevices().swipeEnvironment(LinkName(.sim, "unimag"))
        let report = try await environment.search(for: [.ips, .unimag]) { false }
        #expect(report.found == nil)
        #expect(report.attempts.allSatisfy { $0.testCount == 0 })
    }

    @Test(arguments: ["sim:miura", "sim:nosuch", "tcp:localhost:1", "wav:x.wav", "replay:x", "ble:AA:BB:CC:DD:EE:FF"])
    func linksWithoutAJackAreRefused(link: String) throws {
        do throws(LinkError) {
            _ = try LinuxDevices().swipeEnvironment(try LinkName(parsing: link))
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .unsupported)
            #expect(error.remedy?.contains("sim:unimag") == true)
        }
    }

    /// The sound of IPS's readers on a real card is not known.
    @Test func readersWithUnknownSoundAreNotOpened() async throws {
        let environment = try LinuxDevices().swipeEnvironment(LinkName(.alsa, "null"), memory: .none)
        for type in [AudioJackReaderType.ips, .ipsEnterprise, .none] {
            do throws(LinkError) {
                _ = try await environment.open(type)
                Issue.record("it was opened")
            } catch {
                #expect(error.code == .unsupported)
            }
        }
        // ALSA's null plug-in: silence, faster than it sounds.
        let report = try await environment.search(for: [.ips, .unimag]) { false }
        #expect(report.found == nil)
        guard case .notTried? = report.attempts.first(where: { $0.family == "ips" })?.outcome else {
            Issue.record("\(report)")
            return
        }
        await environment.close()
    }

    @Test func iDynamoReadersAreConnectedAgain() async throws {
        let clock = LeapingClock(most: .seconds(1))
        let environment = try LinuxDevices().swipeEnvironment(
            LinkName(.sim, "none"), iDynamo: LinkName(.sim, "magtek"), clock: clock)
        var readers = environment.iDynamos().makeAsyncIterator()
        for _ in 0..<2 {
            let session = try #require(await readers.next())
            await session.close()
        }
        let without = try LinuxDevices().swipeEnvironment(LinkName(.sim, "none"))
        for await _ in without.iDynamos() { Issue.record("none is named") }
    }

    // MARK: memory

    @Test func theStoredReaderIsTriedFirst() async throws {
        let (folder, jack) = (SwipeFolder(), ScriptedJack())
        let types: [AudioJackReaderType] = [.ips, .unimag]
        jack.found.with { $0 = "unimag" }
        let first = Self.environment(jack, folder.memory())
        _ = try await first.search(for: types) { true }
        // The search waits for the stored family.
        await first.close()
        // It is kept where nothing is found.
        jack.found.with { $0 = nil }
        _ = try await Self.environment(jack, folder.memory()).search(for: types) { true }
        await #expect(throws: LinkError.self) {
            _ = try await Self.environment(jack, folder.memory()).search(for: types) { false }
        }
        _ = try await Self.environment(jack, folder.memory("another card")).search(for: types) { true }
        _ = try await Self.environment(jack).search(for: types) { true }
        _ = try await Self.environment(jack, folder.memory()).search(for: [.ips]) { true }
        let (usual, known) = (["ips", "unimag"], ["unimag", "ips"])
        #expect(jack.orders.with { $0 } == [usual, known, known, usual, usual, ["ips"]])
        #expect(folder.memory()?.family() == "unimag")
    }

    // MARK: the jack

    @Test func noSearchStartsWithoutAMicrophone() async throws {
        let card = ScriptedDevice(11, [(.jack(1, "Mic Jack"), false), (.jack(2, "Headphone Jack"), true)])
        let attachment = JackAttachment(.automatic) { () throws(LinkError) in
            guard let source = try? ElementJacks(card) else { return nil }
            return JackMonitor(link: "hw:0", sources: [source], waiting: ScriptedWaiting())
        }
        let jack = ScriptedJack()
        let report = try await Self.environment(jack, nil, attachment).search(for: [.ips, .unimag]) { true }
        #expect(report.found == nil)
        #expect(report.attempts.map(\.family) == ["ips", "unimag"])
        let reasons = report.attempts.map { if case .notTried(let reason) = $0.outcome { reason } else { "" } }
        #expect(reasons.allSatisfy { $0.contains("plugged") })
        #expect(jack.orders.with { $0 }.isEmpty)
    }

    @Test func aSearchEndsWithTheEnvironment() async throws {
        let jack = ScriptedJack()
        let environment = Self.environment(jack)
        let isAsked = Shared(false)
        async let search: Void = {
            await #expect(throws: LinkError.self) {
                _ = try await environment.search(for: [.unimag]) {
                    isAsked.with { $0 = true }
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    return false
                }
            }
        }()
        try await isAsked.until { $0 }
        await environment.close()
        await search
    }

    @Test func aLinkThatIsBeingOpenedIsClosedAtTheEnd() async throws {
        let jack = ScriptedJack()
        jack.mayOpen.with { $0 = false }
        let environment = Self.environment(jack)
        let isOver = Shared(false)
        async let opening: Void = {
            await #expect(throws: LinkError.self) { _ = try await environment.open(.unimag) }
        }()
        try await jack.isOpening.until { $0 }
        async let closing: Void = {
            await environment.close()
            isOver.with { $0 = true }
        }()
        // Until it has begun to close.
        while (try? await environment.search(for: [.unimag]) { true }) != nil { await Task.yield() }
        #expect(!isOver.with { $0 })
        jack.mayOpen.with { $0 = true }
        _ = await (opening, closing)
        try await jack.isClosed.until { $0 }
    }

    @Test func aConversationThatIsOverIsNotKept() async throws {
        let environment = Self.environment(ScriptedJack())
        weak var session: ReaderSession?
        do {
            let opened = try await environment.open(.unimag)
            session = opened
            await opened.close()
        }
        // The task that has opened it may let go of it a moment later.
        while session != nil { await Task.yield() }
        await environment.close()
    }
}
