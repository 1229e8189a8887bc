import Foundation
import JackdawTestSupport
import JackdawTransport
import SwipeController

/// Attaches a reader, lets it power up, switches it off or pulls it out, a thousand times, and counts what is left.
///
///     JackdawSwipeStress [CYCLES [LINK]]
///
/// The UniMag is in memory; at a link to a sound card it is looked for, too, and time is real.
@main enum StressRun {
    /// What a process holds.
    private struct Holdings {
        var descriptors = 0
        var threads = 0
        var heap = 0
        var living = 0

        init(_ jack: any StressJack) throws {
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            heap = try heapInUse()
            living = jack.livingCount
        }
    }

    /// Receives the power-ups that fail.
    private final class Failures: PGSwipeDelegate {
        let count = Shared(0)

        func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) {
            if result != .success { count.with { $0 += 1 } }
        }
    }

    /// What a cycle is done with.
    private struct Bench {
        let jack: any StressJack
        let controller: PGSwipeController
        let failures = Failures()

        init(_ jack: any StressJack) {
            self.jack = jack
            controller = PGSwipeController(
                jack.environment, delegate: failures, executor: .immediate, clock: jack.clock)
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let cycles = arguments.first.flatMap { Int($0) } ?? 1_000
        let link = try arguments.dropFirst().first.map { try LinkName(parsing: $0) }
        let jack: any StressJack = if let link { try LinuxJack(link) } else { try MemoryJack() }
        let bench = Bench(jack)
        let (controller, failures) = (bench.controller, bench.failures)
        let reader = controller.uniMagReader
        reader.messageOptions.activateReaderWithoutPromptingUser = true
        // What is made once is there by then.
        for cycle in 0..<min(100, cycles) { try await run(cycle, bench) }
        try await settle(jack)
        let before = try Holdings(jack)
        for cycle in 0..<cycles { try await run(cycle, bench) }
        try await settle(jack)
        let after = try Holdings(jack)
        jack.attach(true)
        try await wait(bench, until: { reader.isReadyForSwipe })
        let isReady = reader.isReadyForSwipe
        controller.shutdown()
        try await wait(bench, until: { jack.livingCount == 0 && jack.raisedCount == 0 })
        print(
            """
            cycles \(cycles)
            descriptors \(before.descriptors) \(after.descriptors)
            threads \(before.threads) \(after.threads)
            heap \(before.heap) \(after.heap)
            living \(before.living) \(after.living) \(jack.livingCount)
            raised \(jack.raisedCount)
            ready \(isReady)
            failed \(failures.count.with { $0 })
            """)
    }

    /// One of the ways in which a reader comes and goes.
    private static func run(_ cycle: Int, _ bench: Bench) async throws {
        let (jack, controller) = (bench.jack, bench.controller)
        let reader = controller.uniMagReader
        jack.attach(true)
        switch cycle % (jack.isSearchable ? 6 : 4) {
        case 0:
            try await wait(bench, until: { reader.isReadyForSwipe })
        case 1:
            try await wait(bench, until: { reader.isReadyForSwipe })
            reader.powerDown()
            try await wait(bench, until: { !reader.isActivated })
            try await wait(bench, until: { reader.isReadyForSwipe })
        case 2:
            // In the middle of powering up.
            try await wait(bench, until: { reader.isConnected })
            for _ in 0..<cycle % 70 { _ = try await jack.pass() }
        case 3:
            try await wait(bench, until: { reader.isActivated })
        case 4:
            try await wait(bench, until: { reader.isConnected })
            let found = Shared<CardReaderAutodetectResult?>(nil)
            Task {
                let result = await controller.autodetect()
                found.with { $0 = result }
            }
            try await wait(bench, until: { found.with { $0 != nil } })
            guard found.with({ $0 }) == .uniMag else { stop("it was not found in cycle \(cycle)") }
            try await wait(bench, until: { reader.isReadyForSwipe })
        default:
            // In the middle of a search.
            try await wait(bench, until: { reader.isConnected })
            controller.beginAutodetectAudioJackCardReader()
            for _ in 0..<cycle % 70 { _ = try await jack.pass() }
        }
        jack.attach(false)
        try await wait(bench, until: { !reader.isConnected && jack.livingCount == 0 && jack.raisedCount == 0 })
        guard controller.audioJackReaderType == .unimag else { stop("another reader was found in cycle \(cycle)") }
    }

    /// Threads end a moment after what they did.
    private static func settle(_ jack: any StressJack) async throws {
        for _ in 0..<100 { _ = try await jack.pass() }
    }

    private static func stop(_ why: String) -> Never {
        print("stuck: \(why)")
        exit(1)
    }

    /// Lets time pass until something is true or a power-up fails, a minute of it at most; and no longer than tasks
    /// take for anything where none passes.
    private static func wait(_ bench: Bench, until isTrue: @Sendable () -> Bool) async throws {
        let failures = bench.failures.count
        let before = failures.with { $0 }
        var (passed, tried) = (0, 0)
        while passed < 6_000, tried < 5_000_000 {
            guard !isTrue(), failures.with({ $0 }) == before else { return }
            if try await bench.jack.pass() { passed += 1 } else { tried += 1 }
        }
        let reader = bench.controller.uniMagReader
        stop(
            """
            nothing came in a minute: \(passed) passed, \(tried) tried, \(bench.jack.livingCount) living, connected \
            \(reader.isConnected), activated \(reader.isActivated), ready \(reader.isReadyForSwipe), failed \(before)
            """)
    }
}
