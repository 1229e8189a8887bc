import JackdawBytes

/// A command or an answer (APDU) in memory that is wiped: a command may carry a PIN, an answer card data.
final class SecretPacket: Sendable {
    private let memory: SecretBuffer<UInt8>
    /// The number of octets.
    let count: Int

    /// Copies octets. The caller wipes the original.
    init(copying octets: [UInt8]) {
        memory = SecretBuffer(copying: octets)
        count = octets.count
    }

    /// Allocates zeroed memory, and lets a body write the octets into it.
    /// - Parameters:
    ///   - room: the number of octets that the memory can hold.
    ///   - fill: writes the octets, and returns their number, at most `room`.
    /// - Throws: the error of `fill`.
    init<Failure: Error>(
        room: Int, _ fill: (inout MutableSpan<UInt8>) throws(Failure) -> Int
    ) throws(Failure) {
        var memory = SecretBuffer<UInt8>(zeroed: room)
        count = min(try memory.withMutableElements(fill), room)
        self.memory = memory
    }

    /// Runs a body over the octets. The caller wipes any copy that the body makes.
    func withOctets<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withElements { octets throws(Failure) in try body(octets.extracting(first: count)) }
    }
}
