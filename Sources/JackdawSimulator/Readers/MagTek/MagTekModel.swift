import JackdawBytes
package import JackdawReaders

/// MagTek's iDynamo. It sends swipes in clear, or, with a key, encrypted with a synthetic fingerprint of the stripe
/// (MagnePrint). Each swipe is followed by padding up to whole blocks of 500 bytes.
package struct MagTekModel: ReaderModel {
    package let family = "magtek"
    /// Always armed: it reads cards from the start.
    package let isAlwaysArmed = true

    private let secrecy: MagTekSecrecy?

    /// A reader without a key.
    package init() { secrecy = nil }

    /// A reader with a key.
    /// - Parameters:
    ///   - cipher: encrypts its swipes; must derive a key for each swipe (DUKPT).
    ///   - magnePrint: the fingerprint of each card, 54 bytes.
    package init(cipher: any SwipeCipher, magnePrint: [UInt8] = MagTekModel.madeUpMagnePrint) {
        secrecy = MagTekSecrecy(cipher: cipher, magnePrint: magnePrint)
    }

    /// A synthetic fingerprint that no stripe has.
    package static let madeUpMagnePrint = [UInt8](repeating: 0x5A, count: 54)

    package var commandFormat: any FrameFormat { MagTekFormat(.command) }

    /// Answers with a result, and the value of a query.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let bytes = Self.bytes(command)
        switch (bytes.first, bytes.dropFirst(2).first) {
        case (MagTekCommand.getProperty.rawValue, MagTekProperty.software.rawValue):
            return [Self.answer(.done, Array(device.firmware.utf8))]
        case (MagTekCommand.getProperty.rawValue, MagTekProperty.serialNumber.rawValue):
            return [Self.answer(.done, Array(device.serialNumber.utf8))]
        case (MagTekCommand.getProperty.rawValue, let number?):
            guard let value = device.settings[Int(number)] else { return [Self.answer(.badParameter)] }
            return [Self.answer(.done, value)]
        case (MagTekCommand.setProperty.rawValue, let number?):
            device.settings[Int(number)] = Array(bytes.dropFirst(3))
            return [Self.answer(.done)]
        case (MagTekCommand.keySerialNumber.rawValue, _):
            guard let secrecy else { return [Self.answer(.failed)] }
            return [Self.answer(.done, secrecy.cipher.keySerialNumber)]
        case (MagTekCommand.reset.rawValue, _): return [Self.answer(.done)]
        default: return [Self.answer(.badParameter)]
        }
    }

    /// Refuses with the result 01.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.answer(.failed) }

    /// Sends a swipe, read or not, and the padding of its last block; reports no chip cards.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard let line = line(of: presentation, device) else { return [] }
        let rest = line.count % MagTekFormat.blockSize
        guard rest > 0 else { return [line] }
        return [line, [UInt8](repeating: MagTekFormat.filler, count: MagTekFormat.blockSize - rest)]
    }

    /// The line of a swipe: with `E` in place of each track of a card that was not read; nil if nothing was swiped.
    func line(of presentation: Presentation, _ device: SimulatedDevice) -> [UInt8]? {
        guard [.swiped, .swipedInVain].contains(presentation.manner) else { return nil }
        let tracks = presentation.card.tracks.enumerated().map { index, track -> [UInt8] in
            // Here track 3 begins with a plus sign.
            let text = index == 2 && track.first == ";" ? "+" + track.dropFirst() : track
            return Array((presentation.manner == .swiped || text.isEmpty ? text : "\(text.prefix(1))E?").utf8)
        }
        let serialNumber = Array(device.serialNumber.utf8)
        if let secrecy { return try? MagTekFormat.swipe(secrecy.fields(of: tracks, serialNumber: serialNumber)) }
        // As 99875475-10 prints the line of a reader without keys: plain text, and neither fingerprint nor key.
        let fields =
            [tracks.flatMap(MagTekSecrecy.masked), Array("0200".utf8)] + tracks
            + [[], [], serialNumber, Array("0000000000000000".utf8), []]
        return try? MagTekFormat.swipe(fields, format: Array("1000".utf8))
    }

    private static func answer(_ result: MagTekResult, _ data: [UInt8] = []) -> [UInt8] {
        (try? MagTekFormat.answer(result, Array(data.prefix(255)))) ?? []
    }

    /// The bytes of a line's hexadecimal digits.
    private static func bytes(_ line: Span<UInt8>) -> [UInt8] {
        stride(from: 0, to: line.count - 2, by: 2).map { line.byte(at: $0) ?? 0 }
    }
}

/// Encrypts swipes as MagTek's readers do, independent of the link.
struct MagTekSecrecy: Sendable {
    /// The parts of an encrypted swipe.
    struct Swipe {
        let masked: [[UInt8]]
        let tracks: [[UInt8]]
        let magnePrint: [UInt8]
        let session: [UInt8]
        let keySerialNumber: [UInt8]
    }

    let cipher: any SwipeCipher
    let magnePrint: [UInt8]

    /// The fingerprint's status: the reader reads fingerprints.
    static let magnePrintStatus: [UInt8] = [0xA1, 0x05, 0x00, 0x00]

    /// The encryption status, the same for all parts of a swipe.
    func status(isExhausted: Bool) -> MagTekSwipe.EncryptionStatus {
        var status: MagTekSwipe.EncryptionStatus = [.hasKey, .isEncrypting]
        if isExhausted { status.insert(.isExhausted) }
        if !cipher.usesPINKey { status.formUnion([.usesDataVariant, .usesDataVariantForMagnePrint]) }
        return status
    }

    /// Encrypts a swipe; the part of a track that the card lacks stays empty.
    /// - Returns: the encrypted swipe; nil if no key is left.
    func encrypt(_ tracks: [[UInt8]]) -> Swipe? {
        let session = [UInt8](repeating: 0, count: 8)
        guard let encrypted = cipher.encrypt(tracks + [magnePrint, session], by: .tripleDES) else { return nil }
        return Swipe(
            masked: tracks.map(Self.masked), tracks: Array(encrypted.parts[..<3]), magnePrint: encrypted.parts[3],
            session: encrypted.parts[4], keySerialNumber: encrypted.keySerialNumber)
    }

    /// A track as the reader masks it; the `E` of a track that was not read stays.
    static func masked(_ track: [UInt8]) -> [UInt8] {
        MagTekSwipe.isUnread(track.span) ? track : TrackMask.zeros(track)
    }

    /// The fields of a line; if no key is left, all but the status and the reader's serial number are empty.
    func fields(of tracks: [[UInt8]], serialNumber: [UInt8]) -> [[UInt8]] {
        func digits(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array($0.hexadecimal.utf8) } }
        let swipe = encrypt(tracks)
        let status = status(isExhausted: swipe == nil).rawValue
        let statusDigits = digits([UInt8(status & 0xFF), UInt8(status >> 8)])
        guard let swipe else {
            return [[], statusDigits] + [[UInt8]](repeating: [], count: 5) + [serialNumber, [], []]
        }
        return [swipe.masked.flatMap(\.self), statusDigits] + swipe.tracks.map(digits)
            + [Self.magnePrintStatus, swipe.magnePrint].map(digits) + [serialNumber]
            + [swipe.session, swipe.keySerialNumber].map(digits)
    }
}

extension SimulatedFamily {
    static let magtek = SimulatedFamily(
        name: "magtek", storesSettings: true, identityFaults: [.refusal],
        encrypting: { $0.isDeriving ? MagTekModel(cipher: $0) : nil }, { MagTekModel() })
}
