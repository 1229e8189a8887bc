import JackdawCards
import JackdawDSP
import JackdawTransport

/// How MagTek's uDynamo is spoken to: messages in packets, on power that is given for it. What the messages hold is not
/// published: where the profile does not tell either, each is told as bytes (``ReaderFact/bytes(_:)``).
package struct UDynamoDialect: ReaderDialect {
    /// The family.
    package let family = "udynamo"
    /// How long things take.
    package let times: ReaderTimes
    /// How long it takes to wake up.
    package let waking: Duration?
    /// It is taken to read cards while it has power.
    package let isAlwaysArmed = true

    /// What messages hold, where they are those of iDynamo.
    static let iDynamo = "iDynamo"

    /// nil where nobody has told what messages hold.
    private(set) var content: MagTekDialect?
    private var joining = JoinedMessage(DynamoMessageJoiner())
    private var number = 0

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        waking = try profile.waking()
        let isKnown = profile[.messageContent]?.value != nil
        if isKnown { _ = try profile.text(.messageContent, of: [Self.iDynamo]) }
        content = isKnown ? MagTekDialect(family: family, times: times) : nil
    }

    /// As iDynamo, where it speaks so.
    package var identification: [ReaderRequest] { content?.identification ?? [] }

    /// Packets, always the same.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { DynamoPacketFormat() }

    /// Nothing: it is taken to read cards while it has power.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        try known().arming(for: duration)
    }

    /// As iDynamo, where it speaks so.
    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try known().asking(question)
    }

    /// As iDynamo, where it speaks so.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try known().setting(setting)
    }

    /// In packets, which are numbered on.
    package mutating func encode(_ request: ReaderRequest) -> [UInt8] {
        let packets = DynamoPacketFormat.packets(of: request.bytes, from: number)
        number = (number + packets.count) % DynamoPacketFormat.numbers
        return Array(packets.joined())
    }

    /// What a packet means, once the last of a message has come.
    package mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        do throws(JoiningFault) {
            guard let message = try joining.receive(frame) else { return request == nil ? [] : [.more] }
            return message.withBytes { understand(message: $0, answering: request) }
        } catch {
            return [request == nil ? .badSwipe("a message of the reader is lost: \(error)") : .unknown("\(error)")]
        }
    }

    /// Forgets a message that has begun.
    package mutating func reset() {
        joining = JoinedMessage(DynamoMessageJoiner())
        content?.reset()
    }

    private mutating func understand(message: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        guard content != nil else { return [.told(.bytes(ReaderBytes(copying: message)))] }
        do throws(FrameFault) {
            try MagTekFormat(.answer).check(message)
        } catch {
            return [.unknown("a message that is no line: \(error)")]
        }
        return content?.understand(message, answering: request) ?? []
    }

    private func known() throws(ReaderError) -> MagTekDialect {
        guard let content else {
            throw ReaderError(
                .unsupported, "what the messages of \(family) readers hold is not published",
                remedy: "supply \(ProfileKey.messageContent) in a profile of your own, or take the bytes that are told")
        }
        return content
    }
}

extension UDynamoDialect {
    /// Hides what iDynamo's lines have hidden, in packets of the same sizes; all of it where nobody knows what messages hold.
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
    /// What is known of MagTek's uDynamo.
    static let udynamo: ReaderProfile = {
        let reports = "reported for interoperability, not checked on hardware"
        return ReaderProfile(
            family: "udynamo", "MagTek's uDynamo on the audio jack",
            [
                .connectingTone: ProfileEntry("Hz of the tone that it lives on", .number(1_000), .reported, reports),
                .powerWaveform: ProfileEntry(
                    "form of that tone: square or sine", .text("square"), .reported,
                    "published programs choose one for some phones"),
                .powerRamp: ProfileEntry("ms that the tone takes to come", .number(500), .reported, reports),
                .soundLevel: ProfileEntry("dBFS of tone and commands", .number(0), .reported, "full scale"),
                .powerPause: inferredPause,
                .waking: ProfileEntry(
                    "ms that it takes to wake up", .number(2_000), .inferred,
                    "pause and ramp of the tone, and a second for what stores its power"),
                .lineBaud: ProfileEntry("line bits a second", .number(7_350), .reported, reports),
                .oneFalls: ProfileEntry(
                    "whether a 1 is high-low in its pair of line bits", .flag(true), .inferred,
                    "which way round was not even reported"),
                .silence: ProfileEntry("ms that a packet may stand still", .number(2_000), .reported, reports),
                .answer: ProfileEntry("ms for an answer", .number(10_000), .reported, reports),
                .messageContent: ProfileEntry(
                    "what messages hold: iDynamo for the lines of iDynamo", missing: .text,
                    "the fields of its messages are not published"),
            ])
    }()

    /// What the simulated uDynamo speaks: the messages are made up, as those of iDynamo.
    static let simulatedUDynamo: ReaderProfile = {
        var profile = udynamo
        profile[.messageContent] = ProfileEntry(
            "what messages hold", .text(UDynamoDialect.iDynamo), .inferred, "made up for the simulated reader")
        return profile
    }()

    /// What goes through the jack of a uDynamo.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
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
    /// What the messages of a uDynamo hold.
    public static let messageContent: ProfileKey = "udynamo.content"
}
