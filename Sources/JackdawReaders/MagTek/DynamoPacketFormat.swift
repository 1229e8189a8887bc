import JackdawBytes

/// Packets of MagTek's audio-jack readers (uDynamo), the same in both directions: identifier, number, length, data, and
/// a checksum that makes the sum of all bytes 0. ``DynamoMessageJoiner`` joins them into messages.
///
/// Reported by third parties and not confirmed: change the identifiers if necessary.
package struct DynamoPacketFormat: FrameFormat {
    /// The identifiers that a packet may have.
    package let identifiers: [UInt8]

    /// Identifier: further packets of the message follow.
    package static let more: UInt8 = 0x69
    /// Identifier: the last packet of a message.
    package static let last: UInt8 = 0x99
    /// Identifier whose purpose has not been reported.
    package static let other: UInt8 = 0xA9
    /// Packet numbers count modulo this value.
    static let numbers = 16
    /// The length of identifier, number and length field.
    static let dataStart = 3

    /// - Parameter identifiers: the identifiers that a packet may have.
    package init(identifiers: [UInt8] = [more, last, other]) { self.identifiers = identifiers }

    package var greatestSize: Int { Self.dataStart + Int(UInt8.max) + 1 }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { identifiers.contains(bytes[$0]) } }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard identifiers.contains(bytes[0]) else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: Self.dataStart + 1) }
        guard bytes[1] < Self.numbers else {
            return .fault(FrameFault(.field, at: 1, "packet \(bytes[1]); packet numbers are 0 to 15"))
        }
        guard bytes.count > 2 else { return .partial(atLeast: Self.dataStart + 1) }
        let end = Self.dataStart + Int(bytes[2])
        guard bytes.count > end else { return .partial(atLeast: end + 1) }
        let sum = 0 &- RedundancyCheck.sum(bytes.extracting(first: end))
        guard bytes[end] == sum else { return .fault(.check("checksum", at: end, bytes[end], expected: sum)) }
        return .whole(end + 1)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 1
        let place =
            switch frame[0] {
            case Self.more: "more follow"
            case Self.last: "last"
            default: "unknown"
            }
        return [
            FrameField("identifier", 0..<1, "\(frame[0].hexadecimal) \(place)"),
            FrameField("number", 1..<2, "\(frame[1])"), FrameField("length", 2..<3, "\(end - Self.dataStart)"),
            FrameField("data", Self.dataStart..<end, frame.extracting(Self.dataStart..<end).sensitive(isRevealing)),
            FrameField("checksum", end..<end + 1, "right"),
        ]
    }

    /// Cuts a message into packets.
    /// - Parameters:
    ///   - message: the message to send.
    ///   - number: the number of the first packet, 0 to 15.
    ///   - size: the most bytes of the message in one packet, 1 to 255.
    /// - Returns: the packets, in order; for an empty message, one packet without data.
    package static func packets(of message: [UInt8], from number: Int = 0, size: Int = 255) -> [[UInt8]] {
        precondition((0..<numbers).contains(number) && (1...255).contains(size), "a packet has no such number or size")
        return stride(from: 0, to: max(1, message.count), by: size).enumerated().map { index, start in
            let part = message[start..<min(start + size, message.count)]
            let identifier = start + size < message.count ? more : last
            let packet = [identifier, UInt8((number + index) % numbers), UInt8(part.count)] + part
            return packet + [0 &- RedundancyCheck.sum(packet.span)]
        }
    }
}

/// Joins the packets of MagTek's audio-jack readers into messages.
///
/// The stored parts of a message are bounded, and overwritten when it is complete. It has not been reported whether
/// each message begins with packet 0, so the first packet may have any number.
package struct DynamoMessageJoiner: MessageJoiner, ~Copyable {
    private var parts: JoinedParts
    private var lastNumber: UInt8?
    private let ends: [UInt8]

    /// - Parameters:
    ///   - greatestMessage: the most bytes of a message.
    ///   - ends: the identifiers of packets that end a message. It has not been reported whether A9 does.
    package init(
        greatestMessage: Int = 4096, ends: [UInt8] = [DynamoPacketFormat.last, DynamoPacketFormat.other]
    ) {
        parts = JoinedParts(most: greatestMessage)
        self.ends = ends
    }

    /// Adds a packet.
    /// - Parameters:
    ///   - packet: a packet of ``DynamoPacketFormat``.
    ///   - take: receives the message if the packet ends it; the bytes are invalid after the call.
    /// - Throws: ``JoiningFault``, once for each message that is lost.
    package mutating func receive(_ packet: Span<UInt8>, _ take: (Span<UInt8>) -> Void) throws(JoiningFault) {
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

    /// Discards a partial message, for example after a pause.
    package mutating func reset() {
        parts.reset()
        lastNumber = nil
    }
}
