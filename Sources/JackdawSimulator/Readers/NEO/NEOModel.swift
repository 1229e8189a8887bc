public import JackdawReaders

/// ID TECH's NEO readers without a key: tracks in clear, with which a transaction ends.
public struct NEOModel: ReaderModel {
    /// The family.
    public let family = "neo"

    /// A reader.
    public init() {}

    /// Protocol 2.
    public var commandFormat: any FrameFormat { NEOFormat(.command) }

    /// A status; nothing to activate transaction, which is answered with the card.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let data = (Self.dataStart..<command.count - 2).map { command[$0] }
        switch (command[10], command[11]) {
        case (Self.activate, 0x01):
            device.isArmed = true
            return []
        case (Self.cancel, 0x01):
            device.isArmed = false
            return [Self.answer(Self.cancel, .done)]
        case (Self.configuration, 0x02):
            return [Self.answer(Self.configuration, .done, device.settings.sorted { $0.key < $1.key }.flatMap(\.value))]
        case (Self.configure, 0x00):
            // One object, kept as it came.
            device.settings[data.prefix(2).reduce(0) { $0 << 8 | Int($1) }] = data
            return [Self.answer(Self.configure, .done)]
        case (Self.ping, 0x01), (Self.pollMode, 0x01): return [Self.answer(command[10], .done)]
        default: return [Self.answer(command[10], .unknownCommand)]
        }
    }

    /// A status of 0A.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.answer(command[10], .notAcknowledged) }

    /// The answer to activate transaction: tracks, where the card was read. Nothing of chips.
    public func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch presentation.manner {
        case .inserted, .removed: return []
        case .swipedInVain:
            device.isArmed = false
            return [Self.answer(Self.activate, .notAcknowledged)]
        case .swiped:
            device.isArmed = false
            let tracks = presentation.card.tracks.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            // No clearing record; the card was swiped (9F39), its tracks come from a stripe (DF30).
            let objects: [UInt8] = [0x9F, 0x39, 0x01, 0x90, 0xFF, 0xEE, 0x01, 0x04, 0xDF, 0x30, 0x01, 0x0C]
            return [Self.answer(Self.activate, .done, tracks + [0x00] + objects)]
        }
    }

    private static let dataStart = 14
    private static let pollMode: UInt8 = 0x01
    private static let activate: UInt8 = 0x02
    private static let configuration: UInt8 = 0x03
    private static let configure: UInt8 = 0x04
    private static let cancel: UInt8 = 0x05
    private static let ping: UInt8 = 0x18

    private static func answer(_ command: UInt8, _ status: NEOStatus, _ data: [UInt8] = []) -> [UInt8] {
        // The data is short.
        (try? NEOFormat.answer(command, status, data)) ?? []
    }
}
