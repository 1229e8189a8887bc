import ArgumentParser
import Foundation
import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `jackdaw listen --key-file`: swipes are decrypted as they are received.
@Suite struct ListenDecryptionTests {
    private static let link = "tcp:192.0.2.7:4000"
    private static let testKey = Array("0123456789ABCDEF FEDCBA9876543210\n".utf8)
    private static let liveKey = Array("A1B2C3D4E5F60718293A4B5C6D7E8F90".utf8)

    /// Listens to a simulated NEO reader that encrypts with the test key, and reads the card on request.
    private func run(
        _ arguments: [String], key: [UInt8] = testKey, card: String = "visa",
        clock: any Clock<Duration> = ManualClock(), sent: Shared<Int> = Shared(0)
    ) async throws -> (output: String, messages: String, status: Int32) {
        let folder = try TemporaryFolder()
        let path = try folder.write(key, to: "key")
        var environment = CommandEnvironment()
        environment.clock = clock
        environment.isInterrupted = { false }
        environment.keep = { persistence, connect in
            KeptLink(persistence, backOff: BackOff(first: .nanoseconds(1)), connect: connect)
        }
        environment.connect = { link, _, _ throws(LinkError) in
            let transport = SimulatorHost.open(link, clock: LeapingClock(most: .seconds(10))) {
                let key = SecretBytes(copying: hex(PublishedSwipes.key).span)
                let encryptor = try? SwipeEncryptor(testKey: key, scheme: .idTech)
                let deck = SimulatedCard.named(card).map { [Presentation($0)] } ?? []
                return SimulatedReader(NEOModel(cipher: encryptor), deck: deck)
            }
            return try RecordingTransport(transport, secrecy: .revealed, clock: ManualClock()) { line in
                if line.contains(" > ") { sent.with { $0 += 1 } }
            }
        }
        return try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            let line = ["listen", "--key-file", path] + arguments
            let verb = try #require(try JackdawCommand.parseAsRoot(line) as? Listen)
            var (status, failure) = (jackdaw_cli.ExitStatus.done, "")
            do throws(CommandError) {
                status = try verb.run(on: recorder.console, in: environment)
            } catch {
                (status, failure) = (error.status, error.message)
            }
            recorder.console.flush()
            return (recorder.output, recorder.messages + failure, status.rawValue)
        }
    }

    /// The simulated reader is in this process, on a real clock.
    @Test(arguments: ["idtech", "ips", "neo"])
    func aSimulatedReaderEncryptsAndIsDecrypted(family: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.testKey, to: "key")
        let run = try await onOwnThread {
            CommandRun("listen", "--link", "sim:\(family)", "--swipes", "1", "--key-file", path)
        }
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output.contains(", encrypted"))
        // The report of the swipe before it may have lines of masked tracks.
        let decrypted = try #require(run.output.range(of: "sim:\(family): decrypted with a published test key"))
        #expect(run.output[decrypted.upperBound...].contains("\n  track 2  ;"))
    }

    @Test func aReadersSwipesAreDecryptedAsFrameDecryptsThem() async throws {
        let options = ["--link", Self.link, "--reader", "neo", "--test-cards", "--swipes", "1"]
        let run = try await run(options + ["--json", "--reveal"])
        #expect(run.status == 0, "\(run.messages)")
        let objects = try run.output.split(separator: "\n").map { try jsonObject(String($0)) }
        let swipe = try #require(objects.first { $0["event"] as? String == "swipe" })
        let parts = try #require(swipe["parts"] as? [[String: Any]])
        let frame = try #require(parts.first { $0["part"] as? String == "frame" }?["bytes"] as? String)
        let decrypted = try #require(objects.first { $0["event"] as? String == "decrypted" })
        #expect(decrypted["link"] as? String == Self.link)
        let tracks = try #require(decrypted["decrypted"] as? [[String: Any]])
        // The frame that the driver reports is the ID TECH swipe within the answer.
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.testKey, to: "key")
        let explained = CommandRun("frame", "--json", "--reveal", "--key-file", path, "idtech", frame)
        let expected = try explained.lines.filter { $0.hasPrefix(#"{"track""#) }.map(jsonObject)
        // A stored frame has no time.
        #expect(expected.allSatisfy { $0["time"] is NSNull })
        let withoutTime = { (track: [String: Any]) -> NSObject in
            var track = track
            track.removeValue(forKey: "time")
            return track as NSObject
        }
        #expect(tracks.map(withoutTime) == expected.map(withoutTime))
        #expect(tracks.map { $0["track"] as? Int } == [1, 2])
        #expect(tracks.last?["text"] as? String == ";4111111111111111=28121010000012345678?")
        // The card has the fields that the swipe before it could not show.
        #expect(decrypted["pan"] as? String == "4111111111111111")
        #expect(decrypted["brand"] as? String == "visa")
        #expect(decrypted["source"] as? String == "decrypted_swipe")
        let time = try #require(swipe["time"] as? String)
        #expect(decrypted["time"] as? String == time)
        #expect(tracks.allSatisfy { $0["time"] as? String == time })
        #expect(Set(decrypted.keys).isSuperset(of: ["masked", "name", "expiry", "service_code", "tracks"]))
        #expect(swipe["pan"] as? String == "4111********1111")
        #expect((swipe["tracks"] as? [[String: Any]])?.contains { $0["form"] as? String == "clear" } == false)
    }

    @Test(arguments: [false, true]) func anotherKeyDecryptsNothing(isJSON: Bool) async throws {
        let options = ["--link", Self.link, "--reader", "neo", "--swipes", "1"] + (isJSON ? ["--json"] : [])
        let run = try await run(options, key: Self.liveKey)
        #expect(run.status == 65)
        #expect(run.output.contains(isJSON ? #""event":"not_decrypted","reason":"# : ": not decrypted: "))
        #expect(!(run.output + run.messages).contains("A1B2"))
    }

    /// With a key, a swipe that was not decrypted does not count as read.
    @Test(.timeLimit(.minutes(30)), arguments: [true, false])
    func theTimeoutEndsItWithASwipeThatWasDecryptedOrNot(isDecrypted: Bool) async throws {
        let (clock, sent) = (LeapingClock(most: .seconds(1)), Shared(0))
        let passing = Task {
            // The requests: the version and two waits for a card, the second one after the swipe.
            try await sent.until { $0 >= 3 }
            while !Task.isCancelled {
                clock.advance(by: .seconds(90))
                await Task.yield()
            }
        }
        defer { passing.cancel() }
        let options =
            ["--link", Self.link, "--reader", "neo", "--timeout", "90"] + (isDecrypted ? ["--test-cards"] : [])
        let run = try await run(options, key: isDecrypted ? Self.testKey : Self.liveKey, clock: clock, sent: sent)
        #expect(run.status == (isDecrypted ? 0 : 1), "\(run)")
        #expect(run.output.contains(": swipe: neo"))
        #expect(run.messages.contains("no swipe was decrypted within 90.0 s") != isDecrypted)
    }

    /// It is masked as in an argument.
    @Test(arguments: [true, false]) func aNumberInTheLinksNameIsMasked(isDecrypted: Bool) async throws {
        let link = "tcp:reader4111111111111111.example:4000"
        let options = ["--link", link, "--reader", "neo", "--swipes", "1"] + (isDecrypted ? ["--test-cards"] : [])
        let key = isDecrypted ? Self.testKey : Self.liveKey
        let run = try await run(options, key: key)
        #expect(run.output.contains(isDecrypted ? ": decrypted" : ": not decrypted: "), "\(run)")
        #expect(!run.output.contains("4111111111111111"))
        let json = try await self.run(options + ["--json"], key: key)
        let objects = try json.output.split(separator: "\n").map { try jsonObject(String($0)) }
        #expect(objects.allSatisfy { $0["link"] as? String == link })
    }

    /// The reader encrypts payment cards only, and reads a driving licence.
    @Test func unencryptedSwipesAreReported() async throws {
        let run = try await run(
            ["--link", Self.link, "--reader", "neo", "--swipes", "1", "--json", "--test-cards"], card: "licence")
        #expect(run.status == 65)
        #expect(run.output.contains(#""event":"not_decrypted","reason":"notEncrypted""#))
    }

    @Test func aPublishedKeyIsRefusedForLiveCards() async throws {
        let run = try await run(["--link", Self.link, "--reader", "idtech"])
        #expect(run.status == 65)
        #expect(run.messages.contains("published test key") && run.messages.contains("--test-cards"))
        #expect(run.output.isEmpty)
    }

    @Test func aSimulatedReaderTakesAPublishedKeyOnly() async throws {
        let run = try await run(["--link", "sim:idtech"], key: Self.liveKey)
        #expect(run.status == 65)
        #expect(run.messages.contains("published for tests only"))
    }

    @Test(arguments: [
        ["--link", "sim:miura", "--key-file", "key"], ["--key-file", "key"], ["--link", "sim:idtech", "--test-cards"],
        ["--link", "tcp:192.0.2.7:1", "--key-file", "key"], ["--link", "sim:idtech", "--key-scheme", "pin"],
        ["--link", "tcp:192.0.2.7:1", "--reader", "idtech", "--key-file", "-", "--profile", "-"],
    ])
    func invalidOptionsAreUsageErrors(arguments: [String]) {
        #expect(CommandRun(["listen"] + arguments).status == 64)
    }

    @Test func aKeyThatIsMissingIsNoInput() {
        #expect(CommandRun("listen", "--link", "sim:idtech", "--key-file", "/nosuch/key").status == 66)
    }
}
