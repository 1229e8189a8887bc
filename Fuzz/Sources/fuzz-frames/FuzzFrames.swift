import JackdawReaders

/// Any bytes as a stream of frames: a format must cut it the same way however it comes, lose no byte of it, keep no more than
/// a frame, and explain each frame that it finds.
@c(LLVMFuzzerTestOneInput)
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 2 else { return 0 }
    let formats: [any FrameFormat] = [
        NEOFormat(.command), NEOFormat(.answer, greatestData: 64), MiuraFormat(.command), MiuraFormat(.answer),
        IDTechCommandFormat(), IDTechSwipeFormat(), IDTechAnswerFormat(awaiting: .settings),
        IDTechAnswerFormat(awaiting: .text), IDTechAnswerFormat(), IPSFormat(), MagTekFormat(.command),
        MagTekFormat(.answer), JSONPOSFormat(),
    ]
    let format = formats[Int(bytes[0]) % formats.count]
    check(Array(bytes.dropFirst(2)), step: 1 + Int(bytes[1]), with: format)
    return 0
}

/// What a stream was cut into.
private struct Cut: Equatable {
    var events: [FrameEvent] = []
    var frames: [[UInt8]] = []
}

private func check(_ stream: [UInt8], step: Int, with format: some FrameFormat) {
    let whole = cut(stream, step: max(1, stream.count), with: format)
    precondition(cut(stream, step: step, with: format) == whole, "cut otherwise where it comes in pieces")
    var next = 0
    var frames = whole.frames.makeIterator()
    for event in whole.events {
        switch event {
        case .frame(let first):
            precondition(first == next, "bytes are lost before a frame")
            next += frames.next()?.count ?? 0
        case .fault(let fault, let first):
            precondition(first == next && fault.offset >= 0 && !fault.message.isEmpty, "a fault without a place")
        case .skipped(let range):
            precondition(range.lowerBound == next && !range.isEmpty, "bytes are lost before others that are skipped")
            next = range.upperBound
        }
    }
    precondition(next == stream.count, "bytes are lost at the end")
    for frame in whole.frames {
        guard (try? format.check(frame)) != nil else { preconditionFailure("a frame that is none") }
        var end = 0
        for field in format.fields(of: frame, isRevealing: true) {
            precondition(field.range.lowerBound == end, "a gap between fields")
            end = field.range.upperBound
        }
        precondition(end == frame.count, "bytes that no field explains")
    }
}

private func cut(_ stream: [UInt8], step: Int, with format: some FrameFormat) -> Cut {
    var reader = FrameReader(format)
    var cut = Cut()
    let take = { (event: FrameEvent, bytes: Span<UInt8>) in
        cut.events.append(event)
        if case .frame = event { cut.frames.append(bytes.indices.map { bytes[$0] }) }
    }
    for start in stride(from: 0, to: stream.count, by: step) {
        reader.receive(stream.span.extracting(start..<min(start + step, stream.count)), take)
        precondition(reader.pendingCount <= format.greatestSize, "more is kept than a frame has")
    }
    reader.finish(take)
    return cut
}
