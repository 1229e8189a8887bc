/// How ID TECH's BTMag is spoken to: as ``IDTechDialect`` has it, but for what switches reading on and off.
package struct BTMagDialect: ReaderDialect {
    /// The family.
    package let family = "btmag"
    /// How long things take.
    package let times: ReaderTimes

    private let reader: IDTechDialect
    private let readingOn: [UInt8]
    private let readingOff: [UInt8]

    /// More than any known command has.
    private static let dataSizes = 0...255

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        reader = IDTechDialect(family: family, times: times, takesCommands: try profile.flag(.takesCommands))
        readingOn = try profile.bytes(.readingOn, count: Self.dataSizes)
        readingOff = try profile.bytes(.readingOff, count: Self.dataSizes)
    }

    /// It has a battery, and reads cards from the start where no command is known that has it do so.
    package var isAlwaysArmed: Bool { readingOn.isEmpty }

    /// Its software and its number, where it can be asked.
    package var identification: [ReaderRequest] { reader.identification }

    /// Answers and swipes of ID TECH's readers.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { reader.format(awaiting: request) }

    /// What switches reading on, if anything does.
    package func arming(for duration: Duration) -> [ReaderRequest] { Self.request("switch reading on", readingOn) }

    /// What switches reading off, if anything does.
    package func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        Self.request("switch reading off", readingOff)
    }

    /// What asks something.
    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try reader.asking(question)
    }

    /// What sets something: the number is that of a function.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try reader.setting(setting)
    }

    /// What a frame means.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        reader.understand(frame, answering: request)
    }

    /// Hides tracks, what was encrypted and hashes of a swipe, and numbers in answers.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames { reader.masking(frames) }

    private static func request(_ name: String, _ data: [UInt8]) -> [ReaderRequest] {
        data.isEmpty ? [] : [ReaderRequest(name, BTMagFormat.frame(data))]
    }
}

/// Frames of ID TECH's BTMag: `02`, data, `03`, and an LRC over all of it.
///
/// Source: ID TECH's SDK, whose documentation has no length and does not say whether data may have `03`: the frame ends with the
/// first one that the right LRC follows.
package struct BTMagFormat: FrameFormat {
    /// The most bytes of data.
    package let greatestData: Int

    /// - Parameter greatestData: the most bytes of data. How many there are at most is not documented.
    package init(greatestData: Int = 1024) { self.greatestData = greatestData }

    /// The most bytes that a frame has.
    package var greatestSize: Int { greatestData + 3 }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    /// Measures the frame that may begin with the first byte.
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

    /// Explains a frame, field by field.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        return [
            FrameField("STX", 0..<1, "02"),
            FrameField("data", 1..<end, frame.extracting(1..<end).sensitive(isRevealing)),
            FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right"),
        ]
    }

    /// Makes a frame.
    /// - Parameter data: what it says.
    /// - Returns: the frame.
    package static func frame(_ data: [UInt8]) -> [UInt8] {
        let frame = [IDTechCommandFormat.startOfText] + data + [IDTechCommandFormat.endOfText]
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

extension ReaderProfile {
    /// What is known of ID TECH's BTMag.
    static let btmag = ReaderProfile(
        family: "btmag", "ID TECH's BTMag, as its manual and ID TECH's SDK have it",
        [
            .takesCommands: ProfileEntry(
                "whether it takes commands; else nothing is asked of it", .flag(true), .inferred,
                "its manual refers to the SecureHead's, and ID TECH's SDK frames commands as SecureMag's manual"),
            .readingOn: ProfileEntry(
                "data of the command that has it read cards; none where it reads them at any time", .bytes([]),
                .inferred, "ID TECH's demo program has such a switch; its commands are not published"),
            .readingOff: ProfileEntry(
                "data of the command that has it read no more; none where it needs none", .bytes([]), .inferred,
                "as what has it read cards"),
        ])
}

extension ProfileKey {
    /// Data of the command that has a BTMag read cards.
    public static let readingOn: ProfileKey = "btmag.readingOn"
    /// Data of the command that has a BTMag read no more.
    public static let readingOff: ProfileKey = "btmag.readingOff"
}
