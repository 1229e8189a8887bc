import JackdawBytes
import JackdawCards
import JackdawTransport

/// The protocol of MagTek's eDynamo and tDynamo over Bluetooth Low Energy: they read cards at any time, and send each
/// swipe in numbered notifications. The link must deliver one notification at a time (``MagTekService/cardData``).
///
/// Source: MagTek's eDynamo programmer's manual D998200115.
package struct EDynamoDialect: ReaderDialect {
    package let family = "edynamo"
    package let times: ReaderTimes
    package let isAlwaysArmed = true

    private var joining = JoinedMessage(MagTekBlockJoiner())

    /// - Parameter times: timeouts, and the number of attempts.
    package init(times: ReaderTimes = ReaderTimes()) { self.times = times }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// No requests, as each swipe identifies the reader.
    package var identification: [ReaderRequest] { [] }

    /// Notifications, which the link keeps apart.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { PacketFormat() }

    /// No requests, as the reader reads cards at any time.
    package func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// Interprets a notification; a message only after its last notification.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        do throws(JoiningFault) {
            guard let message = try joining.receive(frame) else { return [] }
            return message.withBytes { understand(message: $0) }
        } catch {
            // Its kind is lost, too. Nearly all messages are swipes: as a bad swipe it makes the user swipe again.
            return [.badSwipe("a message of the reader was lost: \(error)", reason: .lostMessage)]
        }
    }

    /// Discards a partial message.
    package mutating func reset() { joining = JoinedMessage(MagTekBlockJoiner()) }

    private func understand(message: Span<UInt8>) -> [ReaderMeaning] {
        do throws(FrameFault) {
            let kind = try MagTekPayloadFormat.kind(of: message)
            guard kind.isCardData else { return [.unknown("a notification of \(message.count - 1) bytes")] }
            let content = message.extracting(1...)
            guard kind.isShortened else { return swipe(content) }
            var record = try MagTekRunLength.decode(content)
            defer { record.wipe() }
            return swipe(record.span)
        } catch {
            return [.badSwipe("a message of the reader cannot be parsed: \(error)")]
        }
    }

    private func swipe(_ record: Span<UInt8>) -> [ReaderMeaning] {
        let layout: MagTekCardRecord
        do throws(FrameFault) {
            layout = try MagTekCardRecord(record)
        } catch {
            return [.badSwipe("its fields are invalid: \(error)", reason: .badFields)]
        }
        let battery: [ReaderMeaning] = layout.battery.map { [.reported(.battery(BatteryReport(percent: $0)))] } ?? []
        if let meaning = layout.encryption.meaning { return battery + [meaning] }
        guard layout.tracks.contains(where: { !$0.isDamaged && !($0.encrypted.isEmpty && $0.masked.isEmpty) }) else {
            return battery + [.badSwipe("no track was read")]
        }
        return battery + [.swipe(swipe(record, layout))]
    }

    private func swipe(_ record: Span<UInt8>, _ layout: MagTekCardRecord) -> ReaderSwipe {
        var builder = ReaderSwipe.Builder()
        for (index, track) in layout.tracks.enumerated() {
            let number = index + 1
            builder.add(.maskedTrack(number), record.extracting(track.masked))
            if layout.isEncrypted {
                builder.add(.encryptedTrack(number), record.extracting(track.encrypted))
            } else {
                builder.add(.track(number), record.extracting(track.encrypted).extracting(first: track.length))
            }
        }
        builder.add(.magnePrintStatus, record.extracting(MagTekCardRecord.Place.magnePrintStatus))
        builder.add(.magnePrint, record.extracting(layout.magnePrint))
        builder.add(.serialNumber, record.extracting(layout.serialNumber))
        if layout.isEncrypted {
            builder.add(.session, record.extracting(layout.session))
            builder.add(.keySerialNumber, record.extracting(layout.keySerialNumber))
        }
        builder.add(.frame, record)
        return builder.finish(family: family, cipher: layout.isEncrypted ? .tripleDES : nil)
    }
}

extension EDynamoDialect {
    /// Masks tracks, encrypted data, hash and fingerprint of a swipe, in notifications of the same sizes.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let last = frames.last?.first else { return .unknown }
        guard last == UInt8(MagTekBlockJoiner.end) else { return .more }
        var joiner = MagTekBlockJoiner()
        var message: [UInt8] = []
        defer { message.wipe() }
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
        // No data is known to follow the end mark and the number of notifications.
        let end = frames.suffix(1).map { Array($0.prefix(2)) + [UInt8](repeating: 0, count: max(0, $0.count - 2)) }
        return .masked(parts + end)
    }

    private static func masked(_ message: [UInt8]) -> [UInt8]? {
        guard let kind = try? MagTekPayloadFormat.kind(of: message.span), kind.isCardData else { return nil }
        let content = message.span.extracting(1...)
        guard kind.isShortened else {
            return hiding(content.indices.map { content[$0] }, but: 0).map { [message[0]] + $0 }
        }
        guard var record = try? MagTekRunLength.decode(content) else { return nil }
        defer { record.wipe() }
        // Masking makes longer runs, and so a shorter message. Runs that are split in two make up for it, three bytes
        // each.
        for count in 0..<3 {
            guard let hidden = hiding(record, but: count),
                let encoded = MagTekRunLength.encode(hidden.span, size: content.count)
            else { continue }
            return [message[0]] + encoded
        }
        return nil
    }

    /// Masks the card data of a record: keeps the fields that are known not to be card data, and the tracks with their
    /// characters hidden.
    /// - Parameters:
    ///   - record: the whole record.
    ///   - count: the number of bytes in the hash's field that are not set to zero, which makes the encoded message
    ///     longer.
    /// - Returns: the same number of bytes; nil if the bytes are not a record, or its fields are not at their
    ///   positions.
    private static func hiding(_ record: [UInt8], but count: Int) -> [UInt8]? {
        guard let layout = try? MagTekCardRecord(record.span) else { return nil }
        var tracks = layout.tracks.map(\.masked)
        if !layout.isEncrypted { tracks += layout.tracks.map { $0.encrypted.prefix($0.length) } }
        // A lost byte shifts the tracks to positions that are not masked.
        let isInPlace =
            tracks.allSatisfy { $0.isEmpty || isTrack(record[$0]) }
            && record[layout.serialNumber].allSatisfy { CardHiding.isDigit($0) || CardHiding.isLetter($0) }
            && !isText(record[layout.keySerialNumber])
        guard isInPlace else { return nil }
        var hidden = [UInt8](repeating: 0, count: record.count)
        for field in MagTekCardRecord.Place.ofNoCard where field.upperBound <= record.count {
            hidden.replaceSubrange(field, with: record[field])
        }
        CardHiding.hideNumbers(&hidden, layout.serialNumber)
        for track in tracks {
            hidden.replaceSubrange(track, with: record[track])
            CardHiding.hideTracks(&hidden, track)
        }
        if let hash = layout.hash {
            for index in 0..<count { hidden[hash.lowerBound + 2 + index] = UInt8(index + 1) }
        }
        return hidden
    }

    /// Whether bytes are printable characters, up to a zero.
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first != 0 && bytes.allSatisfy { $0 == 0 || (0x20...0x7E).contains($0) }
    }

    /// Whether bytes begin with a start sentinel, of which MagTek's readers have one for each encoding, and end with
    /// the end sentinel.
    private static func isTrack(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first.flatMap(MagTekSwipe.number(ofTrackFrom:)) != nil && bytes.last == UInt8(ascii: "?")
    }
}

extension MagTekRunLength {
    /// Encodes a message in exactly `size` bytes, by splitting runs in two if it would be shorter.
    /// - Parameters:
    ///   - message: the decoded message.
    ///   - size: the length of the encoded message.
    /// - Returns: nil if the message cannot be encoded in this size.
    static func encode(_ message: Span<UInt8>, size: Int) -> [UInt8]? {
        var encoded = encode(message)
        var next = 0
        while next + 2 < encoded.count, encoded.count < size {
            guard encoded[next + 1] == encoded[next] else {
                next += 1
                continue
            }
            // A run of four or more is split into one of two and one of the rest.
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

extension ReaderProfile {
    /// The known facts about eDynamo and tDynamo: times, services and characteristics.
    static let edynamo: ReaderProfile = {
        func entry(_ title: String, _ attribute: MagTekService.Attribute, _ source: String) -> ProfileEntry {
            ProfileEntry(title, .text(attribute.uuid), attribute.provenance, source)
        }
        let samples = "public sample code"
        return ReaderProfile(
            family: "edynamo",
            "MagTek's eDynamo and tDynamo over Bluetooth Low Energy, from the programmer's manual",
            [
                .lowEnergyService: entry("service of eDynamo; tDynamo's ends in 0104", MagTekService.eDynamo, samples),
                .lowEnergyNotify: entry("characteristic that notifies", MagTekService.cardData, "D998200115"),
                .lowEnergyWrite: entry("characteristic for writing", MagTekService.command, samples),
            ])
    }()
}

extension ReaderFamily {
    static let edynamo = ReaderFamily(
        "edynamo", "MagTek eDynamo and tDynamo over Bluetooth Low Energy", [.lowEnergy], .documented,
        "the records that MagTek published (99875475-10, appendix D; D998200115-17, appendix B.1.1); "
            + "the simulated reader",
        ["commands and their answers", "the meaning of notifications that are not swipes"],
        [.edynamo], EDynamoDialect.init(profile:),
        frames: [
            FrameProtocol(
                "edynamo", "MagTek eDynamo and tDynamo over Bluetooth Low Energy: whole messages", .documented,
                [FrameKind("", MagTekPayloadFormat(), .answer)])
        ], encryption: SwipeEncryption(.magTekRecord, frame: .magTekMessage, scheme: "pin"),
        recognition:
            "services 0103 (eDynamo) and 0104 (tDynamo) of MagTek's base UUID, as in public sample code")
}
