import JackdawReaders

/// Frames of one protocol, one after another.
struct FrameStream {
    let name: String
    let format: any FrameFormat
    let bytes: [UInt8]
    let frames: Int

    /// - Parameters:
    ///   - name: of the protocol and what is sent.
    ///   - format: whose frames they are.
    ///   - kinds: frames that the stream has in turn.
    ///   - size: bytes of the stream, more or less.
    init(_ name: String, _ format: any FrameFormat, _ kinds: [[UInt8]], size: Int = 4_000_000) {
        self.name = name
        self.format = format
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 300_000)
        var frames = 0
        while bytes.count < size {
            bytes += kinds[frames % kinds.count]
            frames += 1
        }
        self.bytes = bytes
        self.frames = frames
    }

    /// Cuts the stream into its frames.
    /// - Parameter piece: bytes that come at a time.
    /// - Returns: how many there were.
    func cut(piece: Int) -> Int { Self.cut(bytes, piece: piece, with: format) }

    private static func cut(_ bytes: [UInt8], piece: Int, with format: some FrameFormat) -> Int {
        var reader = FrameReader(format)
        var found = 0
        var start = 0
        while start < bytes.count {
            let end = min(start + piece, bytes.count)
            reader.receive(bytes.span.extracting(start..<end)) { event, _ in
                if case .frame = event { found += 1 }
            }
            start = end
        }
        return found
    }

    /// The streams that the protocols declare, with frames as readers send them: short ones and long ones.
    static func all() throws -> [FrameStream] {
        func data(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) } }
        let layout = LayoutFormat(
            FrameLayout(start: [2], lengthSize: 2, counted: .content, check: .longitudinal, checked: .length, end: [3]))
        var streams = [
            FrameStream("a layout of a profile", layout, [try layout.frame(data(8)), try layout.frame(data(300))])
        ]
        for named in FrameProtocol.all {
            for kind in named.kinds {
                guard let format = kind.stream else { continue }
                streams += try kind.measured().map { measured in
                    let name = measured.name.isEmpty ? named.name : "\(named.name), \(measured.name)"
                    return FrameStream(name, format, measured.frames)
                }
            }
        }
        return streams
    }
}
