import JackdawReaders
import JackdawTestSupport
import Testing

/// Streams that are made to take long.
@Suite struct HostileStreamTests {
    /// A format that counts what its faults have cost.
    private struct Counting<Base: FrameFormat>: FrameFormat {
        let base: Base
        let steps = Shared(0)

        var greatestSize: Int { base.greatestSize }
        func start(in bytes: Span<UInt8>) -> Int? { base.start(in: bytes) }
        func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] { [] }

        func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
            let measure = base.measure(bytes)
            if case .fault(let fault, _) = measure { steps.with { $0 += fault.offset } }
            return measure
        }
    }

    /// The beginning of a frame of 4 KiB: with nothing else in a stream, each byte would be looked at 290 times.
    private static let beginning = Array("ViVOtech2\0".utf8) + [0x18, 0x01, 0x0F, 0xFF]

    private func stepsPerByte(_ stream: [UInt8]) -> Int {
        let format = Counting(base: NEOFormat(.command, greatestData: 0xFFF))
        let whole = cut(stream, with: format, step: stream.count)
        #expect(whole.covers(stream.count))
        return format.steps.with { $0 } / stream.count
    }

    @Test func beginningsInsideOneAnotherAreBounded() throws {
        let stream = (0..<3_000).flatMap { _ in Self.beginning }
        #expect(stepsPerByte(stream) < 100)
        // Frames between them earn no more than their bytes do.
        let ping = try NEOFormat.command(0x18, 0x01)
        let mixed = (0..<200).flatMap { _ in (0..<16).flatMap { _ in Self.beginning } + ping }
        #expect(stepsPerByte(mixed) < 100)
    }

    @Test func beginningsAreCutAlikeInAllBlockSizesAndTheNextFrameIsFound() throws {
        let ping = try NEOFormat.command(0x18, 0x01)
        let format = NEOFormat(.command, greatestData: 255)
        let beginning = Array(Self.beginning.dropLast(2)) + [0x00, 0xFF]
        let stream = (0..<400).flatMap { _ in beginning } + [UInt8](repeating: 0, count: 300) + ping
        let whole = cut(stream, with: format, step: stream.count)
        #expect(whole.frames == [ping])
        for step in [1, 7, 64, 1_000] { #expect(cut(stream, with: format, step: step) == whole) }
    }

    /// A frame in whose data others lie, such as a firmware that is sent: its damage hides none of them.
    @Test func framesInADamagedFrameAreFound() throws {
        let inner = try NEOFormat.command(0x18, 0x01)
        var outer = try NEOFormat.command(0x60, 0x10, (0..<15).flatMap { _ in inner })
        outer[outer.count - 1] ^= 1
        #expect(cut(outer, with: NEOFormat(.command), step: 64).frames.count == 15)
    }
}
