import JackdawBytes

/// The protocol of MagTek's iDynamo and other MagneSafe V5 readers.
package struct MagTekDialect: ReaderDialect {
    /// The family: `magtek`, or another with the same protocol.
    package let family: String
    package let times: ReaderTimes
    package let isAlwaysArmed = true

    /// The last answer and its request, as answers do not identify their request.
    private var last: (request: ReaderRequest, data: [UInt8])?

    /// - Parameter times: timeouts, and the number of attempts.
    package init(times: ReaderTimes = ReaderTimes()) { self.init(family: "magtek", times: times) }

    init(family: String, times: ReaderTimes) {
        self.family = family
        self.times = times
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// Software version and serial number.
    package var identification: [ReaderRequest] {
        [Self.property(.software), Self.property(.serialNumber)]
    }

    /// Lines; their format does not depend on the request.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { MagTekFormat(.answer) }

    /// No requests, as the reader reads cards at any time.
    package func arming(for duration: Duration) -> [ReaderRequest] { [] }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware: [Self.property(.software)]
        case .serialNumber: [Self.property(.serialNumber)]
        case .keySerialNumber: [Self.request(.keySerialNumber, [], "key serial number")]
        default: throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
        }
    }

    /// Sets a property: the setting's number is that of the property.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let number = UInt8(exactly: setting.number), setting.value.count < Self.greatestData else {
            throw ReaderError(
                .outOfRange, "no property has the number \(setting.number) and \(setting.value.count) bytes",
                remedy: "choose 0 to 255, and fewer than \(Self.greatestData) bytes")
        }
        return [Self.request(.setProperty, [number] + setting.value, "set property \(number)")]
    }

    /// Discards the last answer.
    package mutating func reset() { last = nil }

    /// Interprets a line: a swipe or an answer.
    package mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if frame.indices.contains(where: { frame[$0] == UInt8(ascii: "|") }) { return [swipe(frame)] }
        guard let request, let code = frame.byte(at: 0) else { return [.unknown("an answer")] }
        let result = MagTekResult(rawValue: code)
        guard result == .done else { return [.refused("\(result)")] }
        let digits = frame.extracting(4..<frame.count - 1)
        let data = stride(from: 0, to: digits.count, by: 2).map { digits.byte(at: $0) ?? 0 }
        guard !isAgain(data, answering: request) else { return [.unknown("a repeated answer")] }
        return [.done(facts(data, answering: request))]
    }

    /// Whether an answer repeats the last one rather than answering the next request. If it arrives once more, when the
    /// request is repeated, it is accepted.
    private mutating func isAgain(_ data: [UInt8], answering request: ReaderRequest) -> Bool {
        if let last, last.request != request, last.data == data, !data.isEmpty {
            self.last = nil
            return true
        }
        last = (request, data)
        return false
    }

    private func facts(_ data: [UInt8], answering request: ReaderRequest) -> [ReaderFact] {
        let command = request.bytes.span
        switch (command.byte(at: 0), command.byte(at: 4)) {
        case (MagTekCommand.getProperty.rawValue, MagTekProperty.software.rawValue):
            return [.firmware(data.span.printable)]
        case (MagTekCommand.getProperty.rawValue, MagTekProperty.serialNumber.rawValue):
            return [.serialNumber(data.span.printable)]
        case (MagTekCommand.keySerialNumber.rawValue, _): return data.isEmpty ? [] : [.keySerialNumber(data)]
        default: return []
        }
    }

    private func swipe(_ line: Span<UInt8>) -> ReaderMeaning {
        let layout: MagTekSwipe
        do throws(FrameFault) {
            layout = try MagTekSwipe(line)
        } catch {
            return .badSwipe("its fields are invalid: \(error)", reason: .badFields)
        }
        if let meaning = layout.encryption.meaning { return meaning }
        // The encrypted fields of a card that was not read are not a swipe.
        guard layout.hasReadTrack(line) else { return .badSwipe("no track was read") }
        var builder = ReaderSwipe.Builder()
        for (index, place) in layout.encryptedTracks.enumerated() {
            let field = line.extracting(place)
            guard !MagTekSwipe.isUnread(field: field) else { continue }
            let part: ReaderSwipe.Part = layout.isEncrypted ? .encryptedTrack(index + 1) : .track(index + 1)
            if MagTekSwipe.isPlain(field) {
                builder.add(part, field)
            } else {
                builder.add(part, hexadecimal: field)
            }
        }
        for (number, place) in layout.maskedTracks(line) {
            let track = line.extracting(place)
            if !MagTekSwipe.isUnread(track) { builder.add(.maskedTrack(number), track) }
        }
        builder.add(.magnePrintStatus, hexadecimal: line.extracting(layout.magnePrintStatus))
        builder.add(.magnePrint, hexadecimal: line.extracting(layout.magnePrint))
        builder.add(.serialNumber, line.extracting(layout.serialNumber))
        builder.add(.session, hexadecimal: line.extracting(layout.session))
        builder.add(.keySerialNumber, hexadecimal: line.extracting(layout.keySerialNumber))
        builder.add(.frame, line)
        return .swipe(builder.finish(family: family, cipher: layout.isEncrypted ? .tripleDES : nil))
    }

    private static let greatestData = 120

    private static func property(_ property: MagTekProperty) -> ReaderRequest {
        request(.getProperty, [property.rawValue], MagTekProperty.names[property.rawValue] ?? "property")
    }

    private static func request(_ command: MagTekCommand, _ data: [UInt8], _ name: String) -> ReaderRequest {
        // Cannot throw, as the data is shorter than the format's limit.
        ReaderRequest(name, (try? MagTekFormat.command(command, data)) ?? [])
    }
}

extension MagTekDialect {
    /// Masks tracks, encrypted data and the fingerprint of a swipe, and numbers in answers.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var line = frames.first, frames.count == 1 else { return .unknown }
        guard line.contains(UInt8(ascii: "|")) else {
            Self.hideDigits(of: &line, 4..<line.count - 1) { CardHiding.hideNumbers(&$0, $0.indices) }
            return .masked([line])
        }
        guard let layout = try? MagTekSwipe(line.span) else { return .unknown }
        let zero = UInt8(ascii: "0")
        Self.hideMaskedTracks(of: &line, layout)
        for place in layout.encryptedTracks where !MagTekSwipe.isUnread(field: line.span.extracting(place)) {
            if layout.isEncrypted {
                CardHiding.clear(&line, place, zero)
            } else if MagTekSwipe.isPlain(line.span.extracting(place)) {
                CardHiding.hideTracks(&line, place)
            } else {
                Self.hideDigits(of: &line, place) { CardHiding.hideTracks(&$0, $0.indices) }
            }
        }
        CardHiding.clear(&line, layout.magnePrint, zero)
        CardHiding.hideNumbers(&line, layout.serialNumber)
        let (crc, encryptedCRC) = (layout.parts[layout.parts.count - 3], layout.parts[layout.parts.count - 2])
        CardHiding.clear(&line, encryptedCRC, zero)
        let sum = RedundancyCheck.crc16(line.span.extracting(first: crc.lowerBound))
        let digits = [UInt8(sum & 0xFF), UInt8(sum >> 8)].flatMap { $0.hexadecimal.utf8 }
        line.replaceSubrange(crc, with: digits)
        return .masked([line])
    }

    /// Hides the masked tracks, except the `E` that stands for a track that was not read: without it, the line counts
    /// as a read card.
    private static func hideMaskedTracks(of line: inout [UInt8], _ layout: MagTekSwipe) {
        var start = layout.masked.lowerBound
        for (_, place) in layout.maskedTracks(line.span) where MagTekSwipe.isUnread(line.span.extracting(place)) {
            CardHiding.hideTracks(&line, start..<place.lowerBound)
            start = place.upperBound
        }
        let rest = start..<layout.masked.upperBound
        if !MagTekSwipe.isUnread(line.span.extracting(rest)) { CardHiding.hideTracks(&line, rest) }
    }

    /// Applies `hide` to bytes that are written as hexadecimal digits.
    private static func hideDigits(of line: inout [UInt8], _ place: Range<Int>, _ hide: (inout [UInt8]) -> Void) {
        var bytes = stride(from: place.lowerBound, to: place.upperBound - 1, by: 2).map { line.span.byte(at: $0) ?? 0 }
        hide(&bytes)
        for (index, byte) in bytes.enumerated() {
            let digits = Array(byte.hexadecimal.utf8)
            line.replaceSubrange(place.lowerBound + 2 * index..<place.lowerBound + 2 * index + 2, with: digits)
        }
    }
}

extension ReaderProfile {
    /// The known facts about MagneSafe V5 readers that send lines: only times, beyond the fixed protocol.
    static let magtek = ReaderProfile(family: "magtek", "MagTek's readers, from their manuals")
}

/// The command byte of a request to a MagneSafe reader.
///
/// Source: MagTek's communication reference manual 99875483.
package struct MagTekCommand: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let getProperty = MagTekCommand(rawValue: 0x00)
    package static let setProperty = MagTekCommand(rawValue: 0x01)
    package static let reset = MagTekCommand(rawValue: 0x02)
    package static let keySerialNumber = MagTekCommand(rawValue: 0x09)
    package static let setSession = MagTekCommand(rawValue: 0x0A)
    package static let activateAuthentication = MagTekCommand(rawValue: 0x10)
    package static let readerState = MagTekCommand(rawValue: 0x14)
    package static let encryptionCounter = MagTekCommand(rawValue: 0x1C)

    /// Whether its data begins with the number of a property.
    var isOfProperty: Bool { self == .getProperty || self == .setProperty }

    package static let names: [UInt8: String] = [
        0x00: "get property", 0x01: "set property", 0x02: "reset", 0x09: "get KSN and counter", 0x0A: "set session",
        0x10: "activate authenticated mode", 0x11: "reply to a challenge", 0x12: "deactivate authenticated mode",
        0x14: "get reader state", 0x15: "get security level", 0x1C: "get encryption counter",
        0x30: "encrypt data", 0xA0: "control",
    ]
}

/// The properties of a MagneSafe reader, for ``MagTekCommand/getProperty`` and ``MagTekCommand/setProperty``.
///
/// Source: MagTek's communication reference manual 99875483; from 6E on those of readers of the third generation.
package struct MagTekProperty: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let software = MagTekProperty(rawValue: 0x00)
    package static let serialNumber = MagTekProperty(rawValue: 0x03)

    package static let names: [UInt8: String] = [
        0x00: "software", 0x03: "serial number", 0x04: "MagneSafe version", 0x05: "track enable", 0x07: "ISO mask",
        0x08: "AAMVA mask", 0x1E: "string before a card", 0x1F: "string after a card", 0x20: "string before a track",
        0x21: "string after a track", 0x22: "termination", 0x23: "field separator", 0x24: "start sentinel %",
        0x25: "start sentinel ;", 0x26: "start sentinel +", 0x27: "start sentinel #", 0x28: "start sentinel @",
        0x29: "start sentinel &", 0x2B: "end sentinel", 0x2D: "end sentinel", 0x2E: "end sentinel",
        0x2F: "end sentinel", 0x6E: "service code mask", 0x78: "card data encrypted", 0x80: "hardware", 0x81: "mode",
    ]
}

/// The result of a command to a MagneSafe reader.
///
/// Source: MagTek's communication reference manual 99875483.
package struct MagTekResult: NamedNumber {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let done = MagTekResult(rawValue: 0x00)
    package static let failed = MagTekResult(rawValue: 0x01)
    package static let badParameter = MagTekResult(rawValue: 0x02)
    package static let badData = MagTekResult(rawValue: 0x03)
    package static let delayed = MagTekResult(rawValue: 0x05)
    package static let outOfSequence = MagTekResult(rawValue: 0x07)

    package static let names: [UInt8: String] = [
        0x00: "done", 0x01: "failed", 0x02: "bad parameter", 0x03: "bad data", 0x05: "delayed", 0x07: "out of sequence",
    ]
}

/// A swipe of a reader without keys, as MagTek prints it (99875475-10, appendix D, example 5).
private let plainSwipe =
    "%B5452000000007189^HOGAN/PAUL      ^08040000000000000000000?;5452000000007189=080400000000000000?"
    + "+5163000050000445=000000000000?|0200|%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?"
    + "|;5452300551227189=080432100000007250?|+5163499080020445=000000000000?||||0000000000000000||6F36||1000\r"

extension ReaderFamily {
    static let magtek = ReaderFamily(
        "magtek", "MagTek iDynamo and other MagneSafe V5 readers", [.serial], .documented,
        "the swipes that MagTek has printed (99875483, appendix B; 99875475-10, appendix D); the simulated reader",
        ["what the encrypted fields hold of a track that could not be read"], [.magtek],
        MagTekDialect.init(profile:),
        frames: [
            FrameProtocol(
                "magtek", "MagTek iDynamo and other MagneSafe V5 readers", .documented,
                [
                    // Commands and answers have the same format; a swipe does not.
                    FrameKind(
                        "answers", MagTekFormat(.answer), .answer, isLikely: MagTekFormat.isSwipeOrKnownResult,
                        // Two swipes of a reader without keys, and padding between them.
                        seeds: ["303230300D", (plainSwipe + "xxxxx" + plainSwipe).utf8.hexadecimal],
                        measured: { () throws(FrameFault) in
                            [
                                ("answers", [try MagTekFormat.answer(.done, FrameKind.filler(120))]),
                                ("swipes", [Array(plainSwipe.utf8)]),
                            ]
                        }),
                    FrameKind(
                        "commands", MagTekFormat(.command), .command, isLikely: MagTekFormat.isKnownCommand,
                        seeds: ["303930300D"]),
                ])
        ], encryption: SwipeEncryption(.magTekLine, scheme: "pin"),
        recognition: "its answers to being asked for software and serial number (00 01 00, 00 01 03)")
}
