import JackdawSystem
import JackdawTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct WorkerThreadTests {
    /// What waits does so beside the tasks: as many wait as there are, and all go on.
    @Test func waitingThreadsHoldNoTask() async throws {
        let bells = try (0..<32).map { _ in try WakeUp() }
        let arrived = Shared(0)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in bells.indices {
                group.addTask {
                    try await WorkerThread.run(name: "test-wait") {
                        let isLast = arrived.with { count in
                            count += 1
                            return count == bells.count
                        }
                        if isLast { for bell in bells { bell.ring() } }
                        return bells[index].wait(milliseconds: -1) ? index : -1
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values.sorted() == Array(0..<32))
    }
}
