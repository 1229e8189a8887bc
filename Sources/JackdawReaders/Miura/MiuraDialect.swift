internal import JackdawBytes
import JackdawCards
import JackdawEMV
import JackdawTransport
internal import Synchronization

/// The protocol of Miura's readers (M010, M020 and similar): MPI commands to the card reader, and unsolicited card
/// status reports while they are switched on.
package struct MiuraDialect: ReaderDialect {
    /// The name of the family.
    static let name = "miura"
    package let family = MiuraDialect.name
    package let times: ReaderTimes
    /// P1 of the card status command that switches the reports on.
    package let reportFlags: UInt8

    private var joining = Joining()

    /// The longest answer in bytes; a longer one is discarded.
    static let greatestAnswer = 65_536

    /// - Parameters:
    ///   - times: timeouts, and the number of attempts.
    ///   - reportFlags: the contents of card reports (``MiuraCardReports``); default: all.
    package init(times: ReaderTimes = ReaderTimes(), reportFlags: UInt8 = MiuraCardReports.all.rawValue) {
        self.times = times
        self.reportFlags = reportFlags
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        let flags = UInt8(clamping: try profile.integer(.reportFlags, in: 0...255))
        self.init(times: try profile.times(), reportFlags: flags)
    }

    /// A soft reset, whose answer has the serial number and the software versions; then the battery.
    package var identification: [ReaderRequest] { [Self.request(.reset), Self.request(.batteryStatus)] }

    /// Answers; their format does not depend on the request.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { MiuraFormat(.answer) }

    /// Switches card status reports on; the first report is the answer. The driver limits the wait.
    package func arming(for duration: Duration) -> [ReaderRequest] { [Self.request(.cardStatus, reportFlags)] }

    /// Switches card status reports off. There is no answer, as the answer to this command is a report.
    package func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        let request = Self.request(.cardStatus, 0)
        return [ReaderRequest(request.name, request.bytes, isAnswered: false)]
    }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware, .serialNumber: [Self.request(.reset)]
        case .battery: [Self.request(.batteryStatus)]
        case .capabilities: [Self.request(.deviceInformation)]
        default: throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
        }
    }

    /// Returns the request's bytes, unchanged. Discards any partial answer to an earlier request.
    package func encode(_ request: ReaderRequest) -> [UInt8] {
        joining.resetAnswers()
        return request.bytes
    }

    /// Interprets a frame; a chained answer only after its last frame.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let part = frame.extracting(MiuraFormat.apduStart..<frame.count - 1)
        let isUnsolicited = frame[1] & MiuraFormat.unsolicited != 0
        let isChained = frame[1] & MiuraFormat.chained != 0
        // Messages of the base may interleave with those of the reader, and unsolicited messages with both.
        let isOfBase = frame[0] == MiuraNode.base.rawValue
        let stream = Joining.stream(isOfBase: isOfBase, isUnsolicited: isUnsolicited)
        // Requests go to the reader, not to the base.
        let request = isOfBase ? nil : request
        let wasLost = joining.isSkipping(stream)
        do throws(JoiningFault) {
            guard let message = try joining.append(part, isEnd: !isChained, to: stream) else {
                // A part of the answer extends the timeout of the request.
                return isUnsolicited || !isChained || wasLost
                    ? [] : [request == nil ? .unknown("a part of an answer") : .more]
            }
            return message.withBytes { isUnsolicited ? report($0, answering: request) : [answer($0, to: request)] }
        } catch {
            return [.unknown("an answer of \(error)")]
        }
    }

    /// Discards partial answers.
    package mutating func reset() { joining = Joining() }

    private func answer(_ message: Span<UInt8>, to request: ReaderRequest?) -> ReaderMeaning {
        guard message.count >= 2 else { return .unknown("an answer without a status") }
        let end = message.count - 2
        let status = MiuraStatus(rawValue: UInt16(message[end]) << 8 | UInt16(message[end + 1]))
        guard let request else { return .unknown("an answer that ends with \(status)") }
        guard status == .done else { return .refused("status \(status)") }
        let body = message.extracting(first: end)
        // Miura's SDK accepts any data in the answer to a command that succeeded; data that cannot be parsed has no
        // facts.
        let facts = facts(body, TagLengthValue.read(body) ?? [])
        // An answer does not identify its request: a repeated answer must not be taken for that of the next request.
        return isAnswer(facts, to: request) ? .done(facts) : .unknown("an answer to something else")
    }

    /// Whether the facts may answer a request. A reader may omit any of them.
    private func isAnswer(_ facts: [ReaderFact], to request: ReaderRequest) -> Bool {
        let hasBattery = facts.contains { if case .battery = $0 { true } else { false } }
        return switch request.bytes {
        case Self.request(.reset).bytes: !hasBattery
        case Self.request(.batteryStatus).bytes: hasBattery || facts.isEmpty
        default: true
        }
    }

    private func facts(_ body: Span<UInt8>, _ objects: [TagLengthValue]) -> [ReaderFact] {
        var facts: [ReaderFact] = []
        var charging: Bool?
        var percent: Int?
        for object in objects {
            let value = body.extracting(object.value)
            switch object.tag {
            case MiuraTag.serialNumber: facts.append(.serialNumber(value.printable))
            case MiuraTag.softwareInformation: facts += Self.words(in: object, objects, body).map { .firmware($0) }
            // Miura's SDK does not check the tag of the object that contains a capability.
            case let tag where object.tag.isConstructed && tag != MiuraTag.response:
                facts += Self.words(in: object, objects, body).map { .capability($0) }
            // 00 on battery, 01 charging, 02 charged; other values are failures.
            case MiuraTag.batteryCharging where value.count == 1: charging = value[0] <= 2 ? value[0] > 0 : nil
            case MiuraTag.batteryPercent where value.count == 1: percent = Int(value[0])
            default: break
            }
        }
        if charging != nil || percent != nil {
            facts.append(.battery(BatteryReport(percent: percent, isCharging: charging)))
        }
        return facts
    }

    /// Returns an identifier and its version or value from an object that contains them; empty if it has none. The
    /// base's first software sends its version as a second identifier (Miura's SDK: MSDK-233).
    private static func words(
        in holder: TagLengthValue, _ objects: [TagLengthValue], _ body: Span<UInt8>
    ) -> [String] {
        var words: [String] = []
        for object in objects where holder.value.contains(object.start) {
            guard [MiuraTag.identifier, MiuraTag.version].contains(object.tag), !object.value.isEmpty else { continue }
            words.append(body.extracting(object.value).printable)
        }
        return words.isEmpty ? [] : [words.joined(separator: " ")]
    }

    /// Interprets an unsolicited message; the first card report confirms that reports are switched on.
    private func report(_ message: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        guard message.count >= 2,
            let objects = TagLengthValue.read(
                message.extracting(first: message.count - 2), opaque: [MiuraTag.answerToReset])
        else { return [.unknown("a report that is not BER-TLV")] }
        func value(_ tag: Tag, atLeast count: Int) -> Range<Int>? {
            objects.first { $0.tag == tag && $0.value.count >= count }?.value
        }
        var meanings: [ReaderMeaning] = []
        if let range = value(MiuraTag.cardStatus, atLeast: 2) {
            let status = message.extracting(range)
            let isAnswer = request.map { $0.bytes == Self.request(.cardStatus, reportFlags).bytes } ?? false
            if isAnswer { meanings.append(.done()) }
            // The absence of a card is not an event.
            if !isAnswer || (status[0] | status[1]) & 1 != 0 { meanings += cards(status, message, objects) }
        }
        if let range = value(MiuraTag.deviceStatus, atLeast: 1) { meanings.append(device(message[range.lowerBound])) }
        return meanings.isEmpty ? [.unknown("a report without known content")] : meanings
    }

    private func cards(_ status: Span<UInt8>, _ message: Span<UInt8>, _ objects: [TagLengthValue]) -> [ReaderMeaning] {
        if status[1] & 1 != 0 {
            let swipe = Self.swipe(message, objects)
            return [swipe.map { .swipe($0) } ?? .badSwipe("the reader sent no track")]
        }
        guard status[0] & 1 != 0 else { return [.card(.removed)] }
        return [.card(status[0] & 2 != 0 ? .inserted : .unreadable)]
    }

    /// The swipe in a card status report; nil if the reader sent no track.
    static func swipe(_ message: Span<UInt8>, _ objects: [TagLengthValue]) -> ReaderSwipe? {
        var builder = ReaderSwipe.Builder()
        var isEncrypted = false
        var hasTrack = false
        for object in objects {
            guard let part = MiuraTag.parts[object.tag], !object.value.isEmpty else { continue }
            builder.add(part, message.extracting(object.value))
            isEncrypted = isEncrypted || part == .encryptedTracks
            hasTrack = hasTrack || part != .keySerialNumber
        }
        guard hasTrack else { return nil }
        builder.add(.frame, message)
        return builder.finish(family: name, cipher: isEncrypted ? .tripleDES : nil)
    }

    private func device(_ status: UInt8) -> ReaderMeaning {
        switch status {
        case 0x0A: .poweringDown
        case 0x01: .poweredUp
        case 0x0B, 0x0C: .reported(.status("restarting (\(status.hexadecimal))"))
        case 0x02: .reported(.status("PIN digit"))
        case 0x03: .reported(.status("application selection"))
        case 0xC0: .reported(.status("see phone"))
        case 0xCB: .reported(.status("success beep"))
        case 0xCE: .reported(.status("error beep"))
        default: .reported(.status(status.hexadecimal))
        }
    }

    private static func request(_ instruction: MiuraInstruction, _ first: UInt8 = 0) -> ReaderRequest {
        // Cannot throw, as there is no data that could be too long.
        ReaderRequest("\(instruction)", (try? MiuraCommand(instruction, first))?.frame() ?? [])
    }

    /// Partial messages, one for each stream of messages that may interleave; by reference, so that copies of a dialect
    /// share them.
    private final class Joining: Sendable {
        private let streams = [Stream(), Stream(), Stream(), Stream()]

        private final class Stream: Sendable {
            let parts = Mutex(JoinedParts(most: greatestAnswer))
        }

        /// Adds a part of a message.
        /// - Returns: the whole message after its last part; nil before, and if the message is lost.
        /// - Throws: ``JoiningFault`` if it is too long.
        func append(
            _ part: Span<UInt8>, isEnd: Bool, to stream: Int
        ) throws(JoiningFault) -> SecretBytes? {
            let part = SecretBytes(copying: part)
            return try streams[stream].parts.withLock { (parts) throws(JoiningFault) in
                try part.withBytes { (bytes) throws(JoiningFault) in try parts.join(bytes, isEnd: isEnd) }
            }
        }

        static func stream(isOfBase: Bool, isUnsolicited: Bool) -> Int { (isOfBase ? 2 : 0) + (isUnsolicited ? 1 : 0) }

        /// Whether the next part belongs to a lost message.
        func isSkipping(_ stream: Int) -> Bool { streams[stream].parts.withLock { $0.isSkipping } }

        /// Discards partial answers, but not partial unsolicited messages.
        func resetAnswers() {
            for isOfBase in [false, true] {
                streams[Self.stream(isOfBase: isOfBase, isUnsolicited: false)].parts.withLock { $0.reset() }
            }
        }
    }
}

extension MiuraDialect {
    /// Masks tracks, encrypted data, and other values that are long enough for an account number.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let first = frames.first, let last = frames.last else { return .unknown }
        // Parts of other messages may be interleaved; they are not separated here.
        guard frames.allSatisfy({ $0[0] == first[0] && ($0[1] ^ first[1]) & MiuraFormat.unsolicited == 0 }) else {
            return .unknown
        }
        guard last[1] & MiuraFormat.chained == 0 else { return .more }
        var message = frames.flatMap { $0[MiuraFormat.apduStart..<$0.count - 1] }
        guard message.count >= 2,
            let objects = TagLengthValue.read(
                message.span.extracting(first: message.count - 2), opaque: [MiuraTag.answerToReset])
        else { return .unknown }
        for object in objects where !object.tag.isConstructed { Self.hide(object, in: &message) }
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

extension ReaderProfile {
    /// The known facts about Miura's readers.
    static let miura = ReaderProfile(
        family: "miura", "Miura's readers, from the sources of their SDK",
        [
            .reportFlags: ProfileEntry(
                "P1 of the card status command that switches the reports on, 0 to 255", .number(0x1F), .documented,
                "sources of Miura's SDK for Android: 01 reports, 02 answer to reset, 04, 08 and 10 tracks 1, 2, 3"
            )
        ].merging(miuraPayment) { _, own in own })
}

extension ProfileKey {
    /// P1 of Miura's card status command that switches the reports on.
    public static let reportFlags: ProfileKey = "miura.reportFlags"
}

/// The contents of a Miura reader's card reports: P1 of ``MiuraInstruction/cardStatus``.
///
/// Source: sources of Miura's SDK for Android, in public repositories.
package struct MiuraCardReports: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Unsolicited reports, at each change.
    package static let changes = MiuraCardReports(rawValue: 1 << 0)
    /// A chip's answer to reset.
    package static let answerToReset = MiuraCardReports(rawValue: 1 << 1)
    package static let track1 = MiuraCardReports(rawValue: 1 << 2)
    package static let track2 = MiuraCardReports(rawValue: 1 << 3)
    package static let track3 = MiuraCardReports(rawValue: 1 << 4)
    package static let all: MiuraCardReports = [.changes, .answerToReset, .track1, .track2, .track3]
}

extension ReaderFamily {
    static let miura = ReaderFamily(
        "miura", "Miura M010, M020 and similar readers", [.serial], .documented,
        "published frames, byte for byte; the simulated reader",
        ["whether it answers when card status reports are switched off"], [.miura], MiuraDialect.init(profile:),
        frames: [
            FrameProtocol(
                "miura", "Miura MPI", .documented,
                [
                    // A command and a plain answer have the same format.
                    FrameKind(
                        "commands", MiuraFormat(.command), .command, isLikely: MiuraFormat.hasKnownInstruction,
                        seeds: ["010004D0000000D5 00 010004D0620000B7"]),
                    FrameKind(
                        "answers", MiuraFormat(.answer), .answer,
                        isLikely: { !MiuraFormat.hasKnownInstruction($0) },
                        seeds: ["010006101112139000 97 00 014106101112139000D6"],
                        measured: { () throws(FrameFault) in
                            let long = try MiuraFormat.answer(FrameKind.filler(600))
                            return [("answers", try long + MiuraFormat.answer([0x90, 0]))]
                        }),
                ])
        ], recognition: "its answer to RESET (D0 00), which names software and number")
}
