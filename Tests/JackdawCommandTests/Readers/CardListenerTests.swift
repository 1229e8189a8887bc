import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// What `jackdaw listen` does with readers of known families.
@Suite struct CardListenerTests {
    private typealias Status = jackdaw_cli.ExitStatus

    private static let link = "tcp:192.0.2.7:4000"
    private static let visa = SimulatedCard.deck[0]

    /// Runs `listen` with a system's links.
    private func run(
        _ arguments: [String], by system: BluetoothSystem
    ) async throws -> (status: Status, lines: [String], messages: String) {
        try await onOwnThread {
            let recorder = ConsoleRecorder()
            let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + arguments) as? Listen)
            var status: Status
            do throws(CommandError) {
                status = try verb.run(on: recorder.console, system)
            } catch {
                status = error.status
                recorder.console.message(error.message)
            }
            recorder.console.flush()
            return (status, recorder.output.split(separator: "\n").map(String.init), recorder.messages)
        }
    }

    /// A system at whose links simulated readers are, one after the other; the session's time stands still.
    /// - Parameter readers: the cards and the faults of each.
    private func system(
        _ readers: [(deck: [Presentation], faults: [PlannedFault])], family: String = "miura",
        clock: any Clock<Duration> = ManualClock()
    ) throws -> BluetoothSystem {
        let family = try #require(SimulatedFamily.named(family))
        let attempts = Shared(0)
        var system = BluetoothSystem()
        system.clock = clock
        system.keep = { connect in KeptLink(backOff: BackOff(first: .nanoseconds(1)), connect: connect) }
        system.isInterrupted = { false }
        system.connect = { link, _, _ throws(LinkError) in
            let number = attempts.with { attempts in
                defer { attempts += 1 }
                return attempts
            }
            guard number < readers.count else {
                throw LinkError(.notPermitted, link: link.description, "may not")
            }
            return SimulatorHost.open(link, clock: LeapingClock(most: .seconds(10))) {
                SimulatedReader(family.makeModel(), deck: readers[number].deck, faults: readers[number].faults)
            }
        }
        return system
    }

    @Test func eachEventIsALine() async throws {
        let system = try system([([Presentation(Self.visa)], [])])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--swipes", "1"], by: system)
        #expect(run.status == .done)
        #expect(
            run.lines == [
                "\(Self.link): connected: miura, firmware JACKDAW-SIMULATED 1.00, battery 80 %", "\(Self.link): ready",
                "\(Self.link): waiting for a card", "\(Self.link): swipe: miura 411111******1111",
            ])
        #expect(run.messages.contains("jackdaw: \(Self.link): connected\n"))
    }

    @Test func eachEventIsAnObject() async throws {
        let system = try system([([Presentation(Self.visa)], [])])
        let run = try await run(["--link", "sim:miura", "--json", "--swipes", "1"], by: system)
        let objects = try run.lines.map(jsonObject)
        #expect(
            objects.map { $0["event"] as? String } == ["identified", "ready", "waiting_for_card", "swipe"])
        #expect(objects.allSatisfy { $0["link"] as? String == "sim:miura" })
        let facts = try #require(objects[0]["facts"] as? [[String: Any]])
        #expect(facts.map { $0["fact"] as? String } == ["firmware", "battery"])
        #expect(facts.last?["percent"] as? Int == 80)
        #expect(objects[3]["pan"] as? String == "411111******1111")
        #expect(objects[3]["parts"] as? [String] == ["frame", "track 1", "track 2"])
    }

    @Test(arguments: [false, true]) func whatACardHoldsIsShownWhereThatIsAskedFor(isJSON: Bool) async throws {
        let options = ["--link", "sim:miura", "--swipes", "1"] + (isJSON ? ["--json"] : [])
        for isRevealed in [false, true] {
            let system = try system([([Presentation(Self.visa)], [])])
            let run = try await run(options + (isRevealed ? ["--reveal"] : []), by: system)
            let output = run.lines.joined(separator: "\n")
            for track in Self.visa.tracks where !track.isEmpty { #expect(output.contains(track) == isRevealed) }
            // The frame, in which the tracks are once more, is not text.
            #expect(output.contains("3b34313131313131") == isRevealed)
            #expect(!run.messages.contains("4111111111111111"))
        }
    }

    /// A reader that is lost is connected again, and has cards read again; what is over for good ends it.
    @Test func aReaderThatIsLostIsConnectedAgain() async throws {
        let lost = PlannedFault(.disconnect, 3..<4)
        let system = try system([
            ([Presentation(Self.visa)], []), ([Presentation(Self.visa)], [lost]), ([Presentation(Self.visa)], []),
        ])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--json", "--swipes", "2"], by: {
            var system = system
            let connect = system.connect
            let attempts = Shared(0)
            system.connect = { link, profile, route throws(LinkError) in
                let isFirst = attempts.with { attempts in
                    attempts += 1
                    return attempts == 1
                }
                let transport = try await connect(link, profile, route)
                // The first one goes as soon as it has answered once.
                guard isFirst else { return transport }
                await transport.close()
                return transport
            }
            return system
        }())
        #expect(run.status == .unavailable)
        let events = try run.lines.map { try jsonObject($0)["event"] as? String }
        #expect(events.count { $0 == "lost" } >= 1)
    }

    /// Someone who has the wrong family, or a reader that is off, is not kept waiting for ever.
    @Test(arguments: ["sim:miura", link]) func aReaderThatDoesNotAnswerEndsIt(link: String) async throws {
        let clock = LeapingClock(most: .seconds(10))
        let system = try system([([], [PlannedFault(.noAnswer)])], clock: clock)
        let run = try await run(["--link", link, "--reader", "miura"], by: system)
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("the reader does not answer"))
    }

    @Test func aReaderThatGoesWithNothingReadIsUnavailable() async throws {
        let system = try system([([], [PlannedFault(.disconnect, 2..<3)])])
        let run = try await run(["--link", "sim:miura"], by: system)
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("the reader has ended the link"))
    }

    @Test func aLinkThatCannotBeOpenedIsUnavailable() async throws {
        let run = try await run(["--link", "sim:miura"], by: try system([]))
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("may not"))
    }

    /// What was recorded is read again from its transcript, and what has no swipe gives none.
    @Test(arguments: [(["visa"], Status.done), ([], .nothingFound)])
    func aTranscriptIsReadToItsEnd(cards: [String], expected: Status) async throws {
        let text = Shared("")
        var recording = try system([(cards.compactMap(SimulatedCard.named).map { Presentation($0) }, [])])
        let connect = recording.connect
        recording.connect = { link, profile, route throws(LinkError) in
            let transport = try await connect(link, profile, route)
            return try RecordingTransport(transport, secrecy: .revealed, clock: ManualClock()) { line in
                text.with { $0 += line }
            }
        }
        let isInterrupted = Shared(false)
        if cards.isEmpty {
            recording.isInterrupted = { [text] in text.with { $0.split(separator: "\n").count(where: { $0.contains("<") }) > 2 } }
        }
        let first = try await run(["--link", "sim:miura"] + (cards.isEmpty ? [] : ["--swipes", "1"]), by: recording)
        #expect(first.status == (cards.isEmpty ? .interrupted : .done))
        _ = isInterrupted

        var replaying = recording
        replaying.isInterrupted = { false }
        replaying.connect = { link, _, _ throws(LinkError) in
            var reader = TranscriptReader()
            let lines = Array(text.with { $0 }.utf8)
            guard let entries = try? reader.receive(lines.span) + reader.finish(), let header = reader.header else {
                throw LinkError(.unsupported, link: link.description, "no transcript")
            }
            return ReplayTransport(Transcript(header: header, entries: entries), link: link, clock: nil)
        }
        let second = try await run(["--link", "replay:session.txt", "--reader", "miura"], by: replaying)
        #expect(second.status == expected, "\(second.lines) \(second.messages)")
        #expect(second.lines.contains("replay:session.txt: swipe: miura 411111******1111") == !cards.isEmpty)
    }

    /// A reader that waits for a card is told to wait no more before its link is closed.
    @Test func anInterruptDisarmsTheReader() async throws {
        let sent = Shared<[UInt8]>([])
        var system = try system([([], [])])
        let connect = system.connect
        system.connect = { link, profile, route throws(LinkError) in
            let transport = try await connect(link, profile, route)
            return try RecordingTransport(transport, secrecy: .revealed, clock: ManualClock()) { line in
                sent.with { $0 += line.utf8 }
            }
        }
        let text: @Sendable () -> String = { String(decoding: sent.with { $0 }, as: UTF8.self) }
        // Who it is, twice, and the wait: three answers.
        system.isInterrupted = { text().split(separator: "\n").count { $0.contains(" < ") } == 3 }
        let run = try await run(["--link", "sim:miura"], by: system)
        #expect(run.status == .interrupted)
        // Card status without its lowest flag: no card is of interest.
        let commands = text().split(separator: "\n").filter { $0.contains(" > ") }
        #expect(commands.last?.contains("D0 60 00") == true, "\(commands)")
    }

    @Test(arguments: [
        ["--link", "alsa:default", "--reader", "miura"], ["--link", "tcp:h:1", "--swipes", "1"],
        ["--link", "sim:miura", "--swipes", "0"], ["--link", "tcp:h:1", "--reader", "nosuch"],
    ])
    func whatMakesNoSenseIsUsage(arguments: [String]) {
        #expect(CommandRun(["listen"] + arguments).status == Status.usage.rawValue)
    }
}
