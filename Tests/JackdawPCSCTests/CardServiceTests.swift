import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawPCSC

/// The list of readers and its changes over scripted calls, without pcscd.
@Suite struct CardServiceTests {
    @Test(
        arguments: [
            (0x0010, CardReader.State.empty), (0x0020, .present), (0x0122, .shared), (0x01A2, .exclusive),
            (0x0220, .mute), (0x0008, .unavailable), (0x0004, .unavailable), (0x0003_0010, .empty),
        ] as [(UInt32, CardReader.State)])
    func aReaderHasTheStateOfItsBits(bits: UInt32, state: CardReader.State) {
        #expect(CardReader(number: 0, ReaderStatus(name: "reader", state: bits)).state == state)
    }

    @Test func readersAreListedInTheirOrder() async throws {
        let calls = try ScriptedCalls(["B", "A"])
        calls.change { $0[1] = ReaderStatus(name: "A", state: ReaderStatus.present, answerToReset: hex("3B 00")) }
        let readers = try await CardService(calls: calls).readers()
        #expect(
            readers == [
                CardReader(number: 0, name: "B", state: .empty),
                CardReader(number: 1, name: "A", state: .present, answerToReset: hex("3B 00")),
            ])
        #expect(readers.map(\.link.description) == ["pcsc:B", "pcsc:A"])
        #expect(try await CardService(calls: try ScriptedCalls([])).readers() == [])
    }

    @Test func anAbsentServiceIsMissing() async throws {
        let calls = try ScriptedCalls([], failures: ["establish": .noService])
        let error = await #expect(throws: LinkError.self) { try await CardService(calls: calls).readers() }
        #expect(error?.code == .serviceMissing)
        await #expect(throws: LinkError.self) { for try await _ in CardService(calls: calls).readerChanges() {} }
    }

    @Test func changesAreReportedUntilTheStreamEnds() async throws {
        let calls = try ScriptedCalls(["A"])
        let steps: [(expected: [CardReader.State], next: @Sendable (inout [ReaderStatus]) -> Void)] = [
            ([.empty], { $0[0].state = ReaderStatus.present | 1 << 16 }),
            ([.present], { $0.append(ReaderStatus(name: "B", state: ReaderStatus.empty)) }),
            ([.present, .empty], { $0.removeFirst() }),
        ]
        var step = 0
        for try await readers in CardService(calls: calls).readerChanges() {
            if step == steps.count, readers.map(\.name) == ["B"] { break }
            guard step < steps.count, readers.map(\.state) == steps[step].expected else { continue }
            step += 1
            calls.change(steps[step - 1].next)
        }
        // Nothing runs between two lists.
        #expect(calls.state.with { $0.calls.count { $0 == "establish" } == $0.calls.count { $0 == "release" } })
    }

    @Test func aChangeBetweenTwoListsIsReportedAtOnce() async throws {
        let calls = try ScriptedCalls(["A"])
        var lists = CardService(calls: calls).readerChanges().makeAsyncIterator()
        #expect(try await lists.next()?.map(\.state) == [.empty])
        calls.change { $0[0].state = ReaderStatus.present | 1 << 16 }
        #expect(try await lists.next()?.map(\.state) == [.present])
        // Another card: only the counter differs.
        calls.change { $0[0].state = ReaderStatus.present | 3 << 16 }
        #expect(try await lists.next()?.map(\.state) == [.present])
    }

    @Test func aCancelledTaskEndsTheWait() async throws {
        let calls = try ScriptedCalls(["A"])
        let watching = Task {
            var count = 0
            for try await _ in CardService(calls: calls).readerChanges() { count += 1 }
            return count
        }
        // The first wait returns at once, the second has begun.
        try await calls.state.until { $0.waits == 2 }
        watching.cancel()
        #expect(try await watching.value == 1)
        // The first cancellation had no effect, so there was a second one.
        #expect(calls.state.with { $0.calls.suffix(3) } == ["cancel", "cancel", "release"])
    }
}
