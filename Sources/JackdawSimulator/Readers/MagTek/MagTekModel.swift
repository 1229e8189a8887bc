public import JackdawReaders

/// MagTek's iDynamo: swipes in clear, or with a key encrypted, with a fingerprint of the stripe (MagnePrint) that is made up.
public struct MagTekModel: ReaderModel {
    /// The family.
    public let family = "magtek"
    /// It reads cards from the start.
    public let isAlwaysArmed = true

    private let secrecy: MagTekSecrecy?

    /// A reader without a key.
    public init() { secrecy = nil }

    /// A reader with a key.
    /// - Parameters:
    ///   - cipher: what it encrypts swipes with; each has to have a key of its own (DUKPT).
    ///   - magnePrint: the fingerprint that each card has, 54 bytes.
    public init(cipher: any SwipeCipher, magnePrint: [UInt8] = MagTekModel.madeUpMagnePrint) {
        secrecy = MagTekSecrecy(cipher: cipher, magnePrint: magnePrint)
    }

    /// A fingerprint that no stripe has.
    public static let madeUpMagnePrint = [UInt8](repeating: 0x5A, count: 54)

    /// Lines.
    public var commandFormat: any FrameFormat { MagTekFormat(.command) }

    /// A result, with what was asked.
    public func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
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

    /// A result of 01.
    public func refuse(_ command: Span<UInt8>) -> [UInt8]? { Self.answer(.failed) }

    /// A swipe; nothing of chips, nor of swipes that were not read.
    public func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard presentation.manner == .swiped else { return [] }
        let tracks = presentation.card.tracks.enumerated().map { index, track in
            // Track 3 begins with a plus sign here.
            Array((index == 2 && track.first == ";" ? "+" + track.dropFirst() : track).utf8)
        }
        let zeros = Array("00000000".utf8)
        if let secrecy {
            let fields = secrecy.fields(of: tracks, serialNumber: device.serialNumber, Self.digits)
            return (try? MagTekFormat.swipe(fields)).map { [$0] } ?? []
        }
        let fields =
            [tracks.flatMap(\.self), Array("0000".utf8)] + tracks.map(Self.digits)
            + [zeros, [], Array(device.serialNumber.utf8), zeros + zeros, []]
        return (try? MagTekFormat.swipe(fields)).map { [$0] } ?? []
    }

    private static func answer(_ result: MagTekResult, _ data: [UInt8] = []) -> [UInt8] {
        (try? MagTekFormat.answer(result, Array(data.prefix(255)))) ?? []
    }

    private static func digits(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array($0.hexadecimal.utf8) } }

    /// The bytes that a line's digits say.
    private static func bytes(_ line: Span<UInt8>) -> [UInt8] {
        stride(from: 0, to: line.count - 2, by: 2).map { line.byte(at: $0) ?? 0 }
    }
}
