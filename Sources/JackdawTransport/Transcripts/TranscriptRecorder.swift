/// Makes the lines of a transcript as things happen.
actor TranscriptRecorder {
    /// Bytes of one line at most.
    static let lineBytes = 4_096

    private let clock: ElapsedClock
    /// Let go of once the link is closed: it may be opened again, into the same file.
    private var sink: (@Sendable (String) throws(LinkError) -> Void)?
    private var mask: (any TranscriptMask)?
    private var hasEnded = false

    init(
        _ secrecy: TranscriptSecrecy, _ clock: ElapsedClock,
        _ sink: @escaping @Sendable (String) throws(LinkError) -> Void
    ) {
        self.clock = clock
        self.sink = sink
        if case .masked(let mask) = secrecy { self.mask = mask }
    }

    /// Keeps bytes.
    func bytes(_ bytes: [UInt8], isSent: Bool) throws(LinkError) {
        guard !bytes.isEmpty else { return }
        var kept = mask?.mask(bytes, isSent: isSent) ?? bytes
        if kept.count != bytes.count { kept = Array(repeating: nil, count: bytes.count) }
        for start in stride(from: 0, to: kept.count, by: Self.lineBytes) {
            let part = Array(kept[start..<min(start + Self.lineBytes, kept.count)])
            try event(isSent ? .sent(part) : .received(part))
        }
    }

    /// Keeps something else that happened; of ends only the first, and nothing once the link is closed.
    func event(_ event: TranscriptEntry.Event) throws(LinkError) {
        guard let sink else { return }
        switch event {
        case .closed: self.sink = nil
        case .end, .lost:
            guard !hasEnded else { return }
            hasEnded = true
        default: break
        }
        try sink(TranscriptEntry(time: max(.zero, clock.now()), event: event).line + "\n")
    }
}
