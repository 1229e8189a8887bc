import Foundation

/// Looks at this process's memory through the kernel, which is allowed for freed memory where reading it by pointer is not.
/// - Parameters:
///   - address: of the first byte.
///   - count: number of bytes.
/// - Returns: the bytes, fewer where the memory ends before.
/// - Throws: what the system says where there is no such memory.
public func processMemory(at address: UInt, count: Int) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/mem"))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(address))
    return Array(try file.read(upToCount: count) ?? Data())
}

/// The most memory that a process has had since it became its program, in kibibytes. What `getrusage` tells is no less than
/// what its parent had.
/// - Parameter process: its number, or `self`.
/// - Returns: kibibytes.
/// - Throws: what the system says where there is no such process.
public func peakMemory(of process: String = "self") throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
        throw CocoaError(.fileReadCorruptFile)
    }
    return kibibytes
}
