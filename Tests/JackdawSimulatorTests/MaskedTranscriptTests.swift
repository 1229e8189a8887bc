import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// What a masked transcript of a reader keeps, and what is played back of it.
@Suite(.timeLimit(.minutes(30)))
struct MaskedTranscriptTests {
    /// The card that is swiped everywhere; the mask may keep the first six digits of its number and the last four.
    private static let card = SimulatedCard(
        "test", track1: "%B5413330089604111^SPECIMEN/ROBERTA^28122010000000000000?",
        track2: ";5413330089604111=28122010000087654321?")

    /// Records a conversation with a simulated reader, masked by its family's mask.
    private func record(
        _ name: String, _ manners: [Presentation.Manner] = [.swiped]
    ) async throws -> (text: String, events: [String]) {
        let family = try #require(ReaderFamily.named(name))
        let model = try #require(SimulatedFamily.named(name)).makeModel()
        let dialect = try family.makeDialect(family.simulatedProfile)
        let (near, far) = MemoryLink.pair(
            link: LinkName(.sim, name), keepsPackets: family.needsPackets)
        var device = SimulatedDevice()
        device.answerDelay = .zero
        let deck = model.isAlwaysArmed ? [] : manners.map { Presentation(Self.card, $0, after: .zero) }
        let clock = ManualClock()
        let host = SimulatorHost(far, clock: clock) { SimulatedReader(model, device: device, deck: deck) }
        let running = Task { await host.run() }
        let text = Shared("")
        let mask = try family.makeMask(family.simulatedProfile)
        let recording = try RecordingTransport(near, secrecy: .masked(mask), clock: clock) { part in
            text.with { $0 += part }
        }
        let events = await TranscriptTests.converse(over: recording, dialect, clock) {
            for manner in manners where model.isAlwaysArmed { await host.present(Presentation(Self.card, manner)) }
        } end: {
            running.cancel()
        }
        await running.value
        return (text.with { $0 }, events)
    }

    /// A card that was read, and one that was not read before it.
    @Test(arguments: RehearsalTests.families, [[.swiped], [.swipedInVain, .swiped]] as [[Presentation.Manner]])
    func aMaskedTranscriptGivesTheSameEvents(name: String, manners: [Presentation.Manner]) async throws {
        let (text, events) = try await record(name, manners)
        let isUnread = manners.count > 1
        let simulated = try #require(SimulatedFamily.named(name))
        let bad = simulated.refusesUnreadCards ? "failed: the reader refuses" : "bad swipe: "
        #expect(
            events.contains { $0.hasPrefix(bad) } == (isUnread && simulated.reportsUnreadCards), "\(events)")
        // A reader may end the wait with the card that it could not read.
        #expect(isUnread || events.contains { $0.hasPrefix("swipe: \(name) 541333******4111") }, "\(events)")
        let family = try #require(ReaderFamily.named(name))
        let clock = ManualClock()
        let replay = ReplayTransport(
            try Transcript(parsing: Array(text.utf8).span), link: LinkName(.replay, "transcript"), clock: clock)
        let replayed = await TranscriptTests.converse(
            over: replay, try family.makeDialect(family.simulatedProfile), clock)
        #expect(replayed == events)
    }

    /// Nothing that is secret of the card is in the file, in any of the ways in which readers write it.
    @Test(arguments: RehearsalTests.families) func transcriptsHaveNoCardData(name: String) async throws {
        let text = try await record(name).text
        let transcript = try Transcript(parsing: Array(text.utf8).span)
        let family = try #require(ReaderFamily.named(name))
        // In one piece, without the numbers of notifications.
        let bytes = transcript.entries.flatMap { entry -> [UInt8] in
            guard case .received(let bytes) = entry.event else { return [] }
            return bytes.dropFirst(family.needsPackets ? 1 : 0).map { $0 ?? 0 }
        }
        #expect(Self.secret(in: bytes) == nil)
        #expect(text.hasPrefix("jackdaw-transcript 1 masked "))
    }

    /// A piece of what is secret of the card that is in some bytes, in any of the ways in which readers write it.
    private static func secret(in bytes: [UInt8]) -> String? {
        let written = String(decoding: bytes, as: UTF8.self)
        let coded = bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        return ["3008", "8960", "7654", "SPEC", "IMEN", "ROBE", "BERTA"].first { secret in
            // As characters, as their hexadecimal digits, and two digits a byte, where four may be there by chance.
            let digits = secret.utf8.map { String($0, radix: 16) }.joined()
            return written.contains(secret) || coded.contains(digits) || written.lowercased().contains(digits)
        } ?? ["330089", "008960", "896041", "876543", "654321"].first { coded.contains($0) }
    }

    /// A damaged swipe may still be a frame, with its fields elsewhere, or none at all.
    @Test(arguments: SimulatedFamily.all.map(\.name)) func damagedSwipesAreMasked(name: String) throws {
        let family = try #require(ReaderFamily.named(name))
        var model = try #require(SimulatedFamily.named(name)).makeModel()
        var device = SimulatedDevice()
        let swipe = model.tell(Presentation(Self.card), &device)
        for (number, message) in swipe.enumerated() {
            for place in message.indices {
                // Another digit where there is one, another sign, and none at all.
                let others: [[UInt8]] = [[message[place] ^ 0x01], [message[place] ^ 0x1C], []]
                for other in others {
                    var damaged = swipe
                    damaged[number].replaceSubrange(place...place, with: other)
                    var mask = try family.makeMask(family.simulatedProfile)
                    var kept: [UInt8?] = []
                    for message in damaged { kept += mask.maskMessages(message, isSent: false) }
                    kept += mask.finish(isSent: false)
                    #expect(kept.count == damaged.joined().count)
                    let secret = Self.secret(in: kept.map { $0 ?? 0 })
                    #expect(secret == nil, "byte \(place) of message \(number) became \(other)")
                }
            }
        }
    }

    /// Bytes outside of frames are masked as for an unknown protocol, and nothing is lost or moved.
    @Test(arguments: [1, 3, 1_000]) func bytesOutsideOfFramesAreMasked(step: Int) throws {
        let noise = Array("noise %B5413330089604111^SPECIMEN/ROBERTA^2812?".utf8)
        let frame = try #require(
            try MiuraFormat.answer([0x48, 0x02, 0x03, 0x00, 0x90, 0x00], isUnsolicited: true).first)
        let stream = noise + frame + noise
        var mask = try #require(ReaderFamily.named("miura")).makeMask()
        var kept: [UInt8?] = []
        for start in stride(from: 0, to: stream.count, by: step) {
            kept += mask.maskMessages(Array(stream[start..<min(start + step, stream.count)]), isSent: false)
        }
        kept += mask.finish(isSent: false)
        try #require(kept.count == stream.count)
        #expect(Array(kept[noise.count..<noise.count + frame.count]) == frame)
        for (index, byte) in kept.enumerated() where byte != nil { #expect(byte == stream[index]) }
        let shown = String(decoding: kept.map { $0 ?? UInt8(ascii: "*") }, as: UTF8.self)
        #expect(!shown.contains("4133300") && !shown.contains("SPECI"))
    }

    /// In a swipe that is damaged a part of the number may look like a frame that has no checks.
    @Test(arguments: [1, 7, 1_000]) func partsWithoutChecksOfDamagedFramesAreHidden(step: Int) throws {
        var frame = [UInt8](repeating: 0, count: 131)
        frame[0] = 0x60
        frame.replaceSubrange(48..<54, with: [0x42, 0x66, 0x12, 0x34, 0x56, 0x78])
        frame[130] = 0xFF
        var mask = try #require(ReaderFamily.named("ips")).makeMask()
        var kept: [UInt8?] = []
        for start in stride(from: 0, to: frame.count, by: step) {
            kept += mask.maskMessages(Array(frame[start..<min(start + step, frame.count)]), isSent: false)
        }
        kept += mask.finish(isSent: false)
        #expect(kept.count == frame.count)
        #expect(!kept[49..<54].contains { [0x12, 0x34, 0x56, 0x78].contains($0) })
    }

    /// A swipe that comes in pieces after the request that woke the reader, whether an answer to it is awaited or not.
    @Test(arguments: ["ips", "ipsenterprise"], [1, 7, 70, 1_000])
    func aSwipeInPiecesIsHiddenAfterAWakeUp(name: String, step: Int) throws {
        let family = try #require(ReaderFamily.named(name))
        let model = try #require(SimulatedFamily.named(name))
        var device = SimulatedDevice()
        for profile in name == "ips" ? family.profiles : [family.simulatedProfile] {
            for isAnswered in [false, true] {
                var reader = model.makeModel()
                let wake = try #require(try family.makeDialect(profile).identification.first?.bytes)
                let swipe = reader.tell(Presentation(Self.card), &device)
                let stream = ((isAnswered ? reader.answer(wake.span, &device) : []) + swipe).flatMap(\.self)
                var mask = try family.makeMask(profile)
                _ = mask.maskMessages(wake, isSent: true)
                var kept: [UInt8?] = []
                for start in stride(from: 0, to: stream.count, by: step) {
                    kept += mask.maskMessages(Array(stream[start..<min(start + step, stream.count)]), isSent: false)
                }
                kept += mask.finish(isSent: false)
                #expect(kept.count == stream.count)
                #expect(Self.secret(in: kept.map { $0 ?? 0 }) == nil)
                // What woke it may be answered in bytes that are not awaited; the swipe after
                // them is a frame all the same.
                let masked = kept.suffix(131).compactMap(\.self)
                #expect((try? IPSFormat().check(masked)) != nil)
            }
        }
    }

    /// Random bytes, and swipes with a few of them in between: as many are kept as came, in pieces of any size.
    @Test(arguments: SimulatedFamily.all.map(\.name)) func noByteIsLost(name: String) throws {
        let family = try #require(ReaderFamily.named(name))
        var random = SeededRandom(seed: 5)
        for _ in 0..<50 {
            var stream = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var model = try #require(SimulatedFamily.named(name)).makeModel()
            var device = SimulatedDevice()
            stream += model.tell(Presentation(Self.card), &device).joined()
            if Bool.random(using: &random) { stream.removeLast(min(stream.count, 3)) }
            var mask = try family.makeMask(family.simulatedProfile)
            var kept = 0
            var start = 0
            while start < stream.count {
                let end = min(stream.count, start + Int.random(in: 1...30, using: &random))
                kept += mask.maskMessages(Array(stream[start..<end]), isSent: false).count
                #expect(kept <= end)
                start = end
            }
            kept += mask.finish(isSent: false).count
            #expect(kept == stream.count)
        }
    }

    /// Tracks that the reader did not decode are bits.
    @Test func bitsOfATrackAreHidden() throws {
        let bits: [UInt8] = [0x56, 0x13, 0x33, 0x09, 0x84]
        let frame = try IDTechSwipeFormat.frame([0x04, 0x3F, 0, UInt8(bits.count), 0] + bits)
        var mask = try #require(ReaderFamily.named("idtech")).makeMask()
        let kept = mask.maskMessages(frame, isSent: false) + mask.finish(isSent: false)
        #expect(kept.count == frame.count)
        #expect(!kept.contains { bits.contains($0 ?? 0) })
    }

    /// A terminal's messages stay as they are, without the values that may be card data.
    @Test func cardDataOfATerminalIsHidden() throws {
        func masked(_ text: String) throws -> String {
            let frame = try JSONPOSFormat.frame(Array(text.utf8))
            var mask = try #require(ReaderFamily.named("jsonpos")).makeMask()
            let kept = mask.maskMessages(frame, isSent: false) + mask.finish(isSent: false)
            return String(decoding: kept.map { $0 ?? UInt8(ascii: "?") }.dropFirst(9).dropLast(), as: UTF8.self)
        }
        #expect(
            try masked(#"{"method":"Data","params":{"id":1,"data" : "NDExMTEx+/=="}}"#)
                == #"{"method":"Data","params":{"id":1,"data" : "AAAAAAAAAA=="}}"#)
        #expect(
            try masked(#"{"a":"4111 1111-11111111","b":"2026-11-21 14:22","c":{"data":{"code":7}}}"#)
                == #"{"a":"4111 1100-00001111","b":"2026-11-21 14:22","c":{"data":{"code":7}}}"#)
        // RFC 8259, section 7: an escape stands for the character, and stays one. Each text stands alone.
        for (text, expected) in [
            (#"{"a":"x^DOE\/JANE","b":"DOE 42"}"#, #"{"a":"X^XXX\/XXXX","b":"DOE 42"}"#),
            (#"{"a":"\u005eDOE\nJ\u0041N\u0035\"\\E7","b":7}"#, #"{"a":"\u005eXXX\nX\u0058X\u0030\"\\X0","b":7}"#),
            (#"{"a":"^M\u00fcLLER/Jü"}"#, #"{"a":"^X\u0058XXXX/XXX"}"#),
            (#"{"a":"%B4111111111111111^DOE^"}"#, #"{"a":"%B4111110000001111^XXX^"}"#),
        ] {
            let found = try masked(text)
            #expect(found == expected)
        }
    }

    /// A caret says nothing in bytes that are no text.
    @Test func keysAndSettingsWithACaretStay() throws {
        var whole = hex("06 02 51 0A 5E415A30620000000001 03")
        whole.append(whole.dropFirst().reduce(0, ^))
        var mask = try #require(ReaderFamily.named("idtech")).makeMask()
        let question = try IDTechDialect().asking(.keySerialNumber).flatMap(\.bytes)
        _ = mask.maskMessages(question, isSent: true)
        let kept = mask.maskMessages(whole, isSent: false) + mask.finish(isSent: false)
        #expect(kept.compactMap(\.self) == whole)
    }

    /// The record that MagTek prints, in notifications: what comes of the transcript is the same swipe.
    @Test func anEncryptedRecordIsHiddenInItsNotifications() throws {
        let family = try #require(ReaderFamily.named("edynamo"))
        let blocks = try MagTekBlockJoiner.blocks(of: PublishedSwipes.magTekRecord, size: 20)
        var mask = try family.makeMask()
        var kept: [[UInt8]] = []
        var hidden: [UInt8] = []
        for block in blocks { hidden += mask.maskMessages(block, isSent: false).compactMap(\.self) }
        try #require(hidden.count == blocks.joined().count)
        for block in blocks {
            kept.append(Array(hidden.prefix(block.count)))
            hidden.removeFirst(block.count)
        }
        let dialect = try #require(try family.makeDialect() as? EDynamoDialect)
        let found = kept.flatMap { dialect.understand($0.span, answering: nil) }
        guard case .swipe(let swipe)? = found.last else { return #expect(Bool(false), "no swipe") }
        #expect("\(swipe)" == "edynamo 545200******7189, encrypted (tripleDES)")
        for number in 1...3 {
            let values = swipe.withPart(.encryptedTrack(number)) { bytes in Set(bytes.indices.map { bytes[$0] }) }
            #expect(values == [0])
        }
    }

    /// The lines of readers without keys, with what fills up their blocks, in pieces of any size.
    @Test(arguments: [1, 7, 500]) func aLineInClearIsHiddenAndItsPaddingKept(step: Int) throws {
        let line = PublishedSwipes.magTekClear
        let padding = [UInt8](repeating: UInt8(ascii: "x"), count: 500 - line.count)
        let stream = line + padding + line + padding
        var mask = try #require(ReaderFamily.named("magtek")).makeMask()
        var kept: [UInt8?] = []
        for start in stride(from: 0, to: stream.count, by: step) {
            kept += mask.maskMessages(Array(stream[start..<min(start + step, stream.count)]), isSent: false)
        }
        kept += mask.finish(isSent: false)
        try #require(kept.count == stream.count && !kept.contains(nil))
        let bytes = kept.compactMap(\.self)
        #expect(Array(bytes[line.count..<500]) == padding && Array(bytes[500 + line.count..<1_000]) == padding)
        var dialect = MagTekDialect()
        for masked in [bytes[..<line.count], bytes[500..<500 + line.count]] {
            #expect(throws: Never.self) { try MagTekFormat(.answer).check(Array(masked)) }
            let found = dialect.understand(Array(masked).span, answering: nil).map { "\($0)" }.first
            #expect(found?.contains("magtek 545230******7189") == true)
            let text = String(decoding: masked, as: UTF8.self)
            #expect(!["0551227189", "HOGAN", "7250", "5163499"].contains { text.contains($0) })
        }
    }

    /// Swipes that were encrypted: their encrypted data is not kept either, as some keys are published.
    @Test(arguments: [1, 7, 1_000]) func encryptedDataIsNotKept(step: Int) throws {
        let swipes = [
            ("idtech", PublishedSwipes.original), ("idtech", PublishedSwipes.enhanced),
            ("btmag", PublishedSwipes.original), ("btmag", PublishedSwipes.enhanced),
            ("magtek", PublishedSwipes.magTek), ("ips", PublishedSwipes.ips),
        ]
        for (name, swipe) in swipes {
            let family = try #require(ReaderFamily.named(name))
            var mask = try family.makeMask()
            var kept: [UInt8?] = []
            for start in stride(from: 0, to: swipe.count, by: step) {
                // What is not whole yet is held back.
                #expect(kept.isEmpty)
                kept += mask.maskMessages(Array(swipe[start..<min(start + step, swipe.count)]), isSent: false)
            }
            try #require(kept.count == swipe.count && !kept.contains(nil), "\(name)")
            let masked = kept.compactMap(\.self)
            var dialect = try family.makeDialect()
            let meanings = [swipe, masked].map { frame in
                dialect.understand(frame.span, answering: nil).map { "\($0)" }
            }
            guard case .swipe(let was) = dialect.understand(swipe.span, answering: nil).first,
                case .swipe(let found) = dialect.understand(masked.span, answering: nil).first
            else {
                Issue.record("no swipe of \(name): \(meanings)")
                continue
            }
            #expect("\(found)" == "\(was)")
            #expect(found.parts == was.parts)
            for part in was.parts {
                let values = found.withPart(part) { bytes in Set(bytes.indices.map { bytes[$0] }) }
                switch part {
                case .encryptedTrack, .encryptedTracks, .hash, .magnePrint, .expiry:
                    #expect(values == [0], "\(part)")
                case .cardholderName: #expect(values == [UInt8(ascii: "X")])
                default: break
                }
            }
        }
    }
}
