import Foundation
import Testing

@testable import JackdawALSA
import JackdawSystem

/// Input devices by real system calls, as far as there are any without hardware: a named pipe passes for one.
@Suite struct EventDeviceTests {
    private func pipe() throws -> (device: EventDevice, writing: FileHandle) {
        let path = FileManager.default.temporaryDirectory.appending(path: "jackdaw-\(UUID().uuidString)").path
        try #require(unsafe mkfifo(path, 0o600) == 0)
        defer { unsafe unlink(path) }
        // Opened without waiting for the other side.
        let device = try EventDevice(path)
        return (device, try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
    }

    /// Two times of 8 bytes, then type, code, value.
    private func event(_ type: UInt16, _ code: UInt16, _ value: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: 2 * MemoryLayout<Int>.size)
        for word in [type, code, UInt16(truncatingIfNeeded: value), UInt16(truncatingIfNeeded: value >> 16)] {
            bytes += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        }
        return bytes
    }

    @Test func eventsAreReadAsTheKernelWritesThem() throws {
        let (device, writing) = try pipe()
        #expect(throws: SystemFailure(code: EAGAIN)) { try device.events() }
        try writing.write(contentsOf: Data(event(5, 4, 1) + event(0, 3, 0) + event(1, 2, -1)))
        let events = try device.events()
        #expect(events.map(\.type) == [5, 0, 1])
        #expect(events.map(\.code) == [4, 3, 2])
        #expect(events.map(\.value) == [1, 0, -1])
        #expect(throws: SystemFailure(code: EAGAIN)) { try device.events() }
        try writing.close()
        #expect(try device.events().isEmpty)
    }

    @Test func filesThatAreNoInputDevicesHaveNoSwitches() throws {
        let (device, _) = try pipe()
        #expect(throws: SystemFailure.self) { try device.switchesOn() }
        #expect(throws: SystemFailure(code: ENOENT)) { try EventDevice("/dev/input/nonexistent") }
    }

    @Test func theSystemWaitsAtDescriptors() throws {
        let (device, writing) = try pipe()
        let waiting = SystemWaiting()
        var descriptors = [PollDescriptor(number: device.descriptor, awaited: .readable)]
        let start = waiting.now()
        try waiting.wait(for: &descriptors, milliseconds: 1)
        #expect(descriptors[0].answer.isEmpty)
        #expect(waiting.now() - start >= 1_000_000)
        try writing.write(contentsOf: Data(event(0, 0, 0)))
        try waiting.wait(for: &descriptors, milliseconds: 30_000)
        #expect(descriptors[0].answer == .readable)
        _ = try device.events()
        try writing.close()
        try waiting.wait(for: &descriptors, milliseconds: 30_000)
        #expect(descriptors[0].answer.isEnd)
    }
}
