import JackdawTestSupport
import Testing

@testable import JackdawTransport

@Suite("Keeping a transcript and playing it back")
struct RecordingTests {
    private let lines = Shared<[String]>([])
    private let clock = ManualClock()
    private static let link = LinkName(.pty, "/dev/pts/3")

    private func record(_ transport: any Transport, _ secrecy: TranscriptSecrecy) throws -> RecordingTransport {
        try RecordingTransport(transport, secrecy: secrecy, clock: clock) { [lines] line in
            lines.with { $0.append(line) }
        }
    }

    private func transcript(_ text: String, isMasked: Bool = false) throws -> Transcript {
        let header = TranscriptHeader(link: "a:b", isMasked: isMasked).line
        return try Transcript(parsing: Array("\(header)\n\(text)".utf8).span)
    }

    @Test("what is kept plays back the same")
    func bothWays() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        #expect(recorded.link == Self.link)
        try await recorded.send([1, 2, 3])
        clock.advance(by: .microseconds(1_500))
        try await far.send(Array("4111".utf8))
        #expect(try await recorded.received() == Array("4111".utf8))
        clock.advance(by: .seconds(2))
        try await far.send([5])
        #expect(try await recorded.received() == [5])
        try await recorded.endSending()
        await far.close()
        for _ in 0..<2 { #expect(try await recorded.received() == nil) }
        await recorded.close()
        let text = lines.with { $0.joined() }
        #expect(
            text == """
                jackdaw-transcript 1 revealed pty:/dev/pts/3
                0.000000 > 01 02 03
                0.001500 < 34 31 31 31
                2.001500 < 05
                2.001500 done
                2.001500 end
                2.001500 closed

                """)
        let transcript = try Transcript(parsing: Array(text.utf8).span)
        let replay = ReplayTransport(transcript, link: Self.link, clock: nil)
        try await replay.send([1])
        try await replay.send([2, 3])
        #expect(try await replay.received() == Array("4111".utf8))
        #expect(try await replay.received() == [5])
        for _ in 0..<2 { #expect(try await replay.received() == nil) }
    }

    /// So that its mask is known.
    @Test func theTranscriptOfAReplayNamesTheRecordedLink() throws {
        let replay = ReplayTransport(try transcript("0.000000 > 01\n"), link: LinkName(.replay, "a"), clock: nil)
        #expect(replay.deviceName == "a:b")
        #expect(MemoryTransport.pair(link: Self.link).0.deviceName == Self.link.description)
        #expect(try record(replay, .revealed).link == LinkName(.replay, "a"))
        #expect(lines.with { $0 } == ["jackdaw-transcript 1 revealed a:b\n"])
    }

    @Test("a card of a recorded link can be reset")
    func cardIsReset() async throws {
        let (near, far) = MemoryTransport.pair(link: LinkName(.pcsc, "0"))
        let recorded = try record(LinkToCard(transport: near), .revealed)
        #expect(await recorded.answerToReset() == [0x3B, 0x00])
        #expect(try await recorded.resetCard() == [0x3B, 0x01, 0x00])
        await far.close()
        let other = try record(near, .revealed)
        #expect(await other.answerToReset() == [])
        let error = await #expect(throws: LinkError.self) { try await other.resetCard() }
        #expect(error?.code == .unsupported)
    }

    @Test("a link that the program closes was not lost")
    func closing() async throws {
        let (near, _) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        let receiving = Task { try await recorded.received() }
        await recorded.close()
        _ = await receiving.result
        #expect(!lines.with { $0.joined() }.contains("lost"))
    }

    @Test("a card that was swiped is not in it unless that was asked for")
    func masked() async throws {
        let swipe: [UInt8] = [0x02] + Array(";4111111111111111=29121010000?".utf8) + [0x03]
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .usual)
        try await far.send(swipe)
        #expect(try await recorded.received() == swipe)
        let text = lines.with { $0.joined() }
        #expect(text.hasPrefix("jackdaw-transcript 1 masked pty:/dev/pts/3\n0.000000 < **"))
        let entries = try Transcript(parsing: Array(text.utf8).span).entries
        guard case .received(let bytes)? = entries.first?.event else {
            Issue.record("nothing was kept")
            return
        }
        #expect(bytes.count == swipe.count)
        #expect(bytes.compactMap { $0 }.allSatisfy { !(0x30...0x39).contains($0) })
        let replay = ReplayTransport(
            Transcript(header: .init(link: "", isMasked: true), entries: entries), link: Self.link)
        #expect(try await replay.received()?.count == swipe.count)
    }

    /// Masks one byte too few.
    private struct CarelessMask: TranscriptMask {
        mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] { Array(bytes.dropLast()) }
    }

    @Test("a mask that loses count shows nothing")
    func careless() async throws {
        let recorded = try record(MemoryTransport.pair(link: Self.link).0, .masked(CarelessMask()))
        try await recorded.send([0xe1, 0xe2])
        #expect(lines.with { $0.last } == "0.000000 > ** **\n")
    }

    /// Waits for the end of a message that does not come.
    private struct WaitingMask: TranscriptMask {
        private var held: [Bool: [UInt8?]] = [:]

        mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] { bytes.map { $0 } }

        mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
            held[isSent, default: []] += bytes.map { $0 }
            return []
        }

        mutating func finish(isSent: Bool) -> [UInt8?] { held.removeValue(forKey: isSent) ?? [] }
    }

    @Test("what waits for the end of a message does not grow without end")
    func waiting() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .masked(WaitingMask()))
        let most = TranscriptRecorder.mostWaiting
        for number in 1...3 * most {
            let byte = UInt8(truncatingIfNeeded: number)
            if number % 2 == 0 {
                try await recorded.send([byte])
                _ = try await far.received()
            } else {
                try await far.send([byte])
                #expect(try await recorded.received() == [byte])
            }
            #expect(number - (lines.with { $0.count } - 1) <= most)
        }
        await recorded.close()
        let bytes = try transcript(lines.with { $0.dropFirst().joined() }, isMasked: true).entries.compactMap {
            switch $0.event {
            case .sent(let bytes), .received(let bytes): bytes
            default: nil
            }
        }
        #expect(bytes == (1...3 * most).map { [UInt8(truncatingIfNeeded: $0)] })
    }

    @Test(
        "a transcript that is full ends with an error, and is read to its end",
        arguments: [(3_000, 1_000_000), (1 << 26, 40)], [false, true])
    func full(_ most: (Int, Int), isMasked: Bool) async throws {
        let room = (bytes: most.0, entries: most.1)
        let (near, far) = MemoryTransport.pair(link: Self.link, room: 100_000)
        let recorded = try RecordingTransport(
            near, secrecy: isMasked ? .masked(WaitingMask()) : .revealed, clock: clock,
            room: TranscriptRoom(bytes: room.bytes, entries: room.entries)
        ) { [lines] line in lines.with { $0.append(line) } }
        var failure: LinkError?
        while failure == nil {
            try await far.send([0xe1, 0xe2, 0xe3])
            failure = await linkError { _ = try await recorded.received() }
        }
        #expect(failure?.code == .full)
        // Again and again.
        #expect(await linkError { try await recorded.send([1]) }?.code == .full)
        await recorded.close()
        let text = lines.with { $0.joined() }
        #expect(text.utf8.count <= room.bytes)
        let entries = try Transcript(parsing: Array(text.utf8).span).entries
        #expect(entries.count <= room.entries)
        #expect(entries.last?.event == .closed)
        let isNearlyFull = text.utf8.count > room.bytes - 400 || entries.count > room.entries - 4
        #expect(isNearlyFull || isMasked)
    }

    @Test("a transcript has room for no more than its reader reads")
    func room() {
        let longest = String(repeating: "*", count: TranscriptReader.longestLine)
        var (room, bytes) = (TranscriptRoom(), 0)
        while room.take(longest, isEnd: false) { bytes += longest.utf8.count }
        while room.take("end", isEnd: true), bytes <= TranscriptReader.mostBytes { bytes += 3 }
        #expect(bytes <= TranscriptReader.mostBytes)
        var entries = 0
        room = TranscriptRoom()
        while room.take("", isEnd: true), entries <= TranscriptReader.mostEntries { entries += 1 }
        #expect(entries == TranscriptReader.mostEntries)
    }

    @Test("many bytes are kept in lines that can be read again")
    func manyBytes() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link, room: 100_000)
        let recorded = try record(near, .revealed)
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
        try await far.send(bytes)
        #expect(try await recorded.received() == bytes)
        let text = lines.with { $0.joined() }
        let replay = ReplayTransport(try Transcript(parsing: Array(text.utf8).span), link: Self.link, clock: nil)
        var again: [UInt8] = []
        while let more = try await replay.received() { again += more }
        #expect(again == bytes)
    }

    @Test("what came is kept before it is handed over, so that no answer stands before it")
    func order() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        try await far.send([7])
        var seen: [String] = []
        #expect(try await recorded.receive { _ in seen = lines.with { $0 } })
        #expect(seen.last == "0.000000 < 07\n")
    }

    @Test("a loss and what was not sent are kept")
    func loss() async throws {
        let (near, _) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        near.lose(LinkError(.outOfRange, link: "a", "gone"))
        #expect(await linkError { try await recorded.send([1, 2]) }?.code == .outOfRange)
        for _ in 0..<2 { #expect(await linkError { _ = try await recorded.received() }?.code == .outOfRange) }
        let text = lines.with { $0.joined() }
        #expect(text.hasSuffix("0.000000 > 01 02\n0.000000 unsent 2 outOfRange\n0.000000 lost outOfRange\n"))
        let replay = ReplayTransport(try Transcript(parsing: Array(text.utf8).span), link: Self.link, clock: nil)
        let error = await linkError { try await replay.send([1, 2]) }
        #expect(error?.code == .outOfRange)
        #expect(error?.undelivered == 2)
        for _ in 0..<2 { #expect(await linkError { _ = try await replay.received() }?.code == .outOfRange) }
        #expect(await linkError { try await replay.send([1]) }?.undelivered == 1)
    }

    @Test("what cannot be kept fails what was to be kept")
    func sinkFails() async throws {
        let isFull = Shared(false)
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try RecordingTransport(near, clock: clock) { _ throws(LinkError) in
            if isFull.with({ $0 }) { throw LinkError(.system, link: "a", "full") }
        }
        isFull.with { $0 = true }
        let error = await linkError { try await recorded.send([1, 2]) }
        #expect(error?.message == "full")
        #expect(error?.undelivered == 2)
        #expect(near.unread == 0)
        try await far.send([1])
        #expect(await linkError { _ = try await recorded.received() }?.message == "full")
        await recorded.close()
        #expect(!near.isOpen)
    }

    @Test("the link's own error is reported if it cannot be recorded")
    func sinkFailsAtALoss() async throws {
        let (near, _) = MemoryTransport.pair(link: Self.link)
        let recorded = try RecordingTransport(near, secrecy: .revealed, clock: clock) { line throws(LinkError) in
            if line.contains("unsent") || line.contains("lost") { throw LinkError(.system, link: "a", "full") }
        }
        near.lose(LinkError(.outOfRange, link: "a", "gone"))
        let error = await linkError { try await recorded.send([1, 2]) }
        #expect(error?.code == .outOfRange)
        #expect(error?.undelivered == 2)
        #expect(await linkError { _ = try await recorded.received() }?.code == .outOfRange)
    }

    @Test("a link that is closed twice is kept as closed once, and its sink is let go")
    func closedTwice() async throws {
        let recorded = try record(MemoryTransport.pair(link: Self.link).0, .revealed)
        for _ in 0..<2 { await recorded.close() }
        #expect(lines.with { $0.dropFirst() } == ["0.000000 closed\n"])
        // The same while the link itself is still held.
        var held: Held? = Held()
        weak let seen = held
        let holding = try RecordingTransport(
            MemoryTransport.pair(link: Self.link).0, clock: clock
        ) { [held] _ in withExtendedLifetime(held) {} }
        held = nil
        #expect(seen != nil)
        await holding.close()
        #expect(seen == nil)
        #expect(holding.link == Self.link)
    }

    /// What a sink holds, such as a file.
    private final class Held: Sendable {}

    @Test("nothing is left of a wait that is over")
    func bells() async throws {
        let times = (1...5).map { "\($0).000000 < 0\($0)" }.joined(separator: "\n")
        let state = ReplayState(try transcript(times), "a:b", ElapsedClock(clock))
        for value in 1...5 as ClosedRange<UInt8> {
            let receiving = Task { try await state.receive() }
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            #expect(try await receiving.value == [value])
            #expect(await state.waitingCount == 0)
        }
    }

    @Test("a receiver that is given up is not kept as a loss")
    func cancelled() async throws {
        let (near, _) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        let task = Task { try await recorded.received() }
        task.cancel()
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
        #expect(lines.with { $0.count } == 1)
    }

    @Test("answers come at their times, and behind what they answer")
    func times() async throws {
        let transcript = try transcript("1.000000 < 01\n2.000000 > 02\n3.000000 < 03\n4.000000 end")
        let replay = ReplayTransport(transcript, link: Self.link, clock: clock)
        let first = Task { try await replay.received() }
        await clock.sleepers(1)
        #expect(clock.nextDeadline?.offset == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await first.value == [1])
        let second = Task { try await replay.received() }
        clock.advance(by: .seconds(10))
        // The time of the answer is over, and the question was not asked.
        for _ in 0..<100 { await Task.yield() }
        try await replay.send([2])
        #expect(try await second.value == [3])
        #expect(try await replay.received() == nil)
    }

    /// Plays a transcript to a program that sends its first byte, and the second one never.
    private func play(_ text: String, late: Duration = .zero) async throws -> (end: Duration, failure: LinkError?) {
        let replay = ReplayTransport(try transcript(text), link: Self.link, clock: clock)
        clock.advance(by: late)
        try await replay.send([1])
        let receiving = Task { while try await replay.received() != nil {} }
        // The first answer, unless its time is over, then the wait.
        while true {
            await clock.sleepers(1)
            guard let next = clock.nextDeadline?.offset, next > clock.now.offset else { continue }
            clock.advance(by: next - clock.now.offset)
            guard next >= .seconds(4) else { continue }
            return (next, await linkError { try await receiving.value })
        }
    }

    @Test("a farewell is not sent again, and the link ends as the transcript does")
    func farewell() async throws {
        let talk = "0.000000 > 01\n1.000000 < 02\n"
        let answered = try await play(talk + "5.000000 > 03\n5.010000 < 04\n5.020000 closed")
        #expect(answered.end == .milliseconds(8_020))
        #expect(answered.failure == nil)
    }

    @Test("a farewell without an answer ends at once")
    func unansweredFarewell() async throws {
        let played = try await play("0.000000 > 01\n1.000000 < 02\n5.000000 > 03\n5.020000 closed")
        #expect(played.end == .milliseconds(5_020))
        #expect(played.failure == nil)
    }

    @Test("a transcript that is cut short ends where it stops")
    func cutShort() async throws {
        let played = try await play("0.000000 > 01\n1.000000 < 02\n5.000000 > 03")
        #expect(played.end == .seconds(5))
        #expect(played.failure == nil)
    }

    @Test("a link that was lost after bytes that are never sent again is lost again")
    func lostAfterUnsent() async throws {
        let played = try await play("0.000000 > 01\n1.000000 < 02\n5.000000 > 03\n6.000000 lost outOfRange")
        #expect(played.end == .seconds(16))
        #expect(played.failure?.code == .outOfRange)
    }

    @Test("bytes that are never sent again in the middle fail the link after the transcript's end", arguments: [0, 7])
    func neverSent(late: Int) async throws {
        let played = try await play(
            "0.000000 > 01\n1.000000 < 02\n2.000000 > 03\n3.000000 < 04\n60.000000 closed", late: .seconds(late))
        // Who was late with the first byte has as much longer for the second.
        #expect(played.end == .seconds(70 + max(0, late - 1)))
        #expect(played.failure?.code == .badAnswer)
        #expect(played.failure?.message.contains("entry 3, byte 0") == true)
    }

    @Test("nothing is kept later than can be played back")
    func tooLate() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        clock.advance(by: TranscriptReader.latestTime)
        try await recorded.send([1])
        clock.advance(by: .microseconds(1))
        let error = await linkError { try await recorded.send([2]) }
        #expect(error?.code == .full)
        #expect(error?.remedy != nil)
        try await far.send([3])
        #expect(await linkError { _ = try await recorded.received() }?.code == .full)
        await recorded.close()
        // It can be played back, and ends in order.
        let entries = try transcript(lines.with { $0.dropFirst().joined() }).entries
        #expect(entries.map(\.event) == [.sent([1]), .closed])
        #expect(entries.last?.time == TranscriptReader.latestTime)
    }

    @Test("a transcript that was made with times beyond any still ends")
    func timesBeyondAny() async throws {
        let entries = [TranscriptEntry(time: .seconds(Int64.max), event: .received([1]))]
        let replay = ReplayTransport(
            Transcript(header: .init(link: "a:b", isMasked: false), entries: entries), link: Self.link, clock: clock)
        let receiving = Task { try await replay.received() }
        await clock.sleepers(1)
        #expect(clock.nextDeadline?.offset == TranscriptReader.latestTime)
        clock.advance(by: TranscriptReader.latestTime)
        #expect(try await receiving.value == [1])
        #expect(try await replay.received() == nil)
    }

    @Test("other bytes than the recorded ones are reported with their place, and end both directions")
    func mismatch() async throws {
        let transcript = try transcript("0.000000 > 01\n0.000000 > 02 03 41\n0.000000 < 05")
        let replay = ReplayTransport(transcript, link: Self.link, clock: nil)
        let receiving = Task { try await replay.received() }
        try await replay.send([1, 2])
        let error = await linkError { try await replay.send([3, 0x39, 9]) }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("entry 2, byte 2") == true)
        #expect(error?.undelivered == 2)
        #expect(error?.description.contains("39") == false)
        #expect(error?.description.contains("41") == false)
        #expect(await linkError { _ = try await receiving.value }?.code == .badAnswer)
    }

    @Test("more bytes than the recorded ones are reported")
    func tooMuch() async throws {
        let replay = ReplayTransport(try transcript("0.000000 > 01\n0.000000 < 05"), link: Self.link, clock: nil)
        let error = await linkError { try await replay.send([1, 2]) }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("entry 3, byte 0") == true)
    }

    @Test("a masked byte is any that is sent, and an asterisk that is received")
    func maskedBytes() async throws {
        let transcript = try transcript("0.000000 > 01 ** 03\n0.000000 < ** 05", isMasked: true)
        let replay = ReplayTransport(transcript, link: Self.link, clock: nil)
        try await replay.send([1, 77, 3])
        #expect(try await replay.received() == [0x2a, 5])
        // A transcript that only stops ends in order.
        #expect(try await replay.received() == nil)
    }

    @Test("a waiting call gets the error that it was closed or cancelled", arguments: [false, true])
    func ends(isClosed: Bool) async throws {
        let replay = ReplayTransport(try transcript("5.000000 < 01"), link: Self.link, clock: clock)
        let receiving = Task { try await replay.received() }
        await clock.sleepers(1)
        if isClosed { await replay.close() } else { receiving.cancel() }
        #expect(await linkError { _ = try await receiving.value }?.code == (isClosed ? .disconnected : .cancelled))
        if isClosed {
            #expect(await linkError { try await replay.send([1]) }?.undelivered == 1)
            await replay.close()
        } else {
            clock.advance(by: .seconds(5))
            #expect(try await replay.received() == [1])
        }
    }
}

/// A link to a card that is reset at once.
private struct LinkToCard: Transport, CardResetting {
    let transport: MemoryTransport

    var link: LinkName { transport.link }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await transport.receive(take) }
    func send(_ bytes: [UInt8]) async throws(LinkError) { try await transport.send(bytes) }
    func endSending() async throws(LinkError) { try await transport.endSending() }
    func close() async { await transport.close() }
    func answerToReset() async -> [UInt8] { [0x3B, 0x00] }
    func resetCard() async throws(LinkError) -> [UInt8] { [0x3B, 0x01, 0x00] }
}
