import JackdawEMV
import JackdawReaders
import JackdawSimulator

/// A till with a simulated Miura reader.
enum MiuraTill {
    static func make(
        _ file: ChipCardFile = .visa, amount: UInt64 = 6000, payer: String? = nil, faults: [PlannedFault] = [],
        step: Int = .max, interference: (PaymentEvent, after: Int)? = nil
    ) throws -> ReaderTill<MiuraPayment> {
        let parts = try TerminalParts(file, amount: amount, payer: payer)
        let terminal = MiuraTerminal(
            parts.settings, card: parts.card, payer: parts.payer, parts.primitives, pinCipher: parts.pinCipher)
        return ReaderTill(
            MiuraPayment(parts.transaction), SimulatedReader(terminal, faults: faults), parts, step: step,
            interference: interference)
    }

    /// The APDUs of frames.
    static func commands(_ frames: [[UInt8]]) -> [[UInt8]] { frames.map { Array($0.dropFirst(3).dropLast()) } }
}
