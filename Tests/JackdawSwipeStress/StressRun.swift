import Foundation
import JackdawTestSupport
import SwipeController

/// Attaches a reader, lets it power up, switches it off or pulls it out, a thousand times, and counts what is left.
@main enum StressRun {
    /// What a process holds.
    private struct Holdings {
        var descriptors = 0
        var threads = 0
        var heap = 0
        var living = 0

        init(_ jack: StressJack) throws {
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            heap = try heapInUse()
            living = jack.livingCount
        }
    }

    static func main() async throws {
        let cycles = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000
        let jack = try StressJack()
        let controller = PGSwipeController(jack, delegate: nil, executor: .immediate, clock: jack.clock)
        let reader = controller.uniMagReader
        reader.messageOptions.activateReaderWithoutPromptingUser = true
        // What is made once is there by then.
        for cycle in 0..<100 { try await run(cycle, jack, reader) }
        let before = try Holdings(jack)
        for cycle in 0..<cycles { try await run(cycle, jack, reader) }
        let after = try Holdings(jack)
        jack.attach(true)
        try await wait(jack, until: { reader.isReadyForSwipe })
        let isReady = reader.isReadyForSwipe
        controller.shutdown()
        try await wait(jack, until: { jack.livingCount == 0 && jack.raisedCount == 0 })
        print(
            """
            cycles \(cycles)
            descriptors \(before.descriptors) \(after.descriptors)
            threads \(before.threads) \(after.threads)
            heap \(before.heap) \(after.heap)
            living \(before.living) \(after.living) \(jack.livingCount)
            raised \(jack.raisedCount)
            ready \(isReady)
            """)
    }

    /// One of the ways in which a reader comes and goes.
    private static func run(_ cycle: Int, _ jack: StressJack, _ reader: PGSwipeUniMag) async throws {
        jack.attach(true)
        switch cycle % 4 {
        case 0:
            try await wait(jack, until: { reader.isReadyForSwipe })
        case 1:
            try await wait(jack, until: { reader.isReadyForSwipe })
            reader.powerDown()
            try await wait(jack, until: { !reader.isActivated })
            try await wait(jack, until: { reader.isReadyForSwipe })
        case 2:
            // In the middle of powering up.
            try await wait(jack, until: { reader.isConnected })
            for _ in 0..<cycle % 70 { try await jack.pass() }
        default:
            try await wait(jack, until: { reader.isActivated })
        }
        jack.attach(false)
        try await wait(jack, until: { !reader.isConnected && jack.livingCount == 0 && jack.raisedCount == 0 })
    }

    /// Lets time pass until something is true, a minute of it at most.
    private static func wait(_ jack: StressJack, until isTrue: @Sendable () -> Bool) async throws {
        for _ in 0..<6_000 {
            guard !isTrue() else { return }
            try await jack.pass()
        }
        print("stuck: nothing came in a minute")
        exit(1)
    }
}
