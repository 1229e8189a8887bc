import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// Programs and readers that send without end, and do not listen.
@Suite(.timeLimit(.minutes(30)))
struct HostileProgramTests {
    /// A real reader has no setting whose number is no function of it.
    @Test func aSettingThatNoReaderHasIsNotReported() throws {
        var device = SimulatedDevice()
        device.settings = [0x1FF: [0x30], 0x4C: [0x31]]
        let answers = IDTechModel().answer(IDTechCommandFormat.review(.reviewAll).span, &device)
        #expect(answers.first.map { Array($0.dropLast(2)) } == [0x06, 0x02, 0x4C, 0x01, 0x31])
    }

    /// The noise of a reader whose events are not taken fills no memory: it stays with the link.
    @Test func eventsThatNoTaskTakesAreBounded() async throws {
        let (near, far) = MemoryLink.pair(link: LinkName(.sim, "test"), room: 1_000_000)
        let session = ReaderSession(
            near, try #require(ReaderFamily.named("idtech")).makeDialect(), clock: ManualClock())
        await session.perform(.connect)
        // Each is an acknowledgement of nothing.
        try await far.send([UInt8](repeating: 0x06, count: 200_000))
        for _ in 0..<1_000 where await session.waitingCount < 5_000 { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await session.waitingCount < 20_000)
        await session.close()
        await far.close()
    }
}
