import Glibc

/// Opens a link again and again, and sees that each leaves nothing behind.
struct Cycles {
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// - Parameter cycle: opens a link, uses it and closes it; returns what must then be gone, where that is an object.
    /// - Throws: ``Unexpected`` where something stays behind, and what the cycle throws.
    func run(_ cycle: () async throws -> AnyObject?) async throws {
        // What is opened once for all links.
        _ = try await cycle()
        let descriptors = try Self.entries("/proc/self/fd")
        let threads = try Self.entries("/proc/self/task")
        var times: [Double] = []
        for number in 1...count {
            let measured = Measured()
            weak let link = try await cycle()
            times.append(measured.milliseconds)
            try await Self.await("the link of cycle \(number) is still held") { link == nil }
            try await Self.await("a descriptor of cycle \(number) is still open") {
                try Self.entries("/proc/self/fd") <= descriptors
            }
            try await Self.await("a thread of cycle \(number) still runs") {
                // The pool of Swift's tasks has one for each core, which come when they are needed.
                try Self.entries("/proc/self/task") <= threads + sysconf(Int32(_SC_NPROCESSORS_ONLN))
            }
        }
        figure("cycles", Double(count), "links")
        figure("cycle-median", times.quantile(0.5), "ms")
        figure("descriptors-left", Double(try Self.entries("/proc/self/fd") - descriptors), "")
        figure("threads-left", Double(try Self.entries("/proc/self/task") - threads), "")
    }

    /// What ends in another thread may need a moment.
    private static func await(_ complaint: String, _ isSo: () throws -> Bool) async throws {
        for _ in 0..<100 {
            if try isSo() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Unexpected(complaint)
    }

    private static func entries(_ path: String) throws(Unexpected) -> Int {
        guard let folder = unsafe opendir(path) else { throw Unexpected("\(path) cannot be read") }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }
}
