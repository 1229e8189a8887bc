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
