import JackdawDSP
import JackdawReaders
import JackdawSimulator
import Testing

/// Audio readers end to end in sound, in the time of the frames.
struct SoundRehearsalTests {
    /// Those that hand out swipes.
    static let families = ["udynamo", "unimag"]

    @Test(arguments: families, [48_000.0, 44_100])
    func aReaderConnectsWaitsAndReads(family: String, sampleRate: Double) throws {
        var rehearsal = try SoundRehearsal(family, sampleRate: sampleRate)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(5)))
        rehearsal.run(until: .armed)
        rehearsal.present(Presentation(SimulatedCard.deck[0]))
        rehearsal.run(until: .ready)
        print(rehearsal.log, rehearsal.now)
        #expect(rehearsal.state == .ready)
    }

    @Test(arguments: ["flojack", "hijack"], [48_000.0, 44_100])
    func other(family: String, sampleRate: Double) throws {
        var rehearsal = try SoundRehearsal(family, sampleRate: sampleRate)
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(5)))
        if family == "hijack" { rehearsal.perform(.set(ReaderSetting(0, [1, 2, 3, 200]))) }
        rehearsal.run(for: .seconds(1))
        rehearsal.present(Presentation(SimulatedCard.deck[0]))
        rehearsal.run(for: .seconds(5))
        print(rehearsal.log, rehearsal.now)
    }
}
