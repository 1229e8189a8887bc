import JackdawBytes
import JackdawCards
import JackdawPayments

/// A form in `application/x-www-form-urlencoded` (WHATWG URL Standard, 5.2), in the order in which values were added.
///
/// Names are nested as in the Android archive: `payment[items][][note]`. Values that may be secret stay in wiped
/// memory.
struct AcceptForm: Sendable {
    private enum Value: Sendable {
        case text(String)
        case secret(SecretText)
        /// Bytes that are written as hexadecimal digits.
        case digits(HTTPBody)
    }

    private var pairs: [(name: String, value: Value)] = []

    mutating func add(_ name: String, _ text: String) { pairs.append((name, .text(text))) }

    mutating func add(_ name: String, secret text: SecretText) { pairs.append((name, .secret(text))) }

    /// Adds bytes as hexadecimal digits in capitals, two a byte.
    mutating func add(_ name: String, digitsOf body: HTTPBody) { pairs.append((name, .digits(body))) }

    /// The encoded form, in wiped memory.
    var body: HTTPBody {
        var count = 0
        encode { _ in count += 1 }
        var bytes: [UInt8] = []
        // The array never moves, so that no copy stays in memory.
        bytes.reserveCapacity(count)
        encode { bytes.append($0) }
        defer { bytes.wipeCapacity() }
        return HTTPBody(copying: bytes.span)
    }

    private func encode(_ emit: (UInt8) -> Void) {
        for (index, pair) in pairs.enumerated() {
            if index > 0 { emit(UInt8(ascii: "&")) }
            for byte in pair.name.utf8 { Self.encode(byte, emit) }
            emit(UInt8(ascii: "="))
            switch pair.value {
            case .text(let text): for byte in text.utf8 { Self.encode(byte, emit) }
            case .secret(let text):
                text.withRevealedText { bytes in
                    for index in bytes.indices { Self.encode(bytes[index], emit) }
                }
            case .digits(let body):
                body.withBytes { bytes in
                    for index in bytes.indices {
                        let (high, low) = bytes[index].hexadecimalDigits
                        emit(high)
                        emit(low)
                    }
                }
            }
        }
    }

    private static func encode(_ byte: UInt8, _ emit: (UInt8) -> Void) {
        switch byte {
        case UInt8(ascii: " "): emit(UInt8(ascii: "+"))
        case _ where byte.isUnreserved: emit(byte)
        default:
            let (high, low) = byte.hexadecimalDigits
            emit(UInt8(ascii: "%"))
            emit(high)
            emit(low)
        }
    }
}
