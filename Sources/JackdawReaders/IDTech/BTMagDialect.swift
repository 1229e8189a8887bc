/// The protocol of ID TECH's BTMag: that of ``IDTechDialect``, with commands that switch reading on and off.
package struct BTMagDialect: ReaderDialect {
    package let family = "btmag"
    package let times: ReaderTimes

    private let reader: IDTechDialect
    private let readingOn: [UInt8]
    private let readingOff: [UInt8]

    /// The range of a command's data in bytes; more than any known command has.
    private static let dataSizes = 0...255

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        reader = IDTechDialect(family: family, times: times, takesCommands: try profile.flag(.takesCommands))
        readingOn = try profile.bytes(.readingOn, count: Self.dataSizes)
        readingOff = try profile.bytes(.readingOff, count: Self.dataSizes)
    }

    /// The reader has a battery; without a known command that starts reading, it reads cards from the start.
    package var isAlwaysArmed: Bool { readingOn.isEmpty }

    /// Firmware version and serial number, if the reader takes commands.
    package var identification: [ReaderRequest] { reader.identification }

    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { reader.format(awaiting: request) }

    /// The command that switches reading on, if there is one.
    package func arming(for duration: Duration) -> [ReaderRequest] { Self.request("switch reading on", readingOn) }

    /// The command that switches reading off, if there is one.
    package func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        Self.request("switch reading off", readingOff)
    }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try reader.asking(question)
    }

    /// Changes a setting: its number is that of a function.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try reader.setting(setting)
    }

    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        reader.understand(frame, answering: request)
    }

    /// Masks tracks, encrypted data and hashes of a swipe, and numbers in answers.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames { reader.masking(frames) }

    private static func request(_ name: String, _ data: [UInt8]) -> [ReaderRequest] {
        data.isEmpty ? [] : [ReaderRequest(name, BTMagFormat.frame(data))]
    }
}

/// Frames of ID TECH's BTMag: `02`, data, `03`, and an LRC of all these bytes.
///
/// Source: ID TECH's SDK, whose documentation has no length and does not state whether data may contain `03`: the frame
/// ends with the first `03` that the correct LRC follows.
package struct BTMagFormat: FrameFormat {
    package let greatestData: Int

    /// - Parameter greatestData: the most bytes of data. The actual limit is not documented.
    package init(greatestData: Int = 1024) { self.greatestData = greatestData }

    package var greatestSize: Int { greatestData + 3 }

    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes[0] == IDTechCommandFormat.startOfText else { return .fault(.noStart(bytes[0])) }
        let marks = bytes.extracting(first: min(bytes.count, greatestSize - 1))
        var (sum, first) = (bytes[0], 1)
        while let end = marks.firstIndex(of: IDTechCommandFormat.endOfText, from: first) {
            guard end + 1 < bytes.count else { return .partial(atLeast: end + 2) }
            sum ^= RedundancyCheck.longitudinal(bytes.extracting(first...end))
            if bytes[end + 1] == sum { return .whole(end + 2) }
            first = end + 1
        }
        guard bytes.count < greatestSize else {
            return .fault(FrameFault(.length, at: greatestSize - 1, "no end in \(greatestSize) bytes"))
        }
        return .partial(atLeast: bytes.count + (bytes.count > 1 ? 1 : 2))
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        return [
            FrameField("STX", 0..<1, "02"),
            FrameField("data", 1..<end, frame.extracting(1..<end).sensitive(isRevealing)),
            FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right"),
        ]
    }

    /// Makes a frame.
    /// - Parameter data: the content of the frame.
    /// - Returns: the frame.
    package static func frame(_ data: [UInt8]) -> [UInt8] {
        let frame = [IDTechCommandFormat.startOfText] + data + [IDTechCommandFormat.endOfText]
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

extension ReaderProfile {
    /// The known facts about ID TECH's BTMag.
    static let btmag = ReaderProfile(
        family: "btmag", "ID TECH's BTMag, from its manual and ID TECH's SDK",
        [
            .takesCommands: ProfileEntry(
                "whether it accepts commands; if not, the driver sends no requests", .flag(true), .inferred,
                "its manual refers to the SecureHead's; ID TECH's SDK frames commands as in SecureMag's manual"),
            .readingOn: ProfileEntry(
                "data of the command that switches reading on; empty if it always reads cards", .bytes([]),
                .inferred, "ID TECH's demo program has such a switch; its commands are not published"),
            .readingOff: ProfileEntry(
                "data of the command that switches reading off; empty if it needs none", .bytes([]), .inferred,
                "as for the command that switches reading on"),
        ])
}

extension ProfileKey {
    /// The data of the command with which a BTMag starts to read cards.
    public static let readingOn: ProfileKey = "btmag.readingOn"
    /// The data of the command with which a BTMag stops reading cards.
    public static let readingOff: ProfileKey = "btmag.readingOff"
}

extension ReaderFamily {
    static let btmag = ReaderFamily(
        "btmag", "ID TECH BTMag over Bluetooth", [.serial], .documented,
        "published swipes of ID TECH's other readers, byte for byte; the simulated reader",
        [
            "its commands: the driver uses those of ID TECH's other readers",
            "whether reading must be switched on, and by which command",
            "the end of a swipe that is sent as plain text, without encryption",
        ],
        [.btmag], BTMagDialect.init(profile:),
        frames: [
            FrameProtocol(
                "btmag", "ID TECH BTMag: frames and encrypted swipes", .documented,
                [
                    FrameKind("swipes", IDTechSwipeFormat(), .answer, streams: []),
                    FrameKind(
                        "", BTMagFormat(), .answer, .command,
                        streams: [BTMagFormat(), BTMagFormat(greatestData: 16)],
                        seeds: ["02521F034C 00 023103320301"],
                        measured: { () throws(FrameFault) in
                            [("", [BTMagFormat.frame(FrameKind.filler(300).filter { $0 != 3 })])]
                        }),
                ])
        ], encryption: SwipeEncryption(.blocks(IDTechSwipe.blocks(in:)), scheme: "data-request"))
}
