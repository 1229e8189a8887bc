import JackdawTestSupport
import Testing

@testable import JackdawTransport

/// A transcript of these lines, after its header.
func readTranscript(_ text: String, isMasked: Bool = false) throws -> Transcript {
    let header = TranscriptHeader(link: "a:b", isMasked: isMasked).line
    return try Transcript(parsing: Array("\(header)\n\(text)".utf8).span)
}

@Suite("Playing back a transcript")
struct ReplayTests {
    private let clock = ManualClock()
    private static let link = LinkName(.pty, "/dev/pts/3")

    @Test("a wait that is over leaves no waiting entry")
    func bells() async throws {
        let times = (1...5).map { "\($0).000000 < 0\($0)" }.joined(separator: "\n")
        let state = ReplayState(try readTranscript(times), "a:b", ElapsedClock(clock))
        for value in 1...5 as ClosedRange<UInt8> {
            let receiving = Task { try await state.receive() }
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            #expect(try await receiving.value == [value])
            #expect(await state.waitingCount == 0)
        }
    }

    @Test("answers come at their times, and after their requests")
    func times() async throws {
        let transcript = try readTranscript("1.000000 < 01\n2.000000 > 02\n3.000000 < 03\n4.000000 end")
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
        let replay = ReplayTransport(try readTranscript(text), link: Self.link, clock: clock)
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

    @Test("a transcript with times out of range still ends")
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
        let transcript = try readTranscript("0.000000 > 01\n0.000000 > 02 03 41\n0.000000 < 05")
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
        let replay = ReplayTransport(try readTranscript("0.000000 > 01\n0.000000 < 05"), link: Self.link, clock: nil)
        let error = await linkError { try await replay.send([1, 2]) }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("entry 3, byte 0") == true)
    }

    @Test("a masked byte is any that is sent, and an asterisk that is received")
    func maskedBytes() async throws {
        let transcript = try readTranscript("0.000000 > 01 ** 03\n0.000000 < ** 05", isMasked: true)
        let replay = ReplayTransport(transcript, link: Self.link, clock: nil)
        try await replay.send([1, 77, 3])
        #expect(try await replay.received() == [0x2a, 5])
        // A transcript that only stops ends in order.
        #expect(try await replay.received() == nil)
    }

    @Test("a waiting call gets the error that it was closed or cancelled", arguments: [false, true])
    func ends(isClosed: Bool) async throws {
        let replay = ReplayTransport(try readTranscript("5.000000 < 01"), link: Self.link, clock: clock)
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
