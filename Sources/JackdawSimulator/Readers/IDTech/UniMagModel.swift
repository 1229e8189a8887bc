public import JackdawReaders

/// ID TECH's readers on the audio jack: they report that they have power, and then speak as ``IDTechModel``.
package struct UniMagModel: ReaderModel {
    /// The family.
    package let family = "unimag"
    /// It reads cards while it has power.
    package let isAlwaysArmed = true

    /// It does.
    package let livesOnJack = true

    private let model: IDTechModel

    /// A reader.
    /// - Parameter cipher: its cipher for swipes; nil for a reader without a key.
    package init(cipher: (any SwipeCipher)? = nil) { model = IDTechModel(family: family, cipher: cipher) }

    /// Settings and questions.
    package var commandFormat: any FrameFormat { model.commandFormat }

    /// The part of the text that was reported, and something made up around it.
    package func powerUpMessage(_ device: SimulatedDevice) -> [UInt8]? { Array("SPPMSR \(device.serialNumber)".utf8) }

    /// As ID TECH's other readers.
    package func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        model.answer(command, &device)
    }

    /// As ID TECH's other readers.
    package var checkSize: Int? { model.checkSize }

    /// As ID TECH's other readers.
    package func reject(_ command: Span<UInt8>) -> [UInt8]? { model.reject(command) }

    /// As ID TECH's other readers.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { model.refuse(command) }

    /// As ID TECH's other readers.
    package func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        model.tell(presentation, &device)
    }
}
