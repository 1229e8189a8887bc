package import JackdawReaders

/// ID TECH's readers on the audio jack. They report that they have power, and then use the protocol of ``IDTechModel``.
package struct UniMagModel: ReaderModel {
    package let family = "unimag"
    /// Always armed: it reads cards while it has power.
    package let isAlwaysArmed = true

    package let livesOnJack = true

    private let model: IDTechModel

    /// Creates a reader.
    /// - Parameter cipher: its cipher for swipes; nil for a reader without a key.
    package init(cipher: (any SwipeCipher)? = nil) { model = IDTechModel(family: family, cipher: cipher) }

    /// The format of settings and queries.
    package var commandFormat: any FrameFormat { model.commandFormat }

    /// The part of the text that was reported, with synthetic text around it.
    package func powerUpMessage(_ device: SimulatedDevice) -> [UInt8]? { Array("SPPMSR \(device.serialNumber)".utf8) }

    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        model.answer(command, &device)
    }

    package var checkSize: Int? { model.checkSize }

    package func reject(_ command: Span<UInt8>) -> [UInt8]? { model.reject(command) }

    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { model.refuse(command) }

    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        model.tell(presentation, &device)
    }
}

extension SimulatedFamily {
    static let unimag = SimulatedFamily(
        name: "unimag", storesSettings: true, encrypting: { UniMagModel(cipher: $0) }, { UniMagModel() })
}
