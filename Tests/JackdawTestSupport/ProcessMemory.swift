import Foundation

/// Looks at this process's memory through the kernel, which is allowed for freed memory where
/// reading it by pointer is not.
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

/// Looks for octets in all memory that this process can write: in use, freed, and on stacks.
/// - Parameter inverted: the octets with every bit inverted, so that the caller's own copy is not found.
/// - Returns: whether some memory has them.
/// - Throws: the system's error if the map of the memory cannot be read.
public func memoryHolds(inverted: [UInt8]) throws -> Bool {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/mem"))
    defer { try? file.close() }
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer {
        // A later look must not find the copies of this one.
        unsafe explicit_bzero(window.baseAddress!, window.count)
        unsafe window.deallocate()
    }
    let first = UInt(bitPattern: window.baseAddress)
    let own = first..<first + UInt(window.count)
    for line in maps.split(separator: "\n") {
        let fields = line.split(separator: " ")
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard fields.count > 1, fields[1].hasPrefix("rw"), bounds.count == 2 else { continue }
        var start = bounds[0]
        while start < bounds[1] {
            // The window itself has copies of what was looked at.
            if own.contains(start) {
                start = own.upperBound
                continue
            }
            let end = min(bounds[1], start + UInt(window.count), start < own.lowerBound ? own.lowerBound : .max)
            let count = unsafe pread(
                file.fileDescriptor, window.baseAddress, Int(end - start), off_t(start))
            if count > 0, unsafe holds(UnsafeRawBufferPointer(rebasing: window[..<count]), inverted: inverted) {
                return true
            }
            // Octets across two windows are looked at twice.
            start = end < bounds[1] && end != own.lowerBound ? end - UInt(inverted.count) : end
        }
    }
    return false
}

private func holds(_ memory: UnsafeRawBufferPointer, inverted: [UInt8]) -> Bool {
    var next = 0
    while next + inverted.count <= memory.count, let base = memory.baseAddress {
        let length = memory.count - inverted.count + 1 - next
        guard let found = unsafe memchr(base + next, Int32(~inverted[0]), length) else { return false }
        next = unsafe base.distance(to: found)
        if inverted.indices.allSatisfy({ unsafe memory[next + $0] == ~inverted[$0] }) { return true }
        next += 1
    }
    return false
}

/// The most memory that a process has had since it became its program, in kibibytes. `getrusage` returns no less than
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

/// Bytes of the heap that are in use: what was allocated and not given back, whatever of it the system still sees.
/// - Throws: the system's error if the allocator reports nothing.
public func heapInUse() throws -> Int {
    // Not in the headers that Swift sees.
    typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    var text: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let symbol = unsafe dlsym(nil, "malloc_info"), let file = unsafe open_memstream(&text, &size) else {
        throw CocoaError(.featureUnsupported)
    }
    let result = unsafe unsafeBitCast(symbol, to: Report.self)(0, file)
    unsafe fclose(file)
    defer { unsafe free(text) }
    guard result == 0, let text = unsafe text else { throw CocoaError(.fileReadCorruptFile) }
    // The totals of all arenas stand after those of each.
    let totals = unsafe String(cString: text).components(separatedBy: "</heap>").last ?? ""
    func bytes(_ name: String) throws -> Int {
        let line = totals.split(separator: "\n").first { $0.contains("type=\"\(name)\"") }
        guard let value = line?.components(separatedBy: "size=\"").last.flatMap({ Int($0.prefix { $0.isNumber }) })
        else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return value
    }
    return try bytes("current") - bytes("fast") - bytes("rest") + bytes("mmap")
}

/// Lets ``peakMemory(of:)`` return the peak of this process from now on.
/// - Returns: what it has now, in kibibytes.
/// - Throws: what the system says where it cannot.
public func restartPeakMemory() throws -> Int {
    try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    return try peakMemory()
}
