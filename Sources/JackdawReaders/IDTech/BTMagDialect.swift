/// How ID TECH's BTMag is spoken to: as ``IDTechDialect`` has it, but for what switches reading on and off.
public struct BTMagDialect: ReaderDialect {
    /// The family.
    public let family = "btmag"
    /// How long things take.
    public let times: ReaderTimes

    private let reader: IDTechDialect
    private let readingOn: [UInt8]
    private let readingOff: [UInt8]

    /// More than any known command has.
    private static let dataSizes = 0...255

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        reader = IDTechDialect(family: family, times: times, takesCommands: try profile.flag(.takesCommands))
        readingOn = try profile.bytes(.readingOn, count: Self.dataSizes)
        readingOff = try profile.bytes(.readingOff, count: Self.dataSizes)
    }

    /// It has a battery, and reads cards from the start where no command is known that has it do so.
    public var isAlwaysArmed: Bool { readingOn.isEmpty }

    /// Its software and its number, where it can be asked.
    public var identification: [ReaderRequest] { reader.identification }

    /// Answers and swipes of ID TECH's readers.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { reader.format(awaiting: request) }

    /// What switches reading on, if anything does.
    public func arming(for duration: Duration) -> [ReaderRequest] { Self.request("switch reading on", readingOn) }

    /// What switches reading off, if anything does.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        Self.request("switch reading off", readingOff)
    }

    /// What asks something.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try reader.asking(question)
    }

    /// What sets something: the number is that of a function.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try reader.setting(setting)
    }

    /// What a frame means.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        reader.understand(frame, answering: request)
    }

    /// Hides tracks, what was encrypted and hashes of a swipe, and numbers in answers.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames { reader.masking(frames) }

    private static func request(_ name: String, _ data: [UInt8]) -> [ReaderRequest] {
        data.isEmpty ? [] : [ReaderRequest(name, BTMagFormat.frame(data))]
    }
}
