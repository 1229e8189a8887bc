import ArgumentParser
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// How many frames a driver takes a second, and whether many readers at once are served in time.
struct Readers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "Measure drivers over memory, and many simulated readers at once.")

    @Option(help: "Frames that each driver takes.")
    var frames = 200_000

    @Option(help: "Readers at once.")
    var readers = 100

    @Option(help: "Seconds for which they are served.")
    var seconds = 10

    @Option(help: "Milliseconds from an answer to the next question to the same reader; 0 leaves the core no rest.")
    var pause = 90

    func run() async throws {
        print("| driver | frames a second | bytes a frame |\n|---|---|---|")
        for family in ReaderFamily.all { measureDriver(family) }
        await measureCrowd()
    }

    /// A driver that takes swipe after swipe, each frame in a call of its own.
    private func measureDriver(_ family: ReaderFamily) {
        guard var model = SimulatedFamily.named(family.name)?.makeModel(),
            let dialect = try? family.makeDialect(family.simulatedProfile)
        else { return }
        var device = SimulatedDevice()
        let swipe = model.tell(Presentation(SimulatedCard.deck[0]), &device)
        guard !swipe.isEmpty else { return }
        var driver = ReaderDriver(dialect)
        _ = driver.perform(.connect, at: .zero)
        var events = 0
        let taken = processorSeconds {
            for number in 0..<frames {
                let frame = swipe[number % swipe.count]
                events += driver.receive(frame.span, at: .zero).count
            }
        }
        precondition(events >= frames / swipe.count, "each swipe is reported")
        let bytes = swipe.joined().count / swipe.count
        print("| \(family.name) | \(Int(Double(frames) / taken)) | \(bytes) |")
    }

    /// Readers that answer after 10 ms and are asked again and again: how late an answer is at most.
    private func measureCrowd() async {
        let begun = processorSeconds()
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        // Families on a line of bytes whose drivers ask for the firmware.
        let asked = ReaderFamily.all.filter { family in
            guard !family.needsPackets, let dialect = try? family.makeDialect() else { return false }
            return (try? dialect.asking(.firmware))?.isEmpty == false
        }
        let latest = await withTaskGroup(of: (worst: Duration, count: Int).self) { tasks in
            for number in 0..<readers {
                let family = asked[number % asked.count]
                tasks.addTask { await Self.serve(family, .milliseconds(pause), until: end) }
            }
            var (worst, count) = (Duration.zero, 0)
            for await result in tasks {
                worst = max(worst, result.worst)
                count += result.count
            }
            return (worst: worst, count: count)
        }
        let share = (processorSeconds() - begun) / (Double(seconds))
        print(
            "\n\(readers) readers, \(latest.count) answers in \(seconds) s: the latest "
                + "\(milliseconds(latest.worst)) ms after its time, \(Int((share * 100).rounded())) % of a core")
    }

    private static func serve(
        _ family: ReaderFamily, _ pause: Duration, until end: ContinuousClock.Instant
    ) async -> (Duration, Int) {
        let clock = ContinuousClock()
        guard let model = SimulatedFamily.named(family.name)?.makeModel(), let dialect = try? family.makeDialect()
        else { return (.zero, 0) }
        let (near, far) = MemoryLink.pair(link: LinkName(.sim, family.name))
        let host = SimulatorHost(far, clock: clock) { SimulatedReader(model) }
        let running = Task { await host.run() }
        let session = ReaderSession(near, dialect, clock: clock)
        var (worst, count) = (Duration.zero, 0)
        var asked = clock.now
        await session.perform(.connect)
        for await event in session.events {
            switch event {
            case .ready:
                guard clock.now < end else {
                    await session.close()
                    continue
                }
                if pause > .zero { try? await Task.sleep(for: pause) }
                asked = clock.now
                await session.perform(.ask(.firmware))
            case .answered:
                worst = max(worst, clock.now - asked - SimulatedDevice().answerDelay)
                count += 1
            case .failed, .dropped: worst = .seconds(1_000)
            default: break
            }
        }
        await running.value
        return (worst, count)
    }

    private func milliseconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
