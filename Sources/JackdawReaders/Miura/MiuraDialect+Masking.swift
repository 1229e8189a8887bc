extension MiuraDialect {
    /// Hides tracks and what was encrypted, and other values that are long enough for an account number.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let first = frames.first, let last = frames.last else { return .unknown }
        // Parts of other messages may lie between: they are not told apart here.
        guard frames.allSatisfy({ $0[0] == first[0] && ($0[1] ^ first[1]) & MiuraFormat.unsolicited == 0 }) else {
            return .unknown
        }
        guard last[1] & MiuraFormat.chained == 0 else { return .more }
        var message = frames.flatMap { $0[MiuraFormat.apduStart..<$0.count - 1] }
        guard message.count >= 2, let objects = TagLengthValue.read(message.span.extracting(first: message.count - 2))
        else { return .unknown }
        for object in objects where !object.isConstructed { Self.hide(object, in: &message) }
        var next = 0
        return .masked(
            frames.map { frame in
                var frame = Array(frame.dropLast())
                let count = frame.count - MiuraFormat.apduStart
                frame.replaceSubrange(MiuraFormat.apduStart..., with: message[next..<next + count])
                next += count
                return frame + [RedundancyCheck.longitudinal(frame.span)]
            })
    }

    private static func hide(_ object: TagLengthValue, in message: inout [UInt8]) {
        switch (object.tag, MiuraTag.parts[object.tag]) {
        case (_, .encryptedTracks): CardHiding.clear(&message, object.value)
        case (_, .keySerialNumber): break
        case (_, _?): CardHiding.hideTracks(&message, object.value)
        case (MiuraTag.identifier, nil), (MiuraTag.version, nil), (MiuraTag.serialNumber, nil):
            CardHiding.hideNumbers(&message, object.value)
        default:
            if object.value.count >= TagLengthValue.leastOfCard || object.isShortOfCard {
                CardHiding.clear(&message, object.value)
            }
        }
    }
}
