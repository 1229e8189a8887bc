public import JackdawReaders

/// ID TECH's magnetic stripe readers, without a key: swipes in the enhanced layout, in clear.
public struct IDTechModel: ReaderModel {
    /// The family.
    public let family = "idtech"
    /// Whether it reads cards from the start; true, as for readers with power of their own.
    public let isAlwaysArmed = true

    /// A reader.
    public init() {}

    /// Settings and questions.
    public var commandFormat: any FrameFormat { IDTechCommandFormat() }

    /// `06` for a setting, `06` and what was asked for a question.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let function = IDTechFunction(rawValue: command[2])
        guard command[1] == UInt8(ascii: "R") else {
            if function == .resetToDefault { device.settings = [:] }
            device.settings[Int(function.rawValue)] =
                command.count > 6 ? (4..<command.count - 2).map { command[$0] } : nil
            return [[Self.acknowledge]]
        }
        switch function {
        case .firmwareVersion: return [Self.answer(Array(device.firmware.utf8))]
        case .serialNumber: return [Self.answer(Self.setting(function, Array(device.serialNumber.utf8)))]
        case .reviewAll:
            let all = device.settings.sorted { $0.key < $1.key }
            return [Self.answer(all.flatMap { Self.setting(IDTechFunction(rawValue: UInt8($0.key)), $0.value) })]
        default:
            guard let value = device.settings[Int(function.rawValue)] else { return [[Self.refuse]] }
            return [Self.answer(Self.setting(function, value))]
        }
    }

    /// `15`.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { [Self.refuse] }

    /// A swipe; nothing of chips.
    public func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let isRead = presentation.manner == .swiped
        guard isRead || presentation.manner == .swipedInVain else { return [] }
        let tracks = presentation.card.tracks.map { isRead ? Array($0.utf8) : [] }
        let present = tracks.enumerated().reduce(UInt8(0)) { $1.element.isEmpty ? $0 : $0 | 1 << UInt8($1.offset) }
        // Read where it is there; noticed in any case.
        let status = 0x38 | present
        let type: UInt8 = presentation.card.kind == .licence ? 0x81 : 0x80
        let body = [type, status] + tracks.map { UInt8($0.count) } + [present, 0] + tracks.joined()
        return (try? IDTechSwipeFormat.frame(body)).map { [$0] } ?? []
    }

    private static let acknowledge: UInt8 = 0x06
    private static let refuse: UInt8 = 0x15

    private static func setting(_ function: IDTechFunction, _ value: [UInt8]) -> [UInt8] {
        [function.rawValue, UInt8(min(value.count, 255))] + value.prefix(255)
    }

    /// `06`, then `02` content `03` and the exclusive or of these.
    private static func answer(_ content: [UInt8]) -> [UInt8] {
        let frame = [0x02] + content + [0x03]
        return [acknowledge] + frame + [frame.reduce(0, ^)]
    }
}
