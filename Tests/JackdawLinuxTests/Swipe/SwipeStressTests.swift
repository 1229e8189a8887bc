import Foundation
import JackdawTestSupport
import Testing

/// A thousand readers that come and go, in a process of their own whose holdings can be counted.
@Suite(.timeLimit(.minutes(30)))
struct SwipeStressTests {
    @Test func aThousandCyclesLeaveNothingBehind() throws {
        // Built beside the tests.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("JackdawSwipeStress")
        let output = Pipe()
        // With one heap for all threads the number of threads does not change what is counted.
        let environment = ProcessInfo.processInfo.environment.merging(["MALLOC_ARENA_MAX": "1"]) { $1 }
        let process = try SpawnedProcess(
            program.path, environment: environment, output: .pipe(output), messages: .inherited)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(process.end() == .exit(0), "\(text)")
        var numbers: [String: [String]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            numbers[words[0]] = Array(words.dropFirst())
        }
        #expect(numbers["cycles"] == ["1000"])
        let descriptors = try #require(numbers["descriptors"]?.compactMap { Int($0) })
        #expect(descriptors[1] <= descriptors[0])
        // On a loaded machine libdispatch adds threads to the pool of Swift's tasks.
        let threads = try #require(numbers["threads"]?.compactMap { Int($0) })
        #expect(threads[1] - threads[0] < 1_000 / 10, "\(text)")
        // Another thread has its own heap of a hundred kilobytes; a task or ten milliseconds of sound that were left in
        // each cycle would be more.
        let heap = try #require(numbers["heap"]?.compactMap { Int($0) })
        #expect(heap[1] - heap[0] < 1_000 * 200, "\(text)")
        #expect(numbers["living"] == ["0", "0", "0"])
        #expect(numbers["raised"] == ["0"])
        #expect(numbers["ready"] == ["true"])
        // Time that does not wait for tasks may be up for one; what it leaves behind is counted all the same.
        let failed = try #require(numbers["failed"]?.compactMap { Int($0) })
        #expect(failed[0] < 10, "\(text)")
    }
}
