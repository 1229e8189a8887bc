import JackdawCards
import JackdawTransport

/// How MagTek's uDynamo is spoken to: messages in packets, on power that is given for it. What the messages hold is not
/// published: where the profile does not tell either, each is told as bytes (``ReaderFact/bytes(_:)``).
public struct UDynamoDialect: ReaderDialect {
    /// The family.
    public let family = "udynamo"
    /// How long things take.
    public let times: ReaderTimes
    /// How long it takes to wake up.
    public let waking: Duration?
    /// It is taken to read cards while it has power.
    public let isAlwaysArmed = true

    /// What messages hold, where they are those of iDynamo.
    static let iDynamo = "iDynamo"

    /// nil where nobody has told what messages hold.
    private(set) var content: MagTekDialect?
    private var joining = JoinedMessage(DynamoMessageJoiner())
    private var number = 0

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        waking = try profile.waking()
        let isKnown = profile[.messageContent]?.value != nil
        if isKnown { _ = try profile.text(.messageContent, of: [Self.iDynamo]) }
        content = isKnown ? MagTekDialect(family: family, times: times) : nil
    }

    /// As iDynamo, where it speaks so.
    public var identification: [ReaderRequest] { content?.identification ?? [] }

    /// Packets, always the same.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { DynamoPacketFormat() }

    /// Nothing: it is taken to read cards while it has power.
    public func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        try known().arming(for: duration)
    }

    /// As iDynamo, where it speaks so.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try known().asking(question)
    }

    /// As iDynamo, where it speaks so.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try known().setting(setting)
    }

    /// In packets, which are numbered on.
    public mutating func encode(_ request: ReaderRequest) -> [UInt8] {
        let packets = DynamoPacketFormat.packets(of: request.bytes, from: number)
        number = (number + packets.count) % DynamoPacketFormat.numbers
        return Array(packets.joined())
    }

    /// What a packet means, once the last of a message has come.
    public mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        do throws(JoiningFault) {
            guard let message = try joining.receive(frame) else { return request == nil ? [] : [.more] }
            return message.withBytes { understand(message: $0, answering: request) }
        } catch {
            return [request == nil ? .badSwipe("a message of the reader is lost: \(error)") : .unknown("\(error)")]
        }
    }

    /// Forgets a message that has begun.
    public mutating func reset() {
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
