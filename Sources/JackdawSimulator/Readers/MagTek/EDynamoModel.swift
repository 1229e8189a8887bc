package import JackdawReaders

/// MagTek's eDynamo. It sends swipes in notifications of 20 bytes, in clear, or encrypted if it has a key.
package struct EDynamoModel: ReaderModel {
    package let family = "edynamo"
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

    /// The format of packets, none of which the reader accepts.
    package var commandFormat: any FrameFormat { PacketFormat() }

    /// Nothing: the commands are not published.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] { [] }

    /// Nil: the commands are not published.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { nil }

    /// Sends a swipe, compressed as the reader does; reports no chip cards.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
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
        // Without a key, the status that D998200115-17 prints, appendix B.1.1.
        let status = secrecy?.status(isExhausted: false) ?? .hasKey
        record.replaceSubrange(MagTekCardRecord.encryptionStatus, with: status.recordBytes)
        if isRead, let secrecy { encrypt(presentation.card, secrecy, &record) }
        record[6] = presentation.card.kind == .licence ? 1 : 0
        for (place, byte) in device.serialNumber.utf8.prefix(16).enumerated() { record[477 + place] = byte }
        record[930] = UInt8(clamping: device.battery)
        return notifications(record)
    }

    /// Replaces the tracks in clear by encrypted and masked ones.
    private func encrypt(_ card: SimulatedCard, _ secrecy: MagTekSecrecy, _ record: inout [UInt8]) {
        func put(_ bytes: [UInt8], _ place: Int) { record.replaceSubrange(place..<place + bytes.count, with: bytes) }
        let tracks = card.tracks.map { Array($0.utf8.prefix(112)) }
        let swipe = secrecy.encrypt(tracks)
        put(secrecy.status(isExhausted: swipe == nil).recordBytes, MagTekCardRecord.encryptionStatus.lowerBound)
        for index in 0..<3 {
            let (encrypted, masked) = (swipe?.tracks[index] ?? [], swipe?.masked[index] ?? [])
            record[3 + index] = UInt8(encrypted.count)
            record[505 + index] = UInt8(masked.count)
            record[852 + index] = UInt8(masked.count)
            put([UInt8](repeating: 0, count: 112), 7 + 112 * index)
            put([UInt8](repeating: 0, count: 112), 508 + 112 * index)
            put(encrypted, 7 + 112 * index)
            put(masked, 508 + 112 * index)
        }
        guard let swipe else { return }
        put(MagTekSecrecy.magnePrintStatus + [UInt8(swipe.magnePrint.count)] + swipe.magnePrint, 344)
        put(swipe.keySerialNumber, 495)
        put(swipe.session, 844)
        record[855] = UInt8(secrecy.magnePrint.count)
        // `FFFFFF`: transactions are not counted.
        put([0xFF, 0xFF, 0xFF], 856)
        put(secrecy.cipher.hash(of: tracks[1]) ?? [], 867)
        put(swipe.keySerialNumber, 920)
    }

    /// A message as notifications, compressed.
    private func notifications(_ record: [UInt8]) -> [[UInt8]] {
        (try? MagTekBlockJoiner.blocks(of: [1] + MagTekRunLength.encode(record.span), size: 20)) ?? []
    }
}

extension SimulatedFamily {
    static let edynamo = SimulatedFamily(
        name: "edynamo", encrypting: { $0.isDeriving ? EDynamoModel(cipher: $0) : nil }, { EDynamoModel() })
}
