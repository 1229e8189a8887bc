public import JackdawReaders

/// MagTek's eDynamo without a key: swipes in clear, in notifications of 20 bytes.
public struct EDynamoModel: ReaderModel {
    /// The family.
    public let family = "edynamo"
    /// It reads cards from the start.
    public let isAlwaysArmed = true

    /// A reader.
    public init() {}

    /// Packets, of which it takes none.
    public var commandFormat: any FrameFormat { PacketFormat() }

    /// Nothing: commands are not published.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] { [] }

    /// It has no way to.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// A swipe, shortened as the reader does; nothing of chips.
    public func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let isRead = presentation.manner == .swiped
        guard isRead || presentation.manner == .swipedInVain else { return [] }
        var record = [UInt8](repeating: 0, count: MagTekCardRecord.wholeSize)
        for (index, track) in presentation.card.tracks.enumerated() where !track.isEmpty {
            guard isRead else {
                record[index] = 1
                continue
            }
            let count = min(track.utf8.count, 112)
            record[3 + index] = UInt8(count)
            record[505 + index] = UInt8(count)
            record[852 + index] = UInt8(count)
            for (place, byte) in track.utf8.prefix(count).enumerated() {
                record[7 + 112 * index + place] = byte
                record[508 + 112 * index + place] = byte
            }
        }
        record[6] = presentation.card.kind == .licence ? 1 : 0
        for (place, byte) in device.serialNumber.utf8.prefix(16).enumerated() { record[477 + place] = byte }
        record[930] = UInt8(clamping: device.battery)
        return (try? MagTekBlockJoiner.blocks(of: [1] + MagTekRunLength.encode(record.span), size: 20)) ?? []
    }
}
