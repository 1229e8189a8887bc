import JackdawBytes
import JackdawEMV

/// The protocol of a virtual reader (vsmartcard's vpcd), the card's side: two octets of length, the most significant
/// first, then a message. A message of one octet controls the card; any other one is a command. A machine without I/O.
///
/// Source: the protocol of vsmartcard's vpcd, as its page "Creating a Virtual Smart Card" describes it.
struct VirtualReaderFrames: Sendable {
    /// A message of the reader.
    enum Message: Sendable, Equatable {
        /// The card has no power any more.
        case powerOff
        /// The card gets power. It answers nothing.
        case powerOn
        /// The card is reset. It answers nothing.
        case reset
        /// The reader asks for the ATR, also to find out whether there is a card.
        case answerToReset
        /// A command for the card.
        case command(SecretOctets)
        /// A control message that is not known.
        case unknown(UInt8)
    }

    /// The octets of a message that is not complete: at most two of length and 65,535.
    private var octets: [UInt8] = []

    /// Takes octets, in pieces of any size.
    /// - Parameters:
    ///   - received: the next octets.
    ///   - take: receives each message that they complete. Empty messages are ignored.
    mutating func receive(_ received: Span<UInt8>, _ take: (Message) -> Void) {
        for index in received.indices {
            octets.appendWiping(received[index])
            guard octets.count >= 2, octets.count == 2 + Int(octets[0]) << 8 + Int(octets[1]) else { continue }
            if octets.count > 2 { take(Self.message(octets.span.extracting(2...))) }
            octets.wipe()
        }
    }

    /// Overwrites the octets of a message that is not complete.
    mutating func wipe() { octets.wipeCapacity() }

    private static func message(_ octets: Span<UInt8>) -> Message {
        guard octets.count == 1 else { return .command(SecretOctets(copying: octets)) }
        return switch octets[0] {
        case 0: .powerOff
        case 1: .powerOn
        case 2: .reset
        case 4: .answerToReset
        default: .unknown(octets[0])
        }
    }

    /// An answer with its length before it. The caller wipes it.
    static func frame(_ answer: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: answer.count >> 8), UInt8(truncatingIfNeeded: answer.count)] + answer
    }
}
