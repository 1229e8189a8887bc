import JackdawTestSupport
import Testing

@testable import JackdawTransport

@Suite("Recording a transcript")
struct RecordingTests {
    private let lines = Shared<[String]>([])
    private let clock = ManualClock()
    private static let link = LinkName(.pty, "/dev/pts/3")

    private func record(_ transport: any Transport, _ secrecy: TranscriptSecrecy) throws -> RecordingTransport {
        try RecordingTransport(transport, secrecy: secrecy, clock: clock) { [lines] line in
            lines.with { $0.append(line) }
        }
    }

    @Test("a recorded conversation is played back the same")
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
        let replay = ReplayTransport(try readTranscript("0.000000 > 01\n"), link: LinkName(.replay, "a"), clock: nil)
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

    @Test("a swiped card is masked by default")
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

    @Test("everything is masked if a mask returns too few bytes")
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

    @Test("bytes that wait for the end of a message are bounded")
    func waiting() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .masked(WaitingMask()))
        let most = TranscriptRecorder.maxWaiting
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
        let bytes = try readTranscript(lines.with { $0.dropFirst().joined() }, isMasked: true).entries.compactMap {
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
        while room.take("end", isEnd: true), bytes <= TranscriptReader.maxBytes { bytes += 3 }
        #expect(bytes <= TranscriptReader.maxBytes)
        var entries = 0
        room = TranscriptRoom()
        while room.take("", isEnd: true), entries <= TranscriptReader.maxEntries { entries += 1 }
        #expect(entries == TranscriptReader.maxEntries)
    }

    @Test("many bytes are recorded in lines that can be read again")
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

    @Test("received bytes are recorded before the program receives them")
    func order() async throws {
        let (near, far) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        try await far.send([7])
        var seen: [String] = []
        #expect(try await recorded.receive { _ in seen = lines.with { $0 } })
        #expect(seen.last == "0.000000 < 07\n")
    }

    @Test("a loss and the undelivered bytes are recorded")
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

    @Test("an error of the sink fails the call")
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

    @Test("a link that is closed twice is recorded as closed once, and releases its sink")
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

    @Test("a cancelled receiver is not recorded as a loss")
    func cancelled() async throws {
        let (near, _) = MemoryTransport.pair(link: Self.link)
        let recorded = try record(near, .revealed)
        let task = Task { try await recorded.received() }
        task.cancel()
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
        #expect(lines.with { $0.count } == 1)
    }

    @Test("no entry is later than the last time that is played back")
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
        let entries = try readTranscript(lines.with { $0.dropFirst().joined() }).entries
        #expect(entries.map(\.event) == [.sent([1]), .closed])
        #expect(entries.last?.time == TranscriptReader.latestTime)
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
