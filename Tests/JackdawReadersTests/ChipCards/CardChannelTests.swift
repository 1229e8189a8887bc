import JackdawEMV
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawReaders

/// Commands to cards over scripted links, without a reader.
@Suite struct CardChannelTests {
    private static let command = CardCommand.getChallenge

    /// The exchanges of ISO/IEC 7816-4 section 5.3.4: 61xx and 6Cxx.
    @Test func dataOfT0IsAskedForAndLengthsAreCorrected() async throws {
        let link = ScriptedCardLink { _, command in
            switch (command[1], command.last) {
            case (0x84, 0x00): .answer(hex("6C 03"))
            case (0x84, _): .answer(hex("61 03"))
            default: .answer(hex("01 02 03 90 00"))
            }
        }
        let channel = CardChannel(link)
        let response = try await channel.transmit(Self.command)
        #expect(response == CardResponse(data: [1, 2, 3], status: .success))
        #expect(link.commands == [hex("0084000000"), hex("0084000003"), hex("00C0000003")])
    }

    @Test func aSilentCardEndsTheChannelAtTheLimit() async throws {
        let clock = ManualClock()
        let link = ScriptedCardLink { _, _ in .silence }
        let channel = CardChannel(link, limit: .seconds(5), clock: clock)
        let waiting = Task { try await channel.transmit(Self.command) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        for result in [await waiting.result, await Task { try await channel.transmit(Self.command) }.result] {
            let error = #expect(throws: LinkError.self) { try result.get() }
            #expect(error?.code == .timedOut)
        }
        #expect(link.commands.count == 1)
    }

    @Test func aCancelledTaskEndsTheChannel() async throws {
        let clock = ManualClock()
        let channel = CardChannel(ScriptedCardLink { _, _ in .silence }, clock: clock)
        let waiting = Task { try await channel.transmit(Self.command) }
        await clock.sleepers(1)
        let busy = await #expect(throws: LinkError.self) { try await channel.transmit(Self.command) }
        #expect(busy?.code == .busy)
        waiting.cancel()
        let error = await #expect(throws: LinkError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        let later = await #expect(throws: LinkError.self) { try await channel.transmit(Self.command) }
        #expect(later?.code == .cancelled)
    }

    @Test func aShortAnswerIsBad() async throws {
        let channel = CardChannel(ScriptedCardLink { _, _ in .answer([0x90]) })
        let error = await #expect(throws: LinkError.self) { try await channel.transmit(Self.command) }
        #expect(error?.code == .badAnswer)
    }

    @Test func aRemovedCardIsDisconnected() async throws {
        let channel = CardChannel(ScriptedCardLink { _, _ in .removal })
        let error = await #expect(throws: LinkError.self) { try await channel.transmit(Self.command) }
        #expect(error?.code == .disconnected)
    }
}
