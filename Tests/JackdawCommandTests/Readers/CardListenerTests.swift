import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `jackdaw listen` with readers of known families.
@Suite struct CardListenerTests: ListeningSuite {
    private typealias Status = jackdaw_cli.ExitStatus

    private static let link = "tcp:192.0.2.7:4000"
    private static let visa = SimulatedCard.deck[0]

    @Test func eachEventIsALine() async throws {
        let environment = try environment([([Presentation(Self.visa)], [])])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--swipes", "1"], by: environment)
        #expect(run.status == .done)
        #expect(
            run.lines == [
                "\(Self.link): connected: miura, serial number M0000001, firmware JACKDAW-SIMULATED 1.00, "
                    + "firmware JACKDAW-OS 1.00, battery 80 %", "\(Self.link): ready",
                "\(Self.link): waiting for a card", "\(Self.link): swipe: miura 411111******1111",
                "  card     411111******1111, visa, ****/****, expires 12/28, service code 101, source reader, "
                    + "time 2026-01-31T09:05:00.250Z",
                "  track 1  %B411111******1111^****/****^2812101*************?",
                "  track 2  ;411111******1111=2812101*************?",
            ])
        #expect(run.messages.contains("jackdaw: \(Self.link): connected\n"))
    }

    @Test func eachEventIsAnObject() async throws {
        let environment = try environment([([Presentation(Self.visa)], [])])
        let run = try await run(["--link", "sim:miura", "--json", "--swipes", "1"], by: environment)
        let objects = try run.lines.map(jsonObject)
        #expect(
            objects.map { $0["event"] as? String } == ["identified", "ready", "waiting_for_card", "swipe"])
        #expect(objects.allSatisfy { $0["link"] as? String == "sim:miura" })
        let facts = try #require(objects[0]["facts"] as? [[String: Any]])
        #expect(facts.map { $0["fact"] as? String } == ["serial_number", "firmware", "firmware", "battery"])
        #expect(facts.last?["percent"] as? Int == 80)
        #expect(objects[3]["pan"] as? String == "411111******1111")
        #expect(objects[3]["parts"] as? [String] == ["frame", "track 1", "track 2"])
        #expect(objects[3]["brand"] as? String == "visa")
        #expect(objects[3]["name"] as? String == "****/****")
        #expect(objects[3]["expiry"] as? String == "2812")
        #expect(objects[3]["service_code"] as? String == "101")
        #expect(objects[3]["source"] as? String == "reader")
        #expect((objects[3]["tracks"] as? [[String: Any]])?.map { $0["track"] as? Int } == [1, 2])
    }

    @Test(arguments: [false, true]) func tracksAreShownOnlyWithReveal(isJSON: Bool) async throws {
        let options = ["--link", "sim:miura", "--swipes", "1"] + (isJSON ? ["--json"] : [])
        for isRevealed in [false, true] {
            let environment = try environment([([Presentation(Self.visa)], [])])
            let run = try await run(options + (isRevealed ? ["--reveal"] : []), by: environment)
            let output = run.lines.joined(separator: "\n")
            for track in Self.visa.tracks where !track.isEmpty { #expect(output.contains(track) == isRevealed) }
            // The frame also contains the tracks, and is printed as hexadecimal digits.
            #expect(output.contains("3b34313131313131") == isRevealed)
            #expect(!run.messages.contains("4111111111111111"))
        }
    }

    /// A faulty reader sends a track as its firmware version.
    @Test(arguments: [false, true]) func aTrackInTheFirmwareVersionIsNotShown(isJSON: Bool) async throws {
        var device = SimulatedDevice()
        device.firmware = "%B4111111111111111^DOE/JANE^30052010000000000000?"
        var environment = try environment([])
        environment.connect = { [device] link, _, _ throws(LinkError) in
            SimulatorHost.open(link, clock: LeapingClock(most: .seconds(10))) {
                SimulatedReader(MiuraModel(), device: device, deck: [Presentation(Self.visa)])
            }
        }
        let arguments = ["--link", Self.link, "--reader", "miura", "--swipes", "1"] + (isJSON ? ["--json"] : [])
        let run = try await run(arguments, by: environment)
        let output = run.lines.joined(separator: "\n") + run.messages
        #expect(output.contains("49 characters"))
        for secret in ["4111111111111111", "DOE", "3005201"] { #expect(!output.contains(secret)) }
    }

    /// Readers of plain bytes report nothing else.
    @Test(arguments: [false, true]) func bytesAreShownOnlyWithReveal(isJSON: Bool) throws {
        let bytes: [UInt8] = [0x41, 0x0A]
        let event = ReaderEvent.reported(.bytes(ReaderBytes(copying: bytes.span)))
        for isRevealed in [false, true] {
            let report = ReaderEventReport(
                link: LinkName(.sim, "hijack"), event: event, time: .zero, isRevealed: isRevealed)
            let text = isJSON ? report.json.text : report.lines.joined(separator: "\n")
            #expect(text.contains("410a") == isRevealed)
        }
    }

    /// Without a family the recorded requests are not sent again, and the playback could not go on.
    @Test func theTranscriptOfAConversationWantsAFamily() async throws {
        let folder = try TemporaryFolder()
        let header = TranscriptHeader(link: Self.link, isMasked: true).line
        let path = try folder.write("\(header)\n0.000000 > 02\n".utf8, to: "session.txt")
        let run = try await run(["--link", "replay:\(path)"], by: try environment([]))
        #expect(run.status == .usage)
        #expect(run.messages.contains("--reader"))
    }

    /// After a loss the reader is connected again and waits for the next card.
    @Test func aReaderThatIsLostIsConnectedAgain() async throws {
        // Messages 0 to 2 answer two requests for the identity and the wait for a card, message 3 is the swipe. The
        // link is lost in message 4.
        let lost = PlannedFault(.disconnect, 4..<5)
        let environment = try environment([([Presentation(Self.visa)], [lost]), ([Presentation(Self.visa)], [])])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--json", "--swipes", "2"], by: environment)
        #expect(run.status == .done)
        let events = try run.lines.map { try jsonObject($0)["event"] as? String }
        #expect(events.count { $0 == "lost" } == 1)
        #expect(events.count { $0 == "identified" } == 2)
        #expect(events.count { $0 == "swipe" } == 2)
    }

    /// The reader is also connected again if it was lost before it identified itself.
    @Test func aReaderThatIsLostAtOnceIsConnectedAgain() async throws {
        let environment = try environment([([], [PlannedFault(.disconnect, 0..<1)]), ([Presentation(Self.visa)], [])])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--swipes", "1"], by: environment)
        #expect(run.status == .done)
        #expect(run.lines.contains { $0.contains("swipe: miura 411111******1111") })
    }

    /// An error that does not pass by itself ends the command, even after a swipe.
    @Test func aReaderThatMayNotBeConnectedAgainEndsIt() async throws {
        let environment = try environment([([Presentation(Self.visa)], [PlannedFault(.disconnect, 4..<5)])])
        let run = try await run(["--link", Self.link, "--reader", "miura"], by: environment)
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("may not"))
    }

    /// With the wrong family, or a reader that is off, the command does not wait for ever.
    @Test(arguments: ["sim:miura", link]) func aReaderThatDoesNotAnswerEndsIt(link: String) async throws {
        let clock = LeapingClock(most: .seconds(10))
        let environment = try environment([([], [PlannedFault(.noAnswer)])], clock: clock)
        let run = try await run(["--link", link, "--reader", "miura"], by: environment)
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("the reader does not answer"))
    }

    @Test func aDisconnectionBeforeTheFirstSwipeIsUnavailable() async throws {
        let environment = try environment([([], [PlannedFault(.disconnect, 2..<3)])])
        let run = try await run(["--link", "sim:miura"], by: environment)
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("the reader has ended the link"))
    }

    @Test func aLinkThatCannotBeOpenedIsUnavailable() async throws {
        let run = try await run(["--link", "sim:miura"], by: try environment([]))
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("may not"))
    }

    /// The playback of a wait for a card, with or without a swipe, ends after its last entry.
    @Test(arguments: [false, true]) func aTranscriptIsReadToItsEnd(hasSwipe: Bool) async throws {
        let text = Shared("")
        var recorded = try environment([(hasSwipe ? [Presentation(Self.visa)] : [], [])])
        let connect = recorded.connect
        recorded.connect = { link, profile, route throws(LinkError) in
            let transport = try await connect(link, profile, route)
            return try RecordingTransport(transport, secrecy: .revealed, clock: ManualClock()) { line in
                text.with { $0 += line }
            }
        }
        // Three answers, two of them to requests for the identity, precede the swipe, if there is one.
        let answers: @Sendable () -> Int = { text.with { $0.split(separator: "\n").count { $0.contains(" < ") } } }
        recorded.isInterrupted = { answers() >= 3 && !hasSwipe }
        let first = try await run(["--link", "sim:miura", "--swipes", "1"], by: recorded)
        #expect(first.status == (hasSwipe ? .done : .interrupted))

        var played = recorded
        played.isInterrupted = { false }
        played.connect = { link, _, _ throws(LinkError) in
            var reader = TranscriptReader()
            // The requests that the interrupt caused are not sent again.
            let lines = text.with { $0.split(separator: "\n").filter { !$0.contains("closed") } }
            let end = hasSwipe ? lines.count : lines.lastIndex { $0.contains(" > ") } ?? lines.count
            let bytes = Array((lines[..<end].joined(separator: "\n") + "\n").utf8)
            guard let entries = try? reader.receive(bytes.span) + reader.finish(), let header = reader.header else {
                throw LinkError(.unsupported, link: link.description, "no transcript")
            }
            return ReplayTransport(Transcript(header: header, entries: entries), link: link, clock: nil)
        }
        let second = try await run(["--link", "replay:session.txt", "--reader", "miura"], by: played)
        #expect(second.status == (hasSwipe ? .done : .nothingFound), "\(second.lines) \(second.messages)")
        #expect(second.lines.contains("replay:session.txt: swipe: miura 411111******1111") == hasSwipe)
        // The end of a transcript is no loss of the link.
        #expect(!second.lines.contains("replay:session.txt: lost"))
    }

    /// A transcript of a family's reader is masked inside its frames. Played back, it gives the same lines, except for
    /// the fields that it leaves out: the expiry and the service code, whose digits it replaces by zeros. A month 00 is
    /// no expiry.
    @Test(arguments: ["miura", "neo"]) func aTranscriptIsMaskedAndPlayedBack(family: String) async throws {
        let text = Shared("")
        var recorded = try environment([([Presentation(Self.visa)], [])], family: family)
        recorded.record = { [connect = recorded.connect] link, profile, route, secrecy throws(LinkError) in
            let transport = try await connect(link, profile, route)
            return try RecordingTransport(transport, secrecy: secrecy, clock: ManualClock()) { line in
                text.with { $0 += line }
            }
        }
        let first = try await run(["--link", "record:session.txt,sim:\(family)", "--swipes", "1"], by: recorded)
        #expect(first.status == .done, "\(first.messages)")
        let kept = text.with { $0 }
        #expect(kept.hasPrefix("jackdaw-transcript 1 masked "))
        #expect(!kept.replacing(" ", with: "").contains("34313131313131313131"))

        var played = recorded
        played.connect = { link, _, _ throws(LinkError) in
            let bytes = Array(kept.utf8)
            guard let transcript = try? Transcript(parsing: bytes.span) else {
                throw LinkError(.unsupported, link: link.description, "no transcript")
            }
            return ReplayTransport(transcript, link: link, clock: nil)
        }
        let second = try await run(
            ["--link", "replay:session.txt", "--reader", family, "--swipes", "1"], by: played)
        #expect(second.status == .done, "\(second.messages)")
        let (original, playedBack) = (Self.withoutLinks(first.lines), Self.withoutLinks(second.lines))
        #expect(
            original.suffix(4) == [
                "swipe: \(family) 411111******1111",
                "  card     411111******1111, visa, ****/****, expires 12/28, service code 101, source reader, "
                    + "time 2026-01-31T09:05:00.250Z",
                "  track 1  %B411111******1111^****/****^2812101*************?",
                "  track 2  ;411111******1111=2812101*************?",
            ])
        let leftOut = original.map { line in
            line.replacing("expires 12/28, service code 101", with: "service code 000")
                .replacing("2812101", with: "0000000")
        }
        #expect(playedBack == leftOut)
    }

    /// The lines without the name of the link at the beginning of each event.
    private static func withoutLinks(_ lines: [String]) -> [String] {
        lines.map { line in
            guard !line.hasPrefix("  "), let end = line.firstRange(of: ": ")?.upperBound else { return line }
            return String(line[end...])
        }
    }

    /// Each object has the time of day, which stands still here.
    @Test func eachEventHasItsTime() async throws {
        let environment = try environment([([Presentation(Self.visa)], [])])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--json", "--once"], by: environment)
        #expect(run.status == .done)
        #expect(run.lines.count > 4)
        #expect(run.lines.allSatisfy { $0.hasSuffix(#","time":"2026-01-31T09:05:00.250Z"}"#) }, "\(run.lines)")
    }

    /// The time passes while the reader waits for its first card, or for the one after it.
    @Test(arguments: ["sim:miura", link], [false, true])
    func theTimeoutEndsItWithASwipeOrWithout(link: String, hasSwipe: Bool) async throws {
        // The driver's last requests take time, too.
        let clock = LeapingClock(most: .seconds(1))
        let (sent, printed) = (Shared(""), Shared(""))
        var environment = try environment([(hasSwipe ? [Presentation(Self.visa)] : [], [])], clock: clock)
        let connect = environment.connect
        environment.connect = { link, profile, route throws(LinkError) in
            let transport = try await connect(link, profile, route)
            return try RecordingTransport(transport, secrecy: .revealed, clock: ManualClock()) { line in
                sent.with { $0 += line }
            }
        }
        // The requests for the identity, and those of the wait for a card.
        let dialect = try #require(ReaderFamily.named("miura")).makeDialect()
        let requests = try dialect.identification.count + dialect.arming(for: .seconds(20)).count
        let passing = Task {
            if hasSwipe {
                try await printed.until { $0.contains("swipe: ") }
            } else {
                try await sent.until { $0.split(separator: "\n").count { $0.contains(" > ") } >= requests }
            }
            while !Task.isCancelled {
                clock.advance(by: .seconds(90))
                await Task.yield()
            }
        }
        let run = try await run(
            ["--link", link, "--reader", "miura", "--timeout", "90"], by: environment, printed: printed)
        passing.cancel()
        #expect(run.status == (hasSwipe ? .done : .nothingFound))
        #expect(run.lines.count { $0.contains("swipe: ") } == (hasSwipe ? 1 : 0))
        #expect(run.messages.contains("no swipe within 90.0 s") != hasSwipe)
    }

    /// The output with a device that sends the blocks, the last one first, and then ends the link.
    private func flood(_ blocks: [[UInt8]], _ options: [String] = []) async throws -> [String] {
        var environment = try environment([])
        environment.connect = { link, _, _ throws(LinkError) in Flood(link: link, blocks: Shared(blocks)) }
        return try await run(["--link", "sim:miura"] + options, by: environment).lines
    }

    private struct Flood: Transport {
        let link: LinkName
        let blocks: Shared<[[UInt8]]>

        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
            guard let block = blocks.with({ $0.popLast() }) else { return false }
            take(block.span)
            return true
        }

        func send(_ bytes: [UInt8]) async throws(LinkError) {}
        func endSending() async throws(LinkError) {}
        func close() async {}
    }

    /// The frame reports an inserted card, before the reader has identified itself.
    @Test(arguments: [[], ["--json"]]) func aFrameThatComesAgainAndAgainIsCounted(options: [String]) async throws {
        let frame: [UInt8] = [0x01, 0x40, 0x08, 0xE1, 0x04, 0x48, 0x02, 0x03, 0x00, 0x90, 0x00]
        let whole = frame + [frame.reduce(0, ^)]
        let block = (0..<100).flatMap { _ in whole }
        let lines = try await flood([[UInt8]](repeating: block, count: 50), options)
        #expect(lines.count == 3, "\(lines)")
        #expect(lines[0].contains("dropped"))
        #expect(lines[1].contains("4999"))
    }

    @Test func bytesOfAnotherProtocolAreReportedWithTheFirstOfThem() async throws {
        let block = [UInt8](repeating: 0xEE, count: 4_096)
        let lines = try await flood([block, block, block], ["--json"])
        let foreign = try lines.map(jsonObject).filter { $0["first"] != nil }
        #expect(foreign.count == 1)
        #expect(foreign.first?["event"] as? String == "dropped")
        #expect(foreign.first?["family"] as? String == "miura")
        #expect(foreign.first?["first"] as? String == (0..<32).map { _ in "EE" }.joined(separator: " "))
        let card = Array("4111111111111111=29121010000000000000".utf8)
        // The device sends the last block first.
        let text = try await flood([[UInt8](repeating: 0xEE, count: 4_096), card])
        #expect(text.contains { $0.contains("miura readers; first bytes ** **") })
        #expect(!text.joined().contains("34 31"))
    }

    /// The link is not opened again, because the transcript would start again from the beginning.
    @Test(arguments: [["--reader", "miura"], []]) func aTranscriptThatIsFullEndsIt(options: [String]) async throws {
        let tries = Shared(0)
        for link in ["record:session.txt,sim:miura", "record:session.txt,\(Self.link)"] {
            var environment = try environment([])
            let open: @Sendable (LinkName) -> any Transport = { link in
                tries.with { $0 += 1 }
                let (near, _) = MemoryTransport.pair(link: link)
                near.lose(LinkError(.full, link: link.description, "the transcript is full"))
                return near
            }
            environment.connect = { link, _, _ throws(LinkError) in open(link) }
            environment.record = { link, _, _, _ throws(LinkError) in open(link) }
            let run = try await run(["--link", link] + options, by: environment)
            #expect(run.status == .inputOutput, "\(run)")
            #expect(run.messages.contains("the transcript is full"))
        }
        #expect(tries.with { $0 } == 2)
    }

    /// The driver cancels the wait for a card before it closes the link.
    @Test(arguments: ["sim:miura", link]) func anInterruptDisarmsTheReader(link: String) async throws {
        let sent = Shared<[UInt8]>([])
        var environment = try environment([([], [])])
        let connect = environment.connect
        environment.connect = { link, profile, route throws(LinkError) in
            let transport = try await connect(link, profile, route)
            return try RecordingTransport(transport, secrecy: .revealed, clock: ManualClock()) { line in
                sent.with { $0 += line.utf8 }
            }
        }
        let text: @Sendable () -> String = { String(decoding: sent.with { $0 }, as: UTF8.self) }
        // Two requests for the identity and the wait have three answers.
        environment.isInterrupted = { text().split(separator: "\n").count { $0.contains(" < ") } == 3 }
        let run = try await run(["--link", link, "--reader", "miura"], by: environment)
        #expect(run.status == .interrupted)
        // Card status reports without their lowest flag: switched off.
        let commands = text().split(separator: "\n").filter { $0.contains(" > ") }
        #expect(commands.last?.contains("d0 60 00") == true, "\(commands)")
    }

    @Test(arguments: [
        ["--link", "alsa:default", "--reader", "miura"], ["--link", "tcp:h:1", "--swipes", "-1"],
        ["--link", "sim:miura", "--swipes", "0"], ["--link", "tcp:h:1", "--reader", "nosuch"],
        ["--link", "tcp:h:1", "--reader", "unimag"], ["--link", "wav:a.wav", "--reader", "ips"],
        ["--link", "alsa:null", "--reader", "ips", "--rate", "48000"],
    ])
    func invalidOptionsAreUsageErrors(arguments: [String]) {
        #expect(CommandRun(["listen"] + arguments).status == Status.usage.rawValue)
    }

    /// These readers use the audio jack or a serial line; the kind of the link selects it.
    @Test(arguments: ["ips", "ipsenterprise"], ["alsa:null", "tcp:127.0.0.1:9", "pty:/dev/ttyACM0"])
    func aReaderMayBeOnAJackOrASerialLine(family: String, link: String) {
        #expect(throws: Never.self) {
            _ = try JackdawCommand.parseAsRoot(["listen", "--link", link, "--reader", family])
        }
    }

    /// A profile must supply signals at the jack that are not published.
    @Test(arguments: ["ips", "ipsenterprise"]) func anUnpublishedSoundNamesTheMissingValue(family: String) {
        let run = CommandRun("listen", "--link", "alsa:null", "--reader", family)
        #expect(run.status == Status.unavailable.rawValue)
        #expect(run.messages.contains("sound.lineMode"), "\(run.messages)")
    }
}
