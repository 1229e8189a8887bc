import JackdawReaders
import JackdawSimulator

/// Frames of one protocol, one behind the other.
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

    /// One of every protocol, with frames as readers send them: short ones and long ones.
    static func all() throws -> [FrameStream] {
        func data(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) } }
        let swipe = try IDTechSwipeFormat.frame([0x00, 0x3F, 0, 0, 0] + data(380))
        let setting = [0x02, 0x7E, 0x08] + data(8) + [0x03]
        let settings = [0x06] + setting + [setting.reduce(0, ^)]
        let line = try MagTekFormat.answer(.done, data(120))
        var card = SimulatedDevice()
        let stripe = MagTekModel().tell(Presentation(SimulatedCard.deck[0]), &card).prefix(1).joined()
        var ips = [0x60] + data(129)
        // The CRC of the whole frame is 0.
        ips.append((0...UInt8.max).first { (try? IPSFormat().check(ips + [$0])) != nil } ?? 0)
        let object = Array("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"params\":{\"data\":\"".utf8)
        let text = object + data(400).map { 0x41 + $0 % 26 } + Array("\"}}".utf8)
        let layout = LayoutFormat(
            FrameLayout(start: [2], lengthSize: 2, counted: .content, check: .longitudinal, checked: .length, end: [3]))
        return [
            FrameStream("a layout of a profile", layout, [try layout.frame(data(8)), try layout.frame(data(300))]),
            FrameStream("btmag", BTMagFormat(), [BTMagFormat.frame(data(300).filter { $0 != 3 })]),
            FrameStream(
                "datecs", DatecsFormat(.answer), [try DatecsFormat.answer([]), try DatecsFormat.answer([], data(512))]),
            FrameStream("flojack", FloJackFormat(), [try FloJackFormat.message(.tag, 0, data(40))]),
            FrameStream("idtech, commands", IDTechCommandFormat(), [try IDTechCommandFormat.set(.baudRate, [0x37])]),
            FrameStream("idtech, swipes", IDTechSwipeFormat(), [swipe]),
            FrameStream("idtech, settings", IDTechAnswerFormat(awaiting: .settings), [settings]),
            FrameStream("ips", IPSFormat(), [ips]),
            FrameStream("jsonpos", JSONPOSFormat(), [try JSONPOSFormat.frame(text)]),
            FrameStream("magtek, answers", MagTekFormat(.answer), [line]),
            FrameStream("magtek, swipes", MagTekFormat(.answer), [Array(stripe)]),
            FrameStream(
                "miura, answers", MiuraFormat(.answer),
                try MiuraFormat.answer(data(600)) + MiuraFormat.answer([0x90, 0])),
            FrameStream("neo, short", NEOFormat(.answer), [try NEOFormat.answer(0x18, .done)]),
            FrameStream("neo, long", NEOFormat(.answer), [try NEOFormat.answer(0x02, .done, data(400))]),
            FrameStream("nga", NGAFormat(.answer), [try NGAFormat.frame([6]), try NGAFormat.frame(data(300))]),
            FrameStream("udynamo", DynamoPacketFormat(), DynamoPacketFormat.packets(of: data(255))),
        ]
    }
}
