import JackdawDSP

extension UDynamoDialect {
    /// Hides what iDynamo's lines have hidden, in packets of the same sizes; all of it where nobody knows what messages hold.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let content, let end = frames.last?.first else { return .unknown }
        guard [DynamoPacketFormat.last, DynamoPacketFormat.other].contains(end) else { return .more }
        var message = frames.flatMap { $0[DynamoPacketFormat.dataStart..<$0.count - 1] }
        defer { message.wipe() }
        guard (try? MagTekFormat(.answer).check(message)) != nil, case .masked(let lines) = content.masking([message]),
            let masked = lines.first, masked.count == message.count
        else { return .unknown }
        var next = 0
        return .masked(
            frames.map { frame in
                let count = frame.count - 1 - DynamoPacketFormat.dataStart
                defer { next += count }
                let packet = frame[..<DynamoPacketFormat.dataStart] + masked[next..<next + count]
                return packet + [0 &- RedundancyCheck.sum(Array(packet).span)]
            })
    }
}
