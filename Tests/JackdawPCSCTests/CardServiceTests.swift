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

    // MARK: readers that come and go

    @Test func aReaderThatDisappearsDuringTheListingIsNoError() async throws {
        let passing: [String: [PCSCFailure]] = [
            "readerNames": [.insufficientBuffer, .insufficientBuffer], "waitForChange": [.unknownReader],
        ]
        let calls = try ScriptedCalls(["A"], passing: passing)
        #expect(try await CardService(calls: calls).readers().map(\.name) == ["A"])
    }

    @Test(arguments: [
        ("readerNames", PCSCFailure.insufficientBuffer, LinkError.Code.system),
        ("waitForChange", .unknownReader, .notFound), ("waitForChange", .readerUnavailable, .notFound),
    ])
    func readersThatChangeWithoutEndAreAnError(call: String, failure: PCSCFailure, code: LinkError.Code) async throws {
        let calls = try ScriptedCalls(["A"], failures: [call: failure])
        let listed = await #expect(throws: LinkError.self) { try await CardService(calls: calls).readers() }
        #expect(listed?.code == code)
        let watched = await #expect(throws: LinkError.self) {
            for try await _ in CardService(calls: calls).readerChanges() {}
        }
        #expect(watched?.code == code)
        if call == "waitForChange" { #expect(calls.state.with { $0.waits } == 20) }
    }

    @Test func aCancelledTaskListsNoReaders() async throws {
        let calls = try ScriptedCalls(["A"])
        let listing = Task {
            try? await calls.state.until { _ in false }
            return try await CardService(calls: calls).readers()
        }
        listing.cancel()
        let error = await #expect(throws: LinkError.self) { try await listing.value }
        #expect(error?.code == .cancelled)
    }

    private func watch(
        _ service: CardService
    ) -> (lists: Shared<[[CardReader.State]]>, task: Task<Void, any Error>) {
        let lists = Shared<[[CardReader.State]]>([])
        let task = Task {
            for try await readers in service.readerChanges() { lists.with { $0.append(readers.map(\.state)) } }
        }
        return (lists, task)
    }

    /// The state of a reader that starts has no bit, and pcscd takes it for one that the program does not know.
    @Test func aReaderThatStartsIsReportedOnce() async throws {
        let calls = try ScriptedCalls(["A"])
        calls.change { $0[0].state = 0 }
        let (lists, task) = watch(CardService(calls: calls))
        try await calls.state.until { $0.waits >= 2 }
        calls.change { $0[0].state = ReaderStatus.present | 1 << 16 }
        try await lists.until { $0.last == [.present] }
        #expect(lists.with { $0 } == [[.empty], [.present]])
        task.cancel()
        _ = await task.result
    }

    @Test func aChangeThatIsNoneIsNotReportedAndCausesNoBusyLoop() async throws {
        let calls = try ScriptedCalls(["A"])
        calls.state.with { $0.isRestless = true }
        var limits = CallLimits()
        // The second wait returns at once; the third one would begin after the pause.
        limits.pause = -1
        let (lists, task) = watch(CardService(calls: calls, limits: limits))
        try await calls.state.until { $0.waits == 2 }
        task.cancel()
        try await task.value
        #expect(lists.with { $0 } == [[.empty]])
        #expect(calls.state.with { $0.waits } == 2)
        #expect(calls.state.with { $0.calls.last } == "release")
    }

    @Test func aWaitWhoseTimeIsOverReportsNothing() async throws {
        let calls = try ScriptedCalls(["A"])
        let (lists, task) = watch(CardService(calls: calls))
        try await calls.state.until { $0.waits == 2 }
        calls.passTime()
        try await calls.state.until { $0.waits > 3 }
        task.cancel()
        _ = await task.result
        #expect(lists.with { $0 } == [[.empty]])
    }

    @Test func aThreadThatCannotBeCreatedIsAnError() async throws {
        let calls = try ScriptedCalls(["A"])
        let service = CardService(calls: calls, threads: .without("jackdaw-readers"))
        let error = await #expect(throws: LinkError.self) { try await service.readers() }
        #expect(error?.code == .system)
        #expect(calls.state.with { $0.calls }.isEmpty)
    }

    @Test func withoutAThreadForTheCancellationTheWaitEndsAtItsTime() async throws {
        let calls = try ScriptedCalls(["A"])
        let (lists, task) = watch(CardService(calls: calls, threads: .without("jackdaw-cancel")))
        try await calls.state.until { $0.waits == 2 }
        task.cancel()
        calls.passTime()
        try await task.value
        #expect(lists.with { $0 } == [[.empty]])
        #expect(!calls.state.with { $0.calls.contains("cancel") })
    }

    // MARK: changes

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
