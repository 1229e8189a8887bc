import JackdawReaders

/// The protocol of an invented reader. A frame is `02`, the length of its content, the content, and an LRC of length and
/// content. The content is the number of a message, and its data.
struct ExampleDialect: ReaderDialect {
    let family = "example"
    let times = ReaderTimes()
    let frames = LayoutFormat(
        FrameLayout(start: [0x02], lengthSize: 1, counted: .content, check: .longitudinal, checked: .length, end: []))

    var identification: [ReaderRequest] { request("its serial number", 0x01) }

    func format(awaiting request: ReaderRequest?) -> any FrameFormat { frames }

    func arming(for duration: Duration) -> [ReaderRequest] { request("a card", 0x02) }

    func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        // The reader ends its wait by itself after a swipe.
        reason == .swiped ? [] : request("the end of the wait", 0x03)
    }

    func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let content = frame.extracting(2..<frame.count - 1)
        guard !content.isEmpty else { return [.unknown("a frame without content")] }
        let data = content.extracting(1...)
        switch content[0] {
        case 0x10: return [.done()]
        case 0x11: return [.done([.serialNumber(String(decoding: data.indices.map { data[$0] }, as: UTF8.self))])]
        case 0x15: return [.refused("the reader cannot do it now")]
        case 0x20:
            var swipe = ReaderSwipe.Builder()
            swipe.add(.track(2), data)
            return [.swipe(swipe.finish(family: family, cipher: nil))]
        case 0x21: return [.badSwipe("the card could not be read")]
        case let number: return [.unknown("message \(number)")]
        }
    }

    private func request(_ name: String, _ number: UInt8) -> [ReaderRequest] {
        // One byte fits into every frame.
        guard let bytes = try? frames.frame([number]) else { return [] }
        return [ReaderRequest(name, bytes)]
    }
}
