import JackdawEMV

/// The protocol of Flomio's FloJack: the driver switches the search for tags on, and the reader reports the tags that
/// it finds, and pings the program from time to time.
///
/// Source: Flomio's drivers for iOS, in a public repository.
package struct FloJackDialect: ReaderDialect {
    package let family = "flojack"
    package let times: ReaderTimes
    package let waking: Duration?

    private enum Status {
        static let hardware: UInt8 = 1
        static let software: UInt8 = 2
    }

    private static let (off, on): (UInt8, UInt8) = (0, 1)
    private static let pong: UInt8 = 1
    private static let refused: UInt8 = 0x80

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        waking = try profile.waking()
    }

    /// Hardware and software versions.
    package var identification: [ReaderRequest] {
        [Self.request(.status, Status.hardware, "hardware"), Self.request(.status, Status.software, "software")]
    }

    /// Messages; their format does not depend on the request.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { FloJackFormat() }

    /// Switches the search for tags on. Whether the reader answers depends on its settings.
    package func arming(for duration: Duration) -> [ReaderRequest] { [Self.polling(Self.on)] }

    /// Switches the search for tags off.
    package func disarming(after reason: DisarmReason) -> [ReaderRequest] { [Self.polling(Self.off)] }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware: [Self.request(.status, Status.software, "software")]
        default: throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
        }
    }

    /// Sends a message: the setting's number is opcode times 256 plus subopcode, its value the data.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let number = UInt16(exactly: setting.number), FloJackOpcode(rawValue: UInt8(number >> 8)).isKnown else {
            throw ReaderError(
                .outOfRange, "no message has the number \(setting.number)",
                remedy: "choose opcode times 256 plus subopcode, such as 0x0401 for the polling rate")
        }
        do throws(FrameFault) {
            let opcode = FloJackOpcode(rawValue: UInt8(number >> 8))
            let bytes = try FloJackFormat.message(opcode, UInt8(number & 255), setting.value)
            return [ReaderRequest("set \(opcode)", bytes, isAnswered: false)]
        } catch {
            throw ReaderError(.outOfRange, "the setting is invalid", underlying: error.message)
        }
    }

    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let opcode = FloJackOpcode(rawValue: frame[0])
        let data = frame.extracting(3..<frame.count - 1)
        switch opcode {
        case .status:
            guard request?.bytes.starts(with: [frame[0]]) == true, request?.bytes[2] == frame[2] else {
                return [.unknown("a status that was not asked for")]
            }
            let version = data.spacedHexadecimal()
            return [.done(frame[2] == Status.software ? [.firmware(version)] : [.model("hardware \(version)")])]
        // Only the bytes of a tag are known here: its number, or all of its memory.
        case .tag: return [.card(.tapped), .reported(.bytes(ReaderBytes(copying: data)))]
        case .ping: return [.reply(Self.bytes(.ping, Self.pong))]
        case .acknowledgement where frame[2] == Self.refused:
            return [request == nil ? .unknown("not understood") : .refused("not understood")]
        default: return [.unknown("a message about \(opcode)")]
        }
    }

    private static func polling(_ isOn: UInt8) -> ReaderRequest {
        ReaderRequest(
            isOn == on ? "look for tags" : "stop looking for tags", bytes(.polling, isOn), isAnswered: false)
    }

    private static func request(_ opcode: FloJackOpcode, _ subopcode: UInt8, _ name: String) -> ReaderRequest {
        ReaderRequest(name, bytes(opcode, subopcode))
    }

    private static func bytes(_ opcode: FloJackOpcode, _ subopcode: UInt8) -> [UInt8] {
        // Cannot throw, as a message without data is not too long.
        (try? FloJackFormat.message(opcode, subopcode)) ?? []
    }
}

extension FloJackDialect {
    /// Masks the data of a tag; other messages remain if they are too short for an account number.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        let opcode = FloJackOpcode(rawValue: frame[0])
        let data = frame[3..<frame.count - 1]
        guard opcode == .tag || data.count < TagLengthValue.leastOfCard else { return .unknown }
        let kept = opcode == .tag ? [UInt8](repeating: 0, count: data.count) : Array(data)
        return (try? FloJackFormat.message(opcode, frame[2], kept)).map { .masked([$0]) } ?? .unknown
    }
}

extension ReaderProfile {
    /// The known facts about Flomio's FloJack.
    static let flojack = serialManchester(
        family: "flojack", "Flomio's FloJack, which reads tags near it",
        baud: ProfileEntry(
            "bits per second", .number(44_100 / 13), .documented, "FJNFCService.mm: 13 samples of 44.1 kHz"),
        onesBefore: 4, onesAfter: 23, "FJNFCService.mm, published by Flomio",
        [.silence: ProfileEntry("ms, longest pause in a message", .number(500), .documented, "FJNFCService.mm")])
}

extension ReaderFamily {
    static let flojack = ReaderFamily(
        "flojack", "Flomio FloJack on the audio jack", [.audio], .documented,
        "published messages, byte for byte; the simulated reader, in sound and by its bytes",
        [
            "how long a reader takes to wake up", "whether it answers the command to look for tags",
            "how versions are written",
        ],
        [.flojack], FloJackDialect.init(profile:),
        frames: [
            FrameProtocol(
                "flojack", "Flomio FloJack", .documented,
                [
                    FrameKind(
                        "", FloJackFormat(), .answer, .command, seeds: ["0D040009 11 06048183"],
                        measured: { () throws(FrameFault) in
                            [("", [try FloJackFormat.message(.tag, 0, FrameKind.filler(40))])]
                        })
                ])
        ], recognition: "its answer to the request for its versions",
        sound: { profile throws(ReaderError) in try profile.serialManchesterSound() })
}
