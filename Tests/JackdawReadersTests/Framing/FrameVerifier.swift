import JackdawReaders
import JackdawTestSupport
import Testing

/// What a stream was cut into, so that two ways of feeding it can be compared.
struct CutStream: Equatable {
    var events: [FrameEvent] = []
    var frames: [[UInt8]] = []

    mutating func take(_ event: FrameEvent, _ bytes: Span<UInt8>) {
        events.append(event)
        if case .frame = event { frames.append(bytes.indices.map { bytes[$0] }) }
    }

    /// Where frames, faults and skipped bytes lie must add up to the stream.
    func covers(_ count: Int) -> Bool {
        var next = 0
        var frames = frames.makeIterator()
        for event in events {
            switch event {
            case .frame(let first):
                guard first == next, let frame = frames.next() else { return false }
                next += frame.count
            case .fault(_, let first): guard first == next else { return false }
            case .skipped(let range):
                guard range.lowerBound == next, !range.isEmpty else { return false }
                next = range.upperBound
            }
        }
        return next == count
    }
}

/// Cuts a stream that comes so many bytes at a time.
func cut(_ stream: [UInt8], with format: some FrameFormat, step: Int) -> CutStream {
    cut([stream], with: format, step: step)
}

/// Cuts what comes so many bytes at a time, with silence between its parts.
func cut(_ parts: [[UInt8]], with format: some FrameFormat, step: Int) -> CutStream {
    var reader = FrameReader(format)
    var result = CutStream()
    var most = 0
    for part in parts {
        for start in stride(from: 0, to: part.count, by: step) {
            let bytes = part.span.extracting(start..<min(start + step, part.count))
            reader.receive(bytes) { result.take($0, $1) }
            most = max(most, reader.pendingCount)
        }
        reader.finish { result.take($0, $1) }
        #expect(reader.pendingCount == 0)
    }
    #expect(most <= format.greatestSize)
    return result
}

/// Feeds a format its frames in every way: in pieces, between garbage, cut off, damaged.
/// - Parameters:
///   - format: whose frames they are.
///   - frames: correct ones.
///   - garbage: bytes that no frame begins with.
///   - unchecked: frames of the same format that have no checks, which are taken after frames only.
///   - isChecked: whether frames have a sum, so that none is taken where one byte is another.
///   - isLine: whether the last byte separates frames: without it two are one.
func verify(
    _ format: some FrameFormat, frames: [[UInt8]], garbage: [UInt8], unchecked: [[UInt8]] = [], isChecked: Bool = true,
    isLine: Bool = false
) {
    let steps = [1, 2, 7, 64, Int.max / 2]
    for frame in frames { #expect(throws: Never.self) { try format.check(frame) } }
    var random = SeededRandom(seed: 6)
    for _ in 0..<8 {
        var stream = garbage
        var expected: [[UInt8]] = []
        for frame in frames {
            let followers = unchecked.shuffled(using: &random)
            expected += [frame] + followers
            stream += frame + followers.joined()
            stream += garbage.prefix(Int.random(in: 0...garbage.count, using: &random))
        }
        let whole = cut(stream, with: format, step: stream.count)
        #expect(whole.frames == expected)
        #expect(whole.covers(stream.count))
        for step in steps { #expect(cut(stream, with: format, step: step) == whole) }
    }
    for frame in frames {
        for count in truncations(of: frame.count, &random) {
            // What is cut off is lost, and nothing after it once it was clear that nothing more comes.
            let parts = [Array(frame[..<count]), frame]
            let whole = cut(parts, with: format, step: frame.count)
            #expect(whole.covers(count + frame.count))
            #expect(whole.frames == [frame])
            for step in steps { #expect(cut(parts, with: format, step: step) == whole) }
            #expect(throws: FrameFault.self) { try format.check(Array(frame.prefix(count))) }
        }
        for _ in 0..<(frame.count > 80 ? 24 : 200) {
            var damaged = frame
            let index = Int.random(in: 0..<frame.count - (isLine ? 1 : 0), using: &random)
            damaged[index] ^= UInt8.random(in: 1...255, using: &random)
            let stream = damaged + frame
            let whole = cut(stream, with: format, step: stream.count)
            #expect(whole.covers(stream.count))
            // Without silence between, an LRC may by chance be that of the damaged frame with a byte of the next one.
            #expect(cut([damaged, frame], with: format, step: 7).frames.last == frame)
            #expect(!isChecked || !whole.frames.contains(damaged))
            for step in steps { #expect(cut(stream, with: format, step: step) == whole) }
            for found in whole.frames { #expect(!format.fields(of: found, isRevealing: true).isEmpty) }
        }
    }
    for _ in 0..<50 {
        let stream = (0..<400).map { _ in
            // Noise in which beginnings are frequent.
            Bool.random(using: &random)
                ? frames.randomElement(using: &random)![0] : UInt8.random(in: 0...255, using: &random)
        }
        let whole = cut(stream, with: format, step: stream.count)
        #expect(whole.covers(stream.count))
        for step in steps { #expect(cut(stream, with: format, step: step) == whole) }
    }
    for frame in frames {
        var next = 0
        for field in format.fields(of: frame, isRevealing: false) {
            #expect(field.range.lowerBound == next, "\(field.name)")
            next = field.range.upperBound
        }
        #expect(next == frame.count)
    }
}

/// Every length that a short frame can be cut off at; of a long one the first, the last and some between.
private func truncations(of count: Int, _ random: inout SeededRandom) -> [Int] {
    guard count > 80 else { return Array(0..<count) }
    return Array(0..<24) + (0..<24).map { _ in Int.random(in: 24..<count - 24, using: &random) } + (count - 24..<count)
}
