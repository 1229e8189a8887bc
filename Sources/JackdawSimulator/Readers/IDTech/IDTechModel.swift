import JackdawDSP
package import JackdawReaders

/// ID TECH's magnetic stripe readers. Without a key, swipes are sent in clear, in the enhanced layout. With a key they
/// are encrypted, by triple DES and in the enhanced layout unless settings (4C, 85) select others.
package struct IDTechModel: ReaderModel {
    /// The family: `idtech`, or another with the same protocol.
    package let family: String
    /// Whether it reads cards from the start; true, as for readers with power of their own.
    package let isAlwaysArmed = true

    private let cipher: (any SwipeCipher)?

    /// Creates a reader.
    /// - Parameter cipher: its cipher for swipes; nil for a reader without a key.
    package init(cipher: (any SwipeCipher)? = nil) { self.init(family: "idtech", cipher: cipher) }

    init(family: String, cipher: (any SwipeCipher)? = nil) {
        self.family = family
        self.cipher = cipher
    }

    /// The format of settings and queries.
    package var commandFormat: any FrameFormat { IDTechCommandFormat() }

    /// Answers a setting with `06`, and a query with `06` and the value.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
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
            let all = device.settings.sorted { $0.key < $1.key }.compactMap { key, value in
                UInt8(exactly: key).map { Self.setting(IDTechFunction(rawValue: $0), value) }
            }
            return [Self.answer(all.flatMap(\.self))]
        case .nextKeySerialNumber:
            guard let number = cipher?.keySerialNumber, !number.isEmpty else { return [[Self.refuse]] }
            return [Self.answer(Self.setting(function, number))]
        default:
            guard let value = setting(function, device) else { return [[Self.refuse]] }
            return [Self.answer(Self.setting(function, value))]
        }
    }

    /// The LRC is one byte.
    package var checkSize: Int? { 1 }

    /// Rejects with `15`, as it refuses (iMag manual).
    package func reject(_ command: Span<UInt8>) -> [UInt8]? { [Self.refuse] }

    /// Refuses with `15` (NAK).
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { [Self.refuse] }

    /// Sends a swipe; reports no chip cards.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let isRead = presentation.manner == .swiped
        guard isRead || presentation.manner == .swipedInVain else { return [] }
        let isEnhanced = setting(.outputFormat, device).map { $0 == [UInt8(ascii: "1")] } ?? true
        let maker = IDTechSwipeMaker(card: presentation.card, isRead: isRead, isEnhanced: isEnhanced)
        let encryption = setting(.encryption, device) ?? [Self.inClear]
        guard let cipher, encryption != [Self.inClear] else { return maker.frameInClear().map { [$0] } ?? [] }
        return maker.frame(encryptedBy: cipher, encryption == [Self.aes] ? .aes : .tripleDES).map { [$0] } ?? []
    }

    /// The value of a setting, or the factory value of a reader with a key.
    private func setting(_ function: IDTechFunction, _ device: SimulatedDevice) -> [UInt8]? {
        if let value = device.settings[Int(function.rawValue)] { return value }
        guard let cipher else { return nil }
        return switch function {
        case .encryption: [Self.tripleDES]
        case .outputFormat: [UInt8(ascii: "1")]
        case .keyManagement: [UInt8(ascii: cipher.isDeriving ? "1" : "0")]
        case .securityLevel: [UInt8(ascii: "3")]
        default: nil
        }
    }

    /// Values of the setting 4C.
    private static let inClear = UInt8(ascii: "0")
    private static let tripleDES = UInt8(ascii: "1")
    private static let aes = UInt8(ascii: "2")

    private static let acknowledge: UInt8 = 0x06
    private static let refuse: UInt8 = 0x15

    private static func setting(_ function: IDTechFunction, _ value: [UInt8]) -> [UInt8] {
        [function.rawValue, UInt8(min(value.count, 255))] + value.prefix(255)
    }

    /// `06`, then `02`, the content, `03` and the exclusive or of these.
    private static func answer(_ content: [UInt8]) -> [UInt8] {
        let frame = [0x02] + content + [0x03]
        return [acknowledge] + frame + [frame.reduce(0, ^)]
    }
}

/// Makes swipe frames in the layouts of ID TECH's stripe readers, which its NEO readers also send.
struct IDTechSwipeMaker {
    let card: SimulatedCard
    /// Whether the card was read; if false, the reader only noticed the swipe.
    var isRead = true
    /// Whether to use the enhanced layout.
    var isEnhanced = true

    /// The frame of a swipe in clear.
    func frameInClear() -> [UInt8]? {
        let tracks = card.tracks.map { isRead ? Array($0.utf8) : [] }
        let flags = isEnhanced ? [present(tracks), 0] : []
        return frame(tracks, flags + tracks.joined())
    }

    /// The frame of an encrypted swipe. A licence is sent in clear, as such readers do unless they are set to encrypt
    /// everything.
    /// - Returns: the frame; nil if the cipher cannot encrypt the swipe.
    func frame(encryptedBy cipher: any SwipeCipher, _ kind: IDTechSwipe.Cipher) -> [UInt8]? {
        guard isRead, card.kind != .licence else { return frameInClear() }
        let tracks = card.tracks.map { $0.isEmpty ? [] : Array($0.utf8) + [Self.redundancyCheck(of: Array($0.utf8))] }
        let (present, masked) = (present(tracks), tracks.map(TrackMask.stars))
        // The original layout encrypts tracks 1 and 2 together, and sends track 3 in clear.
        let parts = isEnhanced ? tracks.filter { !$0.isEmpty } : [tracks[0] + tracks[1]]
        guard let encrypted = cipher.encrypt(parts, by: kind == .aes ? .aes : .tripleDES) else { return nil }
        var hashes: [UInt8] = []
        for track in isEnhanced ? tracks : Array(tracks.prefix(2)) where !track.isEmpty {
            guard let hash = cipher.hash(of: track) else { return nil }
            hashes += hash
        }
        let serialNumber = encrypted.keySerialNumber
        guard isEnhanced else {
            let noNumber = [UInt8](repeating: 0, count: 10)
            return frame(
                tracks,
                masked[0] + masked[1] + tracks[2] + encrypted.parts.joined() + hashes
                    + (serialNumber.isEmpty ? noNumber : serialNumber))
        }
        let sent = present & 0x03 | kind.rawValue << 4
        let follows = present | present << 3 | (serialNumber.isEmpty ? 0 : 0x80)
        return frame(
            tracks, [sent, follows] + masked[0] + masked[1] + encrypted.parts.joined() + hashes + serialNumber)
    }

    /// A frame from type, status and lengths, and the rest.
    private func frame(_ tracks: [[UInt8]], _ rest: [UInt8]) -> [UInt8]? {
        let type: UInt8 = (card.kind == .licence ? 0x01 : 0x00) | (isEnhanced ? 0x80 : 0)
        // Bits 0 to 2: the tracks that were read; bits 3 to 5: all tracks were noticed.
        let status = 0x38 | present(tracks)
        return try? IDTechSwipeFormat.frame([type, status] + tracks.map { UInt8($0.count) } + rest)
    }

    private func present(_ tracks: [[UInt8]]) -> UInt8 {
        tracks.enumerated().reduce(UInt8(0)) { $1.element.isEmpty ? $0 : $0 | 1 << UInt8($1.offset) }
    }

    /// The character after a track that makes each column of bits even (ISO 7811).
    private static func redundancyCheck(of text: [UInt8]) -> UInt8 {
        let code: CharacterCode = text[0] == UInt8(ascii: "%") ? .alphanumeric : .numeric
        return code.ascii(LongitudinalRedundancyCheck(of: text.compactMap(code.value(ofASCII:))).value)
    }
}

extension SimulatedFamily {
    static let btmag = SimulatedFamily(
        name: "btmag", storesSettings: true, identityFaults: [.refusal],
        encrypting: { IDTechModel(family: "btmag", cipher: $0) }, { IDTechModel(family: "btmag") })
    static let idtech = SimulatedFamily(
        name: "idtech", storesSettings: true, identityFaults: [.refusal],
        encrypting: { IDTechModel(cipher: $0) }, { IDTechModel() })
}
