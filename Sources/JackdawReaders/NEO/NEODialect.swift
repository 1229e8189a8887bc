import JackdawCards

/// How ID TECH's NEO and ViVOpay readers are spoken to, in protocol 2: a card is waited for by a transaction that is activated,
/// and answered when there is one, or none came in time.
///
/// Source: NEO 2 Interface Developer's Guide.
public struct NEODialect: ReaderDialect {
    /// The family.
    public let family = "neo"
    /// How long things take.
    public let times: ReaderTimes
    /// Whether the reader is told, when it is connected, to look for cards on demand only.
    public let pollsOnDemand: Bool

    private static let ping: UInt8 = 0x18
    private static let pollMode: UInt8 = 0x01
    private static let activate: UInt8 = 0x02
    private static let configuration: UInt8 = 0x03
    private static let configure: UInt8 = 0x04
    private static let cancel: UInt8 = 0x05
    private static let names: [UInt8: String] = [
        ping: "ping", pollMode: "set poll mode", activate: "activate transaction", configuration: "get configuration",
        configure: "set configuration", cancel: "cancel transaction",
    ]

    /// Header, command, subcommand or status, length.
    private static let dataStart = 14

    /// - Parameters:
    ///   - times: how long things take; waits for a card up to 255 s.
    ///   - pollsOnDemand: whether the reader is told to look for cards on demand only.
    public init(
        times: ReaderTimes = ReaderTimes(swipe: .seconds(3) ... .seconds(255)), pollsOnDemand: Bool = false
    ) {
        self.times = times
        self.pollsOnDemand = pollsOnDemand
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        self.init(times: try profile.times(), pollsOnDemand: try profile.flag(.pollOnDemand))
    }

    /// Whether it is there; its number is told by commands that are not in the guide's common part.
    public var identification: [ReaderRequest] {
        [Self.request(Self.ping, 0x01)] + (pollsOnDemand ? [Self.request(Self.pollMode, 0x01, [0x01])] : [])
    }

    /// Answers, always framed alike.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { NEOFormat(.answer) }

    /// Activate transaction, with the wait in whole seconds. The answer comes with the card, or when the time is over.
    public func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        let (seconds, rest) = duration.components
        guard let wait = UInt8(exactly: rest > 0 ? seconds + 1 : seconds), wait > 0 else {
            throw ReaderError(
                .outOfRange, "a NEO reader does not wait \(duration) for a card", remedy: "choose 1 to 255 s")
        }
        return [Self.request(Self.activate, 0x01, [wait], isAnswered: false)]
    }

    /// Cancel transaction, where the reader has not ended it itself.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        reason == .swiped ? [] : [Self.request(Self.cancel, 0x01)]
    }

    /// What asks something.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        guard question == .settings else {
            throw ReaderError(.unsupported, "\(family) readers are not known to tell their \(question)")
        }
        return [Self.request(Self.configuration, 0x02)]
    }

    /// Sets a data object of the configuration: the number is its tag.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let tag = UInt32(exactly: setting.number), tag > 0, setting.value.count <= UInt8.max else {
            throw ReaderError(
                .outOfRange, "no setting has the tag \(setting.number) and \(setting.value.count) bytes",
                remedy: "choose a tag of 1 to 4 bytes, and 255 bytes at most")
        }
        return [Self.request(Self.configure, 0x00, TagLengthValue.encode(tag, setting.value))]
    }

    /// What a frame means.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let status = NEOStatus(rawValue: frame[11])
        let data = frame.extracting(Self.dataStart..<frame.count - 2)
        guard frame[10] != Self.activate else { return transaction(status, data, answering: request) }
        guard let request, request.bytes[10] == frame[10] else {
            return [.unknown("an answer to \(Self.names[frame[10]] ?? "command \(frame[10].hexadecimal)")")]
        }
        guard status == .done else { return [.refused("\(status)")] }
        return [.done(frame[10] == Self.configuration ? settings(data) : [])]
    }

    /// Where a whole swipe of ID TECH's stripe readers lies in an answer to activate transaction; nil where there is none.
    package static func encryptedSwipe(in frame: Span<UInt8>) -> Range<Int>? {
        guard frame.count >= dataStart + 2, frame[10] == activate else { return nil }
        let place = NEOTransaction(frame.extracting(dataStart..<frame.count - 2))?.swipe
        return place.map { $0.lowerBound + dataStart..<$0.upperBound + dataStart }
    }

    private func transaction(
        _ status: NEOStatus, _ data: Span<UInt8>, answering request: ReaderRequest?
    ) -> [ReaderMeaning] {
        switch status {
        case .done, .onlineRequired: return card(data)
        case .timedOut: return [.gaveUp]
        // It is not what another request is answered with.
        default: return request == nil ? [.refused("\(status)")] : [.unknown("the end of a transaction: \(status)")]
        }
    }

    private func card(_ data: Span<UInt8>) -> [ReaderMeaning] {
        // The reader waits no more, read or not.
        guard let transaction = NEOTransaction(data) else { return [.refused("a card, with fields that do not fit")] }
        let notices: [ReaderMeaning] = transaction.isTapped ? [.card(.tapped)] : []
        if let swipe = transaction.swipe { return notices + [stripe(data.extracting(swipe))] }
        var builder = ReaderSwipe.Builder()
        var hasTrack = false
        for (index, range) in transaction.tracks.enumerated() where !range.isEmpty {
            addTrack(index + 1, data.extracting(range), to: &builder)
            hasTrack = true
        }
        guard hasTrack else { return notices + [.refused("the card gave no track")] }
        builder.add(.frame, data)
        return notices + [.swipe(builder.finish(family: family, cipher: nil))]
    }

    /// A whole frame of ID TECH's stripe readers, with checks of its own.
    private func stripe(_ frame: Span<UInt8>) -> ReaderMeaning {
        do throws(FrameFault) {
            try IDTechSwipeFormat().check(frame)
        } catch {
            return .refused("a bad swipe: \(error)")
        }
        let meaning = IDTechDialect.swipe(frame, of: family)
        guard case .badSwipe(let reason) = meaning else { return meaning }
        return .refused("a bad swipe: \(reason)")
    }

    /// The guide's examples leave the sentinels out, others have them.
    private func addTrack(_ number: Int, _ track: Span<UInt8>, to builder: inout ReaderSwipe.Builder) {
        let sentinels = [UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: "+")]
        guard !sentinels.contains(track[0]) else { return builder.add(.track(number), track) }
        let whole = SecretBytes(count: track.count + 2) { target in
            target[0] = number == 1 ? sentinels[0] : sentinels[1]
            for index in track.indices { target[index + 1] = track[index] }
            target[track.count + 1] = UInt8(ascii: "?")
        }
        whole.withBytes { builder.add(.track(number), $0) }
    }

    private func settings(_ data: Span<UInt8>) -> [ReaderFact] {
        (TagLengthValue.read(data) ?? []).map { object in
            .setting(ReaderSetting(Int(object.tag), object.value.map { data[$0] }))
        }
    }

    private static func request(
        _ command: UInt8, _ subcommand: UInt8, _ data: [UInt8] = [], isAnswered: Bool = true
    ) -> ReaderRequest {
        // The data is short.
        ReaderRequest(
            names[command] ?? "", (try? NEOFormat.command(command, subcommand, data)) ?? [], isAnswered: isAnswered)
    }
}
