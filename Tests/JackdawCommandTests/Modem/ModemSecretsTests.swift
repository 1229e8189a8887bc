import JackdawBytes
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Bytes that may be card data are overwritten in memory after they were output.
struct ModemSecretsTests {
    /// The address of an array's elements. Reflection shares the array, and releases it on return.
    private static func address<Element>(of label: String, in value: Any, _ type: Element.Type) throws -> UInt {
        let child = Mirror(reflecting: value).children.first { $0.label == label }
        let array = try #require(child?.value as? [Element])
        return unsafe array.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private static func nonZeroBytes(at address: UInt, count: Int) throws -> Int {
        try processMemory(at: address, count: count).count { $0 != 0 }
    }

    @Test func flushingOverwritesTheResults() throws {
        let console = Console(results: { _ in }, messages: { _ in }, isWatched: false)
        console.result([UInt8](repeating: 0x5A, count: 1_000).span)
        let address = try Self.address(of: "results", in: console, UInt8.self)
        let before = try Self.nonZeroBytes(at: address, count: 1_000)
        #expect(before == 1_000)
        console.flush()
        let after = try Self.nonZeroBytes(at: address, count: 1_000)
        #expect(after == 0)
    }

    @Test func givingOverwritesTheEvents() throws {
        let mode = try LineMode(named: "bell202")
        var encoder = try mode.encoder(sampleRate: 8_000, level: -6)
        var samples: [Float] = []
        encoder.idle(seconds: 0.1, into: &samples)
        encoder.encode([UInt8](repeating: 0x5A, count: 40).span, into: &samples)
        encoder.idle(seconds: 0.5, into: &samples)
        var receiver = try KnownModeReceiver(mode, sampleRate: 8_000)
        var count = 0
        receiver.receive(samples.span) { _, _ in count += 1 }
        receiver.finish { _, _ in count += 1 }
        #expect(count >= 41)
        // A burst is held until it is certain that it is no swipe.
        let address = try Self.address(of: "held", in: receiver, LineEvent.self)
        let left = try Self.nonZeroBytes(at: address, count: 40 * MemoryLayout<LineEvent>.stride)
        #expect(left == 0)
        let last = try Self.address(of: "events", in: receiver, LineEvent.self)
        let leftOfLast = try Self.nonZeroBytes(at: last, count: MemoryLayout<LineEvent>.stride)
        #expect(leftOfLast == 0)
    }

    @Test func removedElementsAreOverwritten() throws {
        var numbers = (0..<512).map { Int32($0 + 1) }
        let address = unsafe numbers.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        numbers.wipe(from: 2)
        #expect(numbers == [1, 2])
        let left = try Self.nonZeroBytes(at: address, count: 2_048)
        #expect(left == 2)
    }
}
