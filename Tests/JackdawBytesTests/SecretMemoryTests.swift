import JackdawBytes
import JackdawTestSupport
import Testing

@Suite struct SecretMemoryTests {
    private static let pattern = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 17) }

    @Test func aBufferCopiesOrStartsWithZeros() {
        let copy = SecretBuffer(copying: [1.5, -2.5])
        #expect(copy.withElements { [$0[0], $0[1]] } == [1.5, -2.5])
        var zeros = SecretBuffer<Int16>(zeroed: 2)
        zeros.withMutableElements { $0[1] = 7 }
        #expect(zeros.withElements { [$0[0], $0[1]] } == [0, 7])
        #expect(zeros.count == 2)
        #expect(SecretBuffer<UInt8>(zeroed: 0).withElements { $0.isEmpty })
    }

    @Test func aBufferWipesAPart() {
        let buffer = SecretBuffer(copying: [1, 2, 3, 4])
        buffer.wipe(1..<3)
        #expect(buffer.withElements { [$0[0], $0[1], $0[2], $0[3]] } == [1, 0, 0, 4])
    }

    @Test func aReleasedBufferIsOverwritten() throws {
        var address: UInt = 0
        var held: [UInt8] = []
        do {
            let buffer = SecretBuffer(copying: Self.pattern)
            address = unsafe UInt(bitPattern: buffer.elements.baseAddress)
            held = try processMemory(at: address, count: Self.pattern.count)
        }
        #expect(held == Self.pattern)
        try expectNothing(at: address)
    }

    @Test func anArrayWipesItsLastElements() throws {
        var bytes = Self.pattern.map { $0 }
        bytes.wipe(from: 2)
        #expect(bytes == [17, 48])
        #expect(bytes.capacity >= Self.pattern.count)
        let address = unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(try processMemory(at: address + 2, count: Self.pattern.count - 2).allSatisfy { $0 == 0 })
        bytes.wipe()
        #expect(bytes.isEmpty)
    }

    @Test func theOldMemoryOfAGrowingArrayIsOverwritten() throws {
        var bytes = Self.pattern.map { $0 }
        let address = unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        bytes.growWiping(toHold: bytes.capacity + 1)
        #expect(bytes == Self.pattern)
        try expectNothing(at: address)
    }

    /// The allocator may write its own notes into freed memory, so not all of it is zero.
    private func expectNothing(at address: UInt) throws {
        let left = try processMemory(at: address, count: Self.pattern.count)
        #expect(zip(left, Self.pattern).count { $0 == $1 && $1 != 0 } < 64)
    }
}
