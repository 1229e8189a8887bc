import JackdawEMV
package import JackdawReaders

/// Miura's readers, set to send tracks in clear.
package struct MiuraModel: ReaderModel {
    package let family = "miura"

    package init() {}

    package var commandFormat: any FrameFormat { MiuraFormat(.command) }

    /// Answers with the value of a query and the status 9000; with 6D00 to an unknown command.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard command.count >= 8 else { return Self.frames([0x67, 0x00]) }
        switch MiuraInstruction(rawValue: UInt16(command[3]) << 8 | UInt16(command[4])) {
        case .reset:
            device.isArmed = false
            let parts = device.firmware.split(separator: " ")
            let name = parts.dropLast().joined(separator: "-")
            let version = parts.last.map(String.init) ?? ""
            // 9F1E has eight characters (EMV book 4).
            let serialNumber = Self.object(0x9F1E, Array(device.serialNumber.utf8.suffix(8)))
            let program = Self.object(0xEF, Self.pair(name, version))
            let system = Self.object(0xEF, Self.pair("JACKDAW-OS", version))
            return Self.frames(Self.object(0xE1, serialNumber + program + system) + Self.done)
        case .deviceInformation:
            // Some capabilities have a value, others have only a name.
            let objects = Self.capabilities.flatMap { Self.object(0xED, Self.pair($0.name, $0.value)) }
            return Self.frames(Self.object(0xE1, objects) + Self.done)
        case .batteryStatus:
            return Self.frames(
                Self.object(
                    0xE1,
                    Self.object(0xDFA209, [device.isCharging ? 1 : 0]) + Self.object(0xDFA20A, [UInt8(device.battery)]))
                    + Self.done)
        case .cardStatus:
            device.isArmed = command[5] & 1 != 0
            // The card status itself is the answer.
            let status = Self.object(0xE1, Self.object(0x48, [0, 0])) + Self.done
            return device.isArmed ? Self.frames(status, isUnsolicited: true) : []
        case .abort, .displayText, .keyboardStatus, .systemClock: return Self.frames(Self.done)
        default: return Self.frames([0x6D, 0x00])
        }
    }

    /// Refuses with the status 9F22: not ready.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.frames([0x9F, 0x22]).first }

    /// Reports the card status, with the tracks of a swipe. Contactless cards and the use of a chip belong to
    /// transactions, which the model lacks.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        var objects: [UInt8] = []
        switch presentation.manner {
        case .inserted: objects = Self.object(0x48, [0x03, 0x00])
        case .removed: objects = Self.object(0x48, [0x00, 0x00])
        case .unreadable: objects = Self.object(0x48, [0x01, 0x00])
        case .tapped, .swipedWithChip: return []
        case .swipedInVain: objects = Self.object(0x48, [0x00, 0x01])
        case .swiped:
            var flags: UInt8 = 0x01
            var tracks: [UInt8] = []
            for (index, track) in presentation.card.tracks.enumerated() where !track.isEmpty {
                flags |= 0x02 << UInt8(index)
                tracks += Self.object(Self.trackTags[index], Array(track.utf8))
            }
            objects = Self.object(0x48, [0x00, flags]) + tracks
        }
        return Self.frames(Self.object(0xE1, objects) + Self.done, isUnsolicited: true)
    }

    /// Invented names, as the real ones are not published.
    private static let capabilities: [(name: String, value: String?)] = [("Bluetooth", nil), ("Battery", "1")]

    private static let done: [UInt8] = [0x90, 0x00]

    /// An object of an identifier, and its version or value.
    private static func pair(_ identifier: String, _ version: String?) -> [UInt8] {
        object(0xDF0D, Array(identifier.utf8)) + (version.map { object(0xDF7F, Array($0.utf8)) } ?? [])
    }

    private static func frames(_ apdu: [UInt8], isUnsolicited: Bool = false) -> [[UInt8]] {
        // Every APDU here has a status, so it is never too short.
        (try? MiuraFormat.answer(apdu, isUnsolicited: isUnsolicited)) ?? []
    }

    private static func object(_ tag: Tag, _ value: [UInt8]) -> [UInt8] { TagLengthValueBuilder.encode(tag, value) }

    private static let trackTags: [Tag] = [0x5F21, 0x5F22, 0x5F23]
}

extension SimulatedFamily {
    static let miura = SimulatedFamily(name: "miura") { MiuraModel() }
}
