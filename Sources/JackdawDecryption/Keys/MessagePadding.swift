import JackdawCards

/// How a message is made whole blocks before it is authenticated (ISO/IEC 9797-1).
public enum MessagePadding: Int, Sendable, Hashable, CaseIterable {
    /// Method 1: zeros, where the last block is not full; one block of them for no message.
    case zeros = 1
    /// Method 2: a byte 80, then zeros.
    case mark = 2
    /// Method 3: zeros as of method 1, and a block before it all with the length in bits.
    case length = 3

    /// A padded copy of a message.
    func padded(_ message: Span<UInt8>, blockSize: Int) -> SecretBytes {
        let start = self == .length ? blockSize : 0
        let least = max(message.count + (self == .mark ? 1 : 0), 1)
        let size = start + (least + blockSize - 1) / blockSize * blockSize
        return SecretBytes(count: size) { padded in
            for index in message.indices { padded[start + index] = message[index] }
            switch self {
            case .zeros: break
            case .mark: padded[message.count] = 0x80
            case .length:
                for place in 0..<min(8, blockSize) {
                    padded[blockSize - 1 - place] = UInt8(
                        truncatingIfNeeded: (UInt64(message.count) << 3) >> (8 * place))
                }
            }
        }
    }
}
