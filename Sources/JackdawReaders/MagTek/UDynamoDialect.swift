import JackdawBytes
import JackdawCards
import JackdawDSP
import JackdawTransport

/// The protocol of MagTek's uDynamo: messages in packets, for a reader that the jack supplies with power. The contents
/// of messages are not published; unless the profile supplies them, each message is reported as bytes
/// (``ReaderFact/bytes(_:)``).
package struct UDynamoDialect: ReaderDialect {
    package let family = "udynamo"
    package let times: ReaderTimes
    package let waking: Duration?
    /// The reader is assumed to read cards while it has power.
    package let isAlwaysArmed = true

    /// The profile's value for messages with the contents of iDynamo's.
    static let iDynamo = "iDynamo"

    /// The dialect of the messages; nil if their contents are unknown.
    private(set) var content: MagTekDialect?
    private var joining = JoinedMessage(DynamoMessageJoiner())
    private var number = 0

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        waking = try profile.waking()
        let isKnown = profile[.messageContent]?.value != nil
        if isKnown { _ = try profile.text(.messageContent, of: [Self.iDynamo]) }
        content = isKnown ? MagTekDialect(family: family, times: times) : nil
    }

    /// The requests of iDynamo, if the messages are the same.
    package var identification: [ReaderRequest] { content?.identification ?? [] }

    /// Packets; their format does not depend on the request.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { DynamoPacketFormat() }

    /// No requests, as the reader is assumed to read cards while it has power.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        try known().arming(for: duration)
    }

    /// The requests of iDynamo, if the messages are the same.
    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try known().asking(question)
    }

    /// The requests of iDynamo, if the messages are the same.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try known().setting(setting)
    }

    /// Cuts the request into packets, and continues their numbering.
    package mutating func encode(_ request: ReaderRequest) -> [UInt8] {
        let packets = DynamoPacketFormat.packets(of: request.bytes, from: number)
        number = (number + packets.count) % DynamoPacketFormat.numbers
        return Array(packets.joined())
    }

    /// Interprets a packet; a message only after its last packet.
    package mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        do throws(JoiningFault) {
            guard let message = try joining.receive(frame) else { return request == nil ? [] : [.more] }
            return message.withBytes { understand(message: $0, answering: request) }
        } catch {
            return [
                request == nil
                    ? .badSwipe("a message of the reader was lost: \(error)", reason: .lostMessage)
                    : .unknown("\(error)")
            ]
        }
    }

    /// Discards a partial message.
    package mutating func reset() {
        joining = JoinedMessage(DynamoMessageJoiner())
        content?.reset()
    }

    private mutating func understand(message: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        guard content != nil else { return [.reported(.bytes(ReaderBytes(copying: message)))] }
        do throws(FrameFault) {
            try MagTekFormat(.answer).check(message)
        } catch {
            return [.unknown("a message that is not a line: \(error)")]
        }
        return content?.understand(message, answering: request) ?? []
    }

    private func known() throws(ReaderError) -> MagTekDialect {
        guard let content else {
            throw ReaderError(
                .unsupported, "the content of the messages of \(family) readers is not published",
                remedy: "set \(ProfileKey.messageContent) in your own profile, or use the bytes that are reported")
        }
        return content
    }
}

extension UDynamoDialect {
    /// Masks the same data as in iDynamo's lines, in packets of the same sizes; everything if the contents of messages
    /// are unknown.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
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

extension ReaderProfile {
    /// The known facts about MagTek's uDynamo.
    static let udynamo: ReaderProfile = {
        let reports = "reported for interoperability, not checked on hardware"
        return ReaderProfile(
            family: "udynamo", "MagTek's uDynamo on the audio jack",
            [
                .connectingTone: ProfileEntry("Hz of the tone that powers it", .number(1_000), .reported, reports),
                .powerWaveform: ProfileEntry(
                    "form of that tone: square or sine", .text("square"), .reported,
                    "published programs choose one for some phones"),
                .powerRamp: ProfileEntry("ms of the ramp at the start of the tone", .number(500), .reported, reports),
                .soundLevel: ProfileEntry("dBFS of tone and commands", .number(0), .reported, "full scale"),
                .powerPause: inferredPause,
                .waking: ProfileEntry(
                    "ms that it takes to wake up", .number(2_000), .inferred,
                    "pause and ramp of the tone, and a second to charge its capacitor"),
                .lineBaud: ProfileEntry("line bits per second", .number(7_350), .reported, reports),
                .oneFalls: ProfileEntry(
                    "whether a 1 is high-low in its pair of line bits", .flag(true), .inferred,
                    "the polarity was not reported"),
                .silence: ProfileEntry("ms, longest pause in a packet", .number(2_000), .reported, reports),
                .answer: ProfileEntry("ms for an answer", .number(10_000), .reported, reports),
                .messageContent: ProfileEntry(
                    "content of messages: iDynamo for the lines of iDynamo", missing: .text,
                    "the fields of its messages are not published"),
            ])
    }()

    /// The simulated uDynamo's profile: its messages are synthetic, with the contents of iDynamo's.
    static let simulatedUDynamo: ReaderProfile = {
        var profile = udynamo
        profile[.messageContent] = ProfileEntry(
            "content of messages", .text(UDynamoDialect.iDynamo), .inferred, "synthetic, for the simulated reader")
        return profile
    }()

    /// Returns the sound of a uDynamo on an audio jack.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    func uDynamoSound() throws(ReaderError) -> ReaderSound {
        let level = try soundLevel()
        var line = DynamoLine(
            baud: try number(.lineBaud, in: 1_200...19_200), oneFalls: try flag(.oneFalls), content: .packets)
        let answers = LineMode(name: family, summary: summary, code: .dynamo(line))
        line.repeatsInverted = true
        let isSquare = try text(.powerWaveform, of: ["square", "sine"]) == "square"
        let tone = Tone(
            try frequency(.connectingTone), isSquare ? .steppedSquare : .sine, channels: .inPhase(level: level),
            isWholeFrames: isSquare)
        let ramp = ToneRamp(.linear, seconds: Double(try integer(.powerRamp, in: 0...10_000)) / 1000)
        return ReaderSound(
            answers: answers, commands: .line(LineMode(name: family, summary: summary, code: .dynamo(line))),
            commandLevel: level, commandGains: [1, 1], join: .replacing(.none),
            power: PowerToneProfile(name: family, connecting: tone, holding: tone, ramp: ramp),
            pause: try powerPause())
    }
}

extension ProfileKey {
    /// The contents of a uDynamo's messages.
    public static let messageContent: ProfileKey = "udynamo.content"
}

extension ReaderFamily {
    static let udynamo = ReaderFamily(
        "udynamo", "MagTek uDynamo on the audio jack", [.audio], .reported,
        "the simulated reader, in sound and by its bytes, with synthetic messages",
        [
            "the content of messages: a profile must supply it", "how long a reader takes to wake up",
            "whether packets are acknowledged",
        ],
        [.udynamo, .simulatedUDynamo], UDynamoDialect.init(profile:),
        frames: [
            FrameProtocol(
                "udynamo", "MagTek uDynamo: packets of its line", .reported,
                [
                    FrameKind(
                        "", DynamoPacketFormat(), .answer, .command, seeds: ["690F013156F099 00 013135"],
                        measured: { () throws(FrameFault) in
                            [("", DynamoPacketFormat.packets(of: FrameKind.filler(255)))]
                        })
                ])
        ], sound: { profile throws(ReaderError) in try profile.uDynamoSound() })
}
