import JackdawEMV
package import JackdawReaders

/// ID TECH's NEO readers. A transaction ends with tracks in clear, or, with a key, with an encrypted swipe as ID TECH's
/// stripe readers send it.
package struct NEOModel: ReaderModel {
    package let family = "neo"

    private let cipher: (any SwipeCipher)?

    /// Creates a reader.
    /// - Parameter cipher: its cipher for swipes; nil for a reader without a key.
    package init(cipher: (any SwipeCipher)? = nil) { self.cipher = cipher }

    /// The format of protocol 2.
    package var commandFormat: any FrameFormat { NEOFormat(.command) }

    /// Answers with a status; activate transaction is answered later, with the card.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
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
            // One object, stored as received.
            device.settings[data.prefix(2).reduce(0) { $0 << 8 | Int($1) }] = data
            return [Self.answer(Self.configure, .done)]
        case (Self.ping, 0x01), (Self.pollMode, 0x01): return [Self.answer(command[10], .done)]
        default: return [Self.answer(command[10], .unknownCommand)]
        }
    }

    /// The CRC has two bytes.
    package var checkSize: Int? { 2 }

    /// Rejects with the status 04.
    package func reject(_ command: Span<UInt8>) -> [UInt8]? { Self.answer(command[10], .crcError) }

    /// Refuses with the status 0A.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.answer(command[10], .notAcknowledged) }

    /// Answers activate transaction with the tracks of a swiped or tapped card; reports no chip cards.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        switch presentation.manner {
        case .inserted, .removed, .unreadable, .swipedWithChip: return []
        case .swipedInVain:
            device.isArmed = false
            return [Self.answer(Self.activate, .notAcknowledged)]
        case .swiped, .tapped:
            device.isArmed = false
            let isTapped = presentation.manner == .tapped
            if let cipher { return Self.encrypted(presentation.card, cipher, isTapped: isTapped) }
            let tracks = presentation.card.countedTracks
            // No clearing record; how the card was read (9F39), and whether from a stripe (DF30).
            let (entry, source): (UInt8, UInt8) = isTapped ? (0x91, 0x00) : (0x90, 0x0C)
            let objects: [UInt8] = [0x9F, 0x39, 0x01, entry, 0xFF, 0xEE, 0x01, 0x04, 0xDF, 0x30, 0x01, source]
            return [Self.answer(Self.activate, .done, tracks + [0x00] + objects)]
        }
    }

    /// An object that contains a whole swipe frame, after an object with the key serial number.
    private static func encrypted(
        _ card: SimulatedCard, _ cipher: any SwipeCipher, isTapped: Bool
    ) -> [[UInt8]] {
        guard let frame = IDTechSwipeMaker(card: card).frame(encryptedBy: cipher, .tripleDES),
            let layout = try? IDTechSwipe(frame.span)
        else { return [answer(activate, Self.exhausted)] }
        let number = layout.keySerialNumber.map { TagLengthValueBuilder.encode(0xDFEE12, Array(frame[$0])) } ?? []
        // Attributes: swiped or contactless, and whether the following data is encrypted.
        let attributes: UInt8 = (isTapped ? 0x10 : 0x18) | (layout.keySerialNumber == nil ? 0x00 : 0x01)
        return [answer(activate, .done, [attributes] + number + TagLengthValueBuilder.encode(0xDFEE23, frame))]
    }

    private static let exhausted = NEOStatus(rawValue: 0x91)
    private static let dataStart = 14
    private static let pollMode: UInt8 = 0x01
    private static let activate: UInt8 = 0x02
    private static let configuration: UInt8 = 0x03
    private static let configure: UInt8 = 0x04
    private static let cancel: UInt8 = 0x05
    private static let ping: UInt8 = 0x18

    private static func answer(_ command: UInt8, _ status: NEOStatus, _ data: [UInt8] = []) -> [UInt8] {
        // The data is too short to be refused.
        (try? NEOFormat.answer(command, status, data)) ?? []
    }
}

extension SimulatedFamily {
    static let neo = SimulatedFamily(
        name: "neo", notices: [.tapped], refusesUnreadCards: true, encrypting: { NEOModel(cipher: $0) },
        { NEOModel() })
}
