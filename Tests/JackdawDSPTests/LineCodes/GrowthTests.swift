import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// What a caller hands over to be appended to may hold card data, and cannot be overwritten by
/// him where it has moved from. One test at a time, because another may use the freed memory for the same events.
@Suite(.serialized) struct GrowthTests {
    private static let bytes = [UInt8](repeating: 0x5A, count: 200)

    /// How many bytes are still where an array was when it had to move; the allocator may write its own notes there.
    private static func left<Element>(of array: inout [Element], growing: (inout [Element]) throws -> Void) throws
        -> Int
    {
        let (address, size) = unsafe array.withUnsafeBytes { (UInt(bitPattern: $0.baseAddress), $0.count) }
        let before = try processMemory(at: address, count: size)
        try #require(before.count { $0 != 0 } > 1_024)
        try growing(&array)
        try #require(unsafe array.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } != address)
        let after = try processMemory(at: address, count: size)
        return zip(before, after).count { $0 == $1 && $1 != 0 }
    }

    @Test(arguments: LineMode.all.map(\.name)) func theOldMemoryOfGrowingSamplesIsOverwritten(mode: String) throws {
        var encoder = try LineMode(named: mode).encoder(sampleRate: 44_100)
        var samples = (0..<1_024).map { Float($0 + 1) }
        let left = try Self.left(of: &samples) { samples in
            encoder.encode(Self.bytes.span, into: &samples)
            encoder.finish(into: &samples)
        }
        #expect(left < 64)
        #expect(samples.prefix(1_024).elementsEqual((0..<1_024).map { Float($0 + 1) }))
    }

    @Test(arguments: LineMode.all.map(\.name)) func theMemoryOfEventsIsOverwritten(mode: String) throws {
        let mode = try LineMode(named: mode)
        var encoder = try mode.encoder(sampleRate: 44_100)
        var sound: [Float] = []
        encoder.idle(seconds: 0.2, into: &sound)
        encoder.encode(Self.bytes.span, into: &sound)
        encoder.idle(seconds: 0.5, into: &sound)
        var decoder = try mode.decoder(sampleRate: 44_100)
        let first = decoder.receive(sound.span) + decoder.finish()
        #expect(first.count > 150)
        var events = first.map { $0 }
        let left = try Self.left(of: &events) { events in
            decoder.receive(sound.span, into: &events)
            decoder.finish(into: &events)
        }
        #expect(left < 64)
        #expect(FSKBench.characters(events) == FSKBench.characters(first + first))
    }
}
