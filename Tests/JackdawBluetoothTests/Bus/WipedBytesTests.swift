import JackdawTestSupport
import Testing

@testable import JackdawBluetooth

/// Bytes that are overwritten when the last reference is released.
@Suite struct WipedBytesTests {
    @Test func wipedBytesAreOverwrittenAfterTheLastUse() throws {
        let pattern = Array("wiped after use".utf8)
        let secret = (0..<64).flatMap { _ in pattern }
        var holders: [WipedBytes] = []
        holders = Array(repeating: WipedBytes(secret), count: 2)
        let address = unsafe holders[0].withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        holders.removeLast()
        #expect(try processMemory(at: address, count: secret.count) == secret)
        holders.removeLast()
        let left = try processMemory(at: address, count: secret.count)
        #expect(!left.indices.contains { left[$0...].starts(with: pattern) })
    }

    @Test func onlyTheFilledBytesCount() {
        let bytes = unsafe WipedBytes(capacity: 8) { buffer in
            unsafe buffer.copyBytes(from: [1, 2, 3])
            return 3
        }
        #expect(bytes.array == [1, 2, 3])
        #expect(bytes == [1, 2, 3])
        #expect(bytes != [1, 2, 3, 0])
        #expect(Set([bytes, [1, 2, 3], []]).count == 2)
        let nothing = unsafe WipedBytes(capacity: 8) { _ in 0 }
        #expect(nothing.isEmpty)
    }
}
