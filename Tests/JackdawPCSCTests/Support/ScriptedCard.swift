import Glibc
import JackdawSystem
import JackdawTestSupport
import Testing

/// A card in a slot of vpcd's virtual reader: a client of its port that answers commands by a closure.
///
/// A message is two octets of its length, most significant first, and its octets: 00 power off, 01 power on, 02 reset,
/// 04 asks for the answer to reset, and more octets are a command (vsmartcard, `vpcd.h`).
final class ScriptedCard: Sendable {
    struct State: Sendable {
        var resets = 0
        var commands: [[UInt8]] = []
    }

    let state = Shared(State())
    private let descriptor: Int32

    /// Inserts the card into its slot.
    /// - Parameters:
    ///   - port: the port of the slot.
    ///   - answerToReset: the card's answer to reset, after a number of resets.
    ///   - answer: the answer to a command, with the status word.
    /// - Throws: an issue if no reader listens.
    init(
        port: UInt16, answerToReset: @escaping @Sendable (Int) -> [UInt8],
        _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected)
        try WorkerThread(name: "scripted-card") { [descriptor, state] in
            while let message = Self.read(descriptor) {
                switch message {
                case [0], [1]: break
                case [2]: state.with { $0.resets += 1 }
                case [4]: Self.write(answerToReset(state.with { $0.resets }), to: descriptor)
                default:
                    state.with { $0.commands.append(message) }
                    Self.write(answer(message), to: descriptor)
                }
            }
            close(descriptor)
        }.detach()
    }

    deinit { remove() }

    /// Removes the card from its slot.
    func remove() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        guard let length = read(2, descriptor) else { return nil }
        return read(Int(length[0]) << 8 | Int(length[1]), descriptor)
    }

    private static func read(_ count: Int, _ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = unsafe recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
        return received == count ? bytes : nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        let message = [UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
        _ = unsafe send(descriptor, message, message.count, Int32(MSG_NOSIGNAL))
    }
}
