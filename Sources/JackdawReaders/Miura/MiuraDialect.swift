import JackdawCards
import JackdawTransport
internal import Synchronization

/// How Miura's readers (M010, M020 and their like) are spoken to: MPI commands to the card reader, and card status reports that
/// come unasked while they are switched on.
public struct MiuraDialect: ReaderDialect {
    /// The family.
    public let family = "miura"
    /// How long things take.
    public let times: ReaderTimes
    /// P1 of the card status command that switches the reports on.
    public let reportFlags: UInt8

    private let joining = Joining()

    /// Answers longer than this are none.
    static let greatestAnswer = 65_536

    /// - Parameters:
    ///   - times: how long things take.
    ///   - reportFlags: what is reported of a card. That bit 0 asks for reports is inferred; which bits ask for the tracks is
    ///     not published, so that all that could are set unless a program knows better.
    public init(times: ReaderTimes = ReaderTimes(), reportFlags: UInt8 = 0x1F) {
        self.times = times
        self.reportFlags = reportFlags
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        let flags = UInt8(clamping: try profile.integer(.reportFlags, in: 0...255))
        self.init(times: try profile.times(), reportFlags: flags)
    }

    /// Its software and its battery.
    public var identification: [ReaderRequest] {
        [Self.request(.softwareInformation), Self.request(.batteryStatus)]
    }

    /// Answers, always framed alike.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { MiuraFormat(.answer) }

    /// Card status reports on. How long the wait is, is the program's own matter.
    public func arming(for duration: Duration) -> [ReaderRequest] { [Self.request(.cardStatus, reportFlags)] }

    /// Card status reports off.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] { [Self.request(.cardStatus, 0)] }

    /// What asks something.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware, .serialNumber: [Self.request(.softwareInformation)]
        case .battery: [Self.request(.batteryStatus)]
        default: throw ReaderError(.unsupported, "\(family) readers are not known to tell their \(question)")
        }
    }

    /// What a frame means, once the last of an answer has come.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let part = frame.extracting(MiuraFormat.apduStart..<frame.count - 1)
        let isUnsolicited = frame[1] & MiuraFormat.unsolicited != 0
        let isChained = frame[1] & MiuraFormat.chained != 0
        // Answers of the base go beside those of the reader, and unasked ones beside both.
        let stream = (frame[0] == MiuraNode.base.rawValue ? 2 : 0) + (isUnsolicited ? 1 : 0)
        do throws(JoiningFault) {
            guard let message = try joining.append(part, isEnd: !isChained, to: stream) else {
                // Who waits for the answer may wait longer for the rest.
                return isUnsolicited || !isChained ? [] : [request == nil ? .unknown("a part of an answer") : .more]
            }
            return message.withBytes { isUnsolicited ? report($0) : [answer($0, to: request)] }
        } catch {
            return [.unknown("an answer of \(error)")]
        }
    }

    /// Forgets answers that have begun.
    public func reset() { joining.reset() }

    private func answer(_ message: Span<UInt8>, to request: ReaderRequest?) -> ReaderMeaning {
        guard message.count >= 2 else { return .unknown("an answer without a status") }
        let status = message.extracting(message.count - 2..<message.count)
        guard let request else { return .unknown("an answer that ends with \(status.hexadecimal())") }
        guard status[0] == 0x90, status[1] == 0 else { return .refused("status \(status.hexadecimal())") }
        let body = message.extracting(first: message.count - 2)
        guard let objects = TagLengthValue.read(body) else { return .unknown("an answer that is no BER-TLV") }
        return .done(request.bytes.count > 4 ? facts(body, objects) : [])
    }

    private func facts(_ body: Span<UInt8>, _ objects: [TagLengthValue]) -> [ReaderFact] {
        var facts: [ReaderFact] = []
        var charging: Bool?
        var percent: Int?
        var identifier = ""
        for object in objects {
            let value = body.extracting(object.value)
            switch object.tag {
            case MiuraTag.identifier: identifier = value.printable
            case MiuraTag.version: facts.append(.firmware("\(identifier) \(value.printable)"))
            case MiuraTag.batteryCharging where value.count == 1: charging = value[0] == 1 || value[0] == 2
            case MiuraTag.batteryPercent where value.count == 1: percent = Int(value[0])
            default: break
            }
        }
        if charging != nil || percent != nil {
            facts.append(.battery(BatteryReport(percent: percent, isCharging: charging)))
        }
        return facts
    }

    /// What a message that nobody asked for tells.
    private func report(_ message: Span<UInt8>) -> [ReaderMeaning] {
        guard message.count >= 2, let objects = TagLengthValue.read(message.extracting(first: message.count - 2)) else {
            return [.unknown("a report that is no BER-TLV")]
        }
        var meanings: [ReaderMeaning] = []
        for object in objects {
            let value = message.extracting(object.value)
            switch object.tag {
            case MiuraTag.cardStatus where value.count >= 2: meanings += cards(value, message, objects)
            case MiuraTag.deviceStatus where value.count >= 1: meanings.append(device(value[0]))
            default: break
            }
        }
        return meanings.isEmpty ? [.unknown("a report of nothing that is known")] : meanings
    }

    private func cards(_ status: Span<UInt8>, _ message: Span<UInt8>, _ objects: [TagLengthValue]) -> [ReaderMeaning] {
        if status[1] & 1 != 0 {
            let swipe = swipe(message, objects)
            return [swipe.map { .swipe($0) } ?? .badSwipe("the reader sent no track")]
        }
        guard status[0] & 1 != 0 else { return [.card(.removed)] }
        return [.card(status[0] & 2 != 0 ? .inserted : .unreadable)]
    }

    private func swipe(_ message: Span<UInt8>, _ objects: [TagLengthValue]) -> ReaderSwipe? {
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
        return builder.finish(family: family, cipher: isEncrypted ? .tripleDES : nil)
    }

    private func device(_ status: UInt8) -> ReaderMeaning {
        switch status {
        case 0x0A: .poweringDown
        case 0x01, 0x0B, 0x0C: .told(.status("restarting (\(status.hexadecimal))"))
        case 0x02: .told(.status("PIN digit"))
        case 0x03: .told(.status("application selection"))
        case 0xC0: .told(.status("see phone"))
        default: .told(.status(status.hexadecimal))
        }
    }

    private static func request(_ instruction: MiuraInstruction, _ first: UInt8 = 0) -> ReaderRequest {
        let apdu = [UInt8(instruction.rawValue >> 8), UInt8(instruction.rawValue & 0xFF), first, 0]
        // Four bytes always fit.
        return ReaderRequest("\(instruction)", (try? MiuraFormat.command(apdu)) ?? [])
    }

    /// What has come of answers, one for each stream that goes beside others; a place that a dialect can be copied with.
    private final class Joining: Sendable {
        private let streams = [Stream(), Stream(), Stream(), Stream()]

        private final class Stream: Sendable {
            let parts = Mutex(JoinedParts(most: greatestAnswer))
        }

        /// Adds a part.
        /// - Returns: the message, where this was its end; nil also where it is lost.
        /// - Throws: ``JoiningFault`` where it is too long.
        func append(
            _ part: Span<UInt8>, isEnd: Bool, to stream: Int
        ) throws(JoiningFault) -> SecretBytes? {
            let part = SecretBytes(copying: part)
            return try streams[stream].parts.withLock { (parts) throws(JoiningFault) in
                guard !parts.isSkipping else {
                    if isEnd { parts.reset() }
                    return nil
                }
                try part.withBytes { (bytes) throws(JoiningFault) in try parts.append(bytes, isEnd: isEnd) }
                return isEnd ? parts.finish() : nil
            }
        }

        func reset() {
            for stream in streams { stream.parts.withLock { $0.reset() } }
        }
    }
}

/// Data objects of MPI that drivers read.
///
/// Source: Description.java of Miura's SDK for Android, in public repositories.
enum MiuraTag {
    static let commandData: UInt32 = 0xE0
    static let answer: UInt32 = 0xE1
    static let statusChange: UInt32 = 0xE6
    static let softwareInformation: UInt32 = 0xEF
    static let cardStatus: UInt32 = 0x48
    static let deviceStatus: UInt32 = 0xC3
    static let identifier: UInt32 = 0xDF0D
    static let version: UInt32 = 0xDF7F
    static let batteryCharging: UInt32 = 0xDFA209
    static let batteryPercent: UInt32 = 0xDFA20A
    static let track1: UInt32 = 0x5F21
    static let track2: UInt32 = 0x5F22
    static let track3: UInt32 = 0x5F23
    static let maskedTrack2: UInt32 = 0xDFAE22
    static let encryptedTracks: UInt32 = 0xDFAE02
    static let keySerialNumber: UInt32 = 0xDFAE03
    static let maskedNumber: UInt32 = 0xDFAE5A

    static let parts: [UInt32: ReaderSwipe.Part] = [
        track1: .track(1), track2: .track(2), track3: .track(3), maskedTrack2: .maskedTrack(2),
        encryptedTracks: .encryptedTracks, keySerialNumber: .keySerialNumber, maskedNumber: .maskedNumber,
    ]
}
