/// A payment that cuts the reader's bytes into frames and handles each of them.
protocol FramedPayment: ~Copyable {
    associatedtype Format: FrameFormat

    /// The reader of the frames.
    var frames: FrameReader<Format> { get set }

    mutating func take(_ frame: Span<UInt8>, at now: Duration)

    /// Reports input that changes nothing.
    mutating func note(_ text: String)
}

extension FramedPayment where Self: ~Copyable {
    /// Runs `body` on the reader of the frames, and handles its events.
    mutating func cut(
        at now: Duration,
        _ body: (inout FrameReader<Format>, (FrameEvent, Span<UInt8>) -> Void) -> Void
    ) {
        var reader = frames.moveOut()
        body(&reader) { event, frame in
            switch event {
            case .frame: take(frame, at: now)
            case .fault(let fault, _): note("bytes that are no frame: \(fault)")
            case .skipped: break
            }
        }
        frames = reader
    }
}
