import JackdawBytes
import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Sound and bytes of cards are overwritten when they have been read.
struct BasebandSecretsTests {
    private static func sound() throws -> [Float] {
        let encoder = try NibbleLineEncoder(sampleRate: 48_000)
        return BasebandBench.samples([UInt8](repeating: 0x5A, count: 200), encoder, quiet: 0)
    }

    private static func address<Element>(of array: [Element]) -> UInt {
        unsafe array.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    /// Where the integral has its sums. What reflection holds on to is shared, and gone on return.
    private static func address(of integral: LineIntegral) throws -> UInt {
        let child = Mirror(reflecting: integral).children.first { $0.label == "sums" }
        return address(of: try #require(child?.value as? [Double]))
    }

    private static func nonZeroBytes(at address: UInt) throws -> Int {
        try processMemory(at: address, count: 4_096).count { $0 != 0 }
    }

    @Test func resetOverwritesTheSound() throws {
        var receiver = NibbleReceiver(format: NibbleLine.uniMag, sampleRate: 48_000)
        var events: [LineEvent] = []
        let sound = try Self.sound()
        receiver.receive(sound.span, into: &events)
        let address = try Self.address(of: receiver.integral)
        let before = try Self.nonZeroBytes(at: address)
        #expect(before > 1_024)
        receiver.reset()
        let after = try Self.nonZeroBytes(at: address)
        #expect(after == 0)
    }

    @Test func aBurstIsOverwritten() throws {
        var burst = NibbleBurst(margin: 40, stepsPerSample: 1)
        let sums = (0..<8_000).map { Double($0 % 20) + 1 }
        let line = sums.span
        for nibble in 0..<150 {
            burst.append(start: Double(50 + 50 * nibble), period: 50, of: line, base: 0, polarity: 1)
        }
        let addresses = [Self.address(of: burst.sound), Self.address(of: burst.chips)]
        let before = try addresses.map(Self.nonZeroBytes)
        #expect(before.allSatisfy { $0 > 1_024 })
        burst.wipe()
        let after = try addresses.map(Self.nonZeroBytes)
        #expect(after == [0, 0])
    }

    @Test func theOldMemoryOfAGrowingArrayIsOverwritten() throws {
        var numbers = (0..<1_024).map { Double($0 + 1) }
        let address = Self.address(of: numbers)
        let before = try processMemory(at: address, count: 8_192)
        numbers.growWiping(toHold: numbers.capacity + 1)
        let after = try processMemory(at: address, count: 8_192)
        #expect(numbers == (0..<1_024).map { Double($0 + 1) })
        // The allocator may write its own notes into freed memory.
        #expect(zip(before, after).count { $0 == $1 && $1 != 0 } < 64)
    }
}
