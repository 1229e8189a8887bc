import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct SoundBufferTests {
    private static let capacity = 1_024
    private static let pattern = (0..<600).map { Float($0 + 1) }

    private static func buffer() -> SoundBuffer {
        var buffer = SoundBuffer(capacity: capacity)
        append(pattern, to: &buffer)
        return buffer
    }

    private static func append(_ samples: [Float], to buffer: inout SoundBuffer) {
        unsafe samples.withUnsafeBufferPointer { source in
            unsafe buffer.append(source.baseAddress!, count: source.count) { $0 }
        }
    }

    private static func samples(_ buffer: SoundBuffer) -> [Float] {
        buffer.withSamples { samples in samples.indices.map { samples[$0] } }
    }

    private static func address(_ buffer: SoundBuffer) -> UInt {
        buffer.withSamples { unsafe $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    /// How many samples of a place in memory still hold the pattern. The allocator may write its
    /// own notes into freed memory.
    private static func leftovers(at address: UInt) throws -> Int {
        let bytes = try processMemory(at: address, count: 4 * capacity)
        return stride(from: 0, to: bytes.count, by: 4).count { place in
            let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
            return pattern.contains(Float(bitPattern: word))
        }
    }

    @Test func keepsTheLastSamples() {
        var buffer = Self.buffer()
        #expect(buffer.keepLast(1_000) == 0)
        #expect(buffer.keepLast(500) == 100)
        Self.append([7, 8], to: &buffer)
        #expect(Self.samples(buffer) == Self.pattern[100...] + [7, 8])
    }

    @Test func keepingLessThanNothingDropsAll() {
        var buffer = Self.buffer()
        #expect(buffer.keepLast(-5) == 600)
        #expect(buffer.count == 0)
    }

    @Test func copiesChangeOnTheirOwn() {
        let first = Self.buffer()
        var second = first
        Self.append([9], to: &second)
        var third = first
        #expect(third.keepLast(1) == 599)
        third.wipeDropped()
        #expect(Self.samples(first) == Self.pattern)
        #expect(Self.samples(second) == Self.pattern + [9])
        #expect(Self.samples(third) == Self.pattern.suffix(1))
    }

    @Test func theLastHolderOverwritesTheMemory() throws {
        var holders = [Self.buffer(), Self.buffer()]
        let address = Self.address(holders[0])
        holders.append(holders[0])
        holders.removeFirst()
        #expect(try Self.leftovers(at: address) == Self.pattern.count)
        holders.removeAll()
        #expect(try Self.leftovers(at: address) < 8)
    }

    @Test func droppedSamplesAreOverwritten() throws {
        var buffer = Self.buffer()
        let address = Self.address(buffer)
        _ = buffer.keepLast(50)
        #expect(try Self.leftovers(at: address) == Self.pattern.count)
        buffer.wipeDropped()
        #expect(try Self.leftovers(at: address) == 50)
        #expect(Self.samples(buffer) == Self.pattern.suffix(50))
    }
}
