/// Joins the packets of MagTek's audio-jack readers into messages.
///
/// What is kept of a message that is not whole is bounded, and overwritten when it is done. Whether each message begins with
/// packet 0 was not reported: its first packet may have any number.
public struct DynamoMessageJoiner: ~Copyable {
    private var parts: JoinedParts
    private var lastNumber: UInt8?
    private let ends: [UInt8]

    /// - Parameters:
    ///   - greatestMessage: bytes that a message has at most.
    ///   - ends: identifiers of packets that nothing of the same message follows. That A9 is one was not reported, nor that it
    ///     is another.
    public init(
        greatestMessage: Int = 4096, ends: [UInt8] = [DynamoPacketFormat.last, DynamoPacketFormat.other]
    ) {
        parts = JoinedParts(most: greatestMessage)
        self.ends = ends
    }

    /// Takes a packet in.
    /// - Parameters:
    ///   - packet: as ``DynamoPacketFormat`` found it.
    ///   - take: gets the message where this is its end; it is gone after the call.
    /// - Throws: ``JoiningFault``, once for each message that is lost.
    public mutating func receive(_ packet: Span<UInt8>, _ take: (Span<UInt8>) -> Void) throws(JoiningFault) {
        guard packet.count > DynamoPacketFormat.dataStart else { throw parts.drop(.empty) }
        let isEnd = ends.contains(packet[0])
        guard !parts.isSkipping else {
            if isEnd { parts.reset() }
            return
        }
        guard packet[1] < DynamoPacketFormat.numbers else {
            throw parts.drop(.impossible(Int(packet[1])), isEnd: isEnd)
        }
        if parts.count > 0, let lastNumber {
            let awaited = (lastNumber + 1) % UInt8(DynamoPacketFormat.numbers)
            guard packet[1] == awaited else {
                throw parts.drop(
                    packet[1] == lastNumber ? .repeated(Int(lastNumber)) : .missing(Int(awaited)), isEnd: isEnd)
            }
        }
        lastNumber = packet[1]
        try parts.append(packet.extracting(DynamoPacketFormat.dataStart..<packet.count - 1), isEnd: isEnd)
        if isEnd { parts.finish(take) }
    }

    /// Forgets what came, as behind a pause.
    public mutating func reset() {
        parts.reset()
        lastNumber = nil
    }
}
