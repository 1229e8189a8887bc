import Foundation

/// The memory of this process at one time.
struct LiveMemory {
    /// Seconds of sound until then.
    let seconds: Double
    /// The most that it has had until then, and what it has, in kibibytes: its program and libraries count too.
    let peak: Int
    let resident: Int

    /// That of now.
    init(after seconds: Double) throws {
        self.seconds = seconds
        let status = String(decoding: try contents(of: "/proc/self/status"), as: UTF8.self).split(separator: "\n")
        func kibibytes(_ name: String) throws -> Int {
            let line = status.first { $0.hasPrefix(name + ":") }
            guard let value = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
                throw CorpusError(description: "/proc/self/status: says nothing of \(name)")
            }
            return value
        }
        peak = try kibibytes("VmHWM")
        resident = try kibibytes("VmRSS")
    }
}
