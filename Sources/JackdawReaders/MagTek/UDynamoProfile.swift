import JackdawDSP

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
