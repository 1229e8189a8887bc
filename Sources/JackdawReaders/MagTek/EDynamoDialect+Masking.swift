extension EDynamoDialect {
    /// Hides tracks, what was encrypted, hash and fingerprint of a swipe, in notifications of the same sizes.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let last = frames.last?.first else { return .unknown }
        guard last == UInt8(MagTekBlockJoiner.end) else { return .more }
        var joiner = MagTekBlockJoiner()
        var message: [UInt8] = []
        do throws(JoiningFault) {
            for frame in frames {
                try joiner.receive(frame.span) { joined in message = joined.indices.map { joined[$0] } }
            }
        } catch {
            return .unknown
        }
        guard let masked = Self.masked(message), masked.count == message.count else { return .unknown }
        var next = 0
        let parts = frames.dropLast().map { frame in
            defer { next += frame.count - 1 }
            return [frame[0]] + masked[next..<next + frame.count - 1]
        }
        // Behind the end and the number of notifications nothing is known to come.
        let end = frames.suffix(1).map { Array($0.prefix(2)) + [UInt8](repeating: 0, count: max(0, $0.count - 2)) }
        return .masked(parts + end)
    }

    private static func masked(_ message: [UInt8]) -> [UInt8]? {
        guard let kind = try? MagTekPayloadFormat.kind(of: message.span), kind.isCardData else { return nil }
        let content = message.span.extracting(1...)
        guard kind.isShortened else {
            return hiding(content.indices.map { content[$0] }, but: 0).map { [message[0]] + $0 }
        }
        guard let record = try? MagTekRunLength.decode(content) else { return nil }
        // Fewer different digits make longer rows, and rows that are written as several make up for it, three bytes each.
        for count in 0..<3 {
            guard let hidden = hiding(record, but: count),
                let encoded = MagTekRunLength.encode(hidden.span, size: content.count)
            else { continue }
            return [message[0]] + encoded
        }
        return nil
    }

    /// A record without what is of a card.
    /// - Parameters:
    ///   - record: all of it.
    ///   - count: so many bytes where the hash was are not zeros, which makes what is sent longer.
    /// - Returns: as many bytes; nil where it is no record.
    private static func hiding(_ record: [UInt8], but count: Int) -> [UInt8]? {
        guard let layout = try? MagTekCardRecord(record.span) else { return nil }
        var record = record
        let isEncrypted = layout.encryption.isSuperset(of: [.hasKey, .isEncrypting])
        for (index, track) in layout.tracks.enumerated() {
            // What is behind a track may be left of a longer one.
            CardHiding.clear(&record, track.masked.upperBound..<MagTekCardRecord.Place.maskedTracks[index].upperBound)
            CardHiding.clear(
                &record, track.encrypted.upperBound..<MagTekCardRecord.Place.encryptedTracks[index].upperBound)
            CardHiding.hideTracks(&record, track.masked)
            if isEncrypted {
                CardHiding.clear(&record, track.encrypted)
            } else {
                CardHiding.hideTracks(&record, track.encrypted)
            }
        }
        CardHiding.clear(&record, layout.magnePrint)
        let hashStart = MagTekCardRecord.Place.hash.lowerBound
        if layout.hash == nil, record.count > hashStart { CardHiding.clear(&record, hashStart..<record.count) }
        if let hash = layout.hash {
            CardHiding.clear(&record, hash)
            for index in 0..<count { record[hash.lowerBound + 2 + index] = UInt8(index + 1) }
        }
        return record
    }
}

extension MagTekRunLength {
    /// Makes a message shorter to a size, by writing a row of zeros as several where it would be less.
    /// - Parameters:
    ///   - message: as it is to be read.
    ///   - size: what is sent.
    /// - Returns: nil where no such rows are there, or it takes another number of bytes.
    static func encode(_ message: Span<UInt8>, size: Int) -> [UInt8]? {
        var encoded = encode(message)
        var next = 0
        while next + 2 < encoded.count, encoded.count < size {
            guard encoded[next + 1] == encoded[next] else {
                next += 1
                continue
            }
            // A row of four or more is two rows, of two and of the rest.
            if encoded[next + 2] >= 4, size - encoded.count >= 3 {
                let byte = encoded[next]
                encoded[next + 2] -= 2
                encoded.insert(contentsOf: [byte, byte, 2], at: next)
            }
            next += 3
        }
        return encoded.count == size ? encoded : nil
    }
}
