import JackdawCards

/// How ID TECH's NEO and ViVOpay readers are spoken to, in protocol 2: a card is waited for by a transaction that is activated,
/// and answered when there is one, or none came in time.
///
/// Source: NEO 2 Interface Developer's Guide.
package struct NEODialect: ReaderDialect {
    /// The family.
    package let family = "neo"
    /// How long things take.
    package let times: ReaderTimes
    /// Whether the reader is told, when it is connected, to look for cards on demand only.
    package let pollsOnDemand: Bool

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
    package init(
        times: ReaderTimes = ReaderTimes(swipe: .seconds(3) ... .seconds(255)), pollsOnDemand: Bool = false
    ) {
        self.times = times
        self.pollsOnDemand = pollsOnDemand
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package init(profile: ReaderProfile) throws(ReaderError) {
        self.init(times: try profile.times(), pollsOnDemand: try profile.flag(.pollOnDemand))
    }

    /// Whether it is there; its number is told by commands that are not in the guide's common part.
    package var identification: [ReaderRequest] {
        [Self.request(Self.ping, 0x01)] + (pollsOnDemand ? [Self.request(Self.pollMode, 0x01, [0x01])] : [])
    }

    /// Answers, always framed alike.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { NEOFormat(.answer) }

    /// Activate transaction, with the wait in whole seconds. The answer comes with the card, or when the time is over.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        let (seconds, rest) = duration.components
        guard let wait = UInt8(exactly: rest > 0 ? seconds + 1 : seconds), wait > 0 else {
            throw ReaderError(
                .outOfRange, "a NEO reader does not wait \(duration) for a card", remedy: "choose 1 to 255 s")
        }
        return [Self.request(Self.activate, 0x01, [wait], isAnswered: false)]
    }

    /// Cancel transaction, where the reader has not ended it itself.
    package func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        reason == .swiped ? [] : [Self.request(Self.cancel, 0x01)]
    }

    /// What asks something.
    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        guard question == .settings else {
            throw ReaderError(.unsupported, "\(family) readers are not known to tell their \(question)")
        }
        return [Self.request(Self.configuration, 0x02)]
    }

    /// Sets a data object of the configuration: the number is its tag.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let tag = UInt32(exactly: setting.number), tag > 0, setting.value.count <= UInt8.max else {
            throw ReaderError(
                .outOfRange, "no setting has the tag \(setting.number) and \(setting.value.count) bytes",
                remedy: "choose a tag of 1 to 4 bytes, and 255 bytes at most")
        }
        return [Self.request(Self.configure, 0x00, TagLengthValue.encode(tag, setting.value))]
    }

    /// What a frame means.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
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

extension NEODialect {
    /// Hides tracks, swipes of ID TECH's own layout, and data objects long enough for an account number.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        var data = Array(frame[14..<frame.count - 2])
        guard Self.mask(&data, ofCard: frame[10] == 0x02) else { return .unknown }
        let status = NEOStatus(rawValue: frame[11])
        return (try? NEOFormat.answer(frame[10], status, data)).map { .masked([$0]) } ?? .unknown
    }

    private static func mask(_ data: inout [UInt8], ofCard isCard: Bool) -> Bool {
        guard !data.isEmpty else { return true }
        guard isCard else { return hideObjects(&data, from: 0, but: nil) }
        guard let layout = NEOTransaction(data.span) else { return false }
        for track in layout.tracks { CardHiding.hideTracks(&data, track) }
        if let place = layout.swipe {
            guard let swipe = IDTechDialect.masked(Array(data[place])), swipe.count == place.count else { return false }
            data.replaceSubrange(place, with: swipe)
        }
        return hideObjects(&data, from: layout.objectsStart, but: layout.swipe)
    }

    private static func hideObjects(_ data: inout [UInt8], from start: Int, but place: Range<Int>?) -> Bool {
        guard let objects = TagLengthValue.read(data.span.extracting(start...)) else { return false }
        for object in objects where !object.isConstructed {
            guard object.value.count >= TagLengthValue.leastOfCard || object.isShortOfCard else { continue }
            let value = object.value.lowerBound + start..<object.value.upperBound + start
            if value != place { CardHiding.clear(&data, value) }
        }
        return true
    }
}

extension ReaderProfile {
    /// What is known of NEO readers.
    static let neo = ReaderProfile(
        family: "neo", "ID TECH's NEO and ViVOpay readers, as the NEO 2 Interface Developer's Guide has them",
        [
            .longestSwipe: ProfileEntry(
                "ms that a wait for a card has at most", .number(255_000), .documented,
                "the wait is one byte of seconds: NEO 2 Interface Developer's Guide"),
            .lowEnergyService: ProfileEntry("service over Bluetooth Low Energy", missing: .text),
            .lowEnergyNotify: ProfileEntry("characteristic that notifies", missing: .text),
            .lowEnergyWrite: ProfileEntry("characteristic that is written", missing: .text),
            .pollOnDemand: ProfileEntry(
                "whether the reader is told to look for cards on demand only when it is connected (command 01-01)",
                .flag(false),
                .documented, "NEO 2 Interface Developer's Guide, p. 409; a reader that looks by itself needs it"),
        ])
}

extension ProfileKey {
    /// Whether a NEO reader is told, when it is connected, to look for cards on demand only.
    public static let pollOnDemand: ProfileKey = "neo.pollOnDemand"
}

/// What a NEO reader's answer to activate transaction (02-01) says of a card: where it lies.
///
/// It holds no card data itself: the answer has it, and each field is a range of that. In clear there are tracks, each behind
/// its length, a byte for a clearing record and data objects; else there are a byte of attributes and data objects, one of which
/// holds a whole swipe as ID TECH's magnetic stripe readers send it.
///
/// Source: NEO 2 Interface Developer's Guide, 8.5 (p. 212, 213, 233, 238) and its examples (p. 407 to 410).
struct NEOTransaction: Hashable {
    /// Tracks 1 and on in clear; empty where there is none.
    private(set) var tracks: [Range<Int>] = []
    /// A whole swipe of ID TECH's stripe readers.
    private(set) var swipe: Range<Int>?
    /// Where the data objects begin.
    private(set) var objectsStart = 0
    /// Whether the card was held near, and not swiped.
    private(set) var isTapped = false

    private static let swipeTag: UInt32 = 0xDFEE23
    private static let sourceTag: UInt32 = 0xDF30
    private static let clearingRecordTag: UInt8 = 0xE1

    /// Reads an answer's data.
    /// - Returns: nil where they are laid out in neither way.
    init?(_ data: Span<UInt8>) {
        if readInClear(data) { return }
        guard data.count > 0, readObjects(data, from: 1) else { return nil }
        // Bits 4 and 3 of the attributes: 00 a chip or a card held near, 1x something that was held near or swiped.
        if data[0] & 0x19 == 0x01 || data[0] & 0x19 == 0x11 { isTapped = true }
    }

    private mutating func readInClear(_ data: Span<UInt8>) -> Bool {
        var next = 0
        for _ in 0..<2 {
            guard let track = Self.track(data, at: next) else { return false }
            tracks.append(track)
            next = track.upperBound
        }
        // The guide's table has a length of track 3 here, its examples have none.
        if next < data.count, data[next] != 0, !Self.isClearingRecord(data, at: next),
            let track = Self.track(data, at: next)
        {
            tracks.append(track)
            next = track.upperBound
        }
        if Self.isClearingRecord(data, at: next) { next += 1 }
        if readObjects(data, from: next) { return true }
        tracks = []
        return false
    }

    /// Reads data objects; zeros before them are lengths of what is not there.
    private mutating func readObjects(_ data: Span<UInt8>, from start: Int) -> Bool {
        objectsStart = start
        guard start <= data.count, let objects = TagLengthValue.read(data.extracting(start...)) else { return false }
        for object in objects where !object.value.isEmpty {
            let value = object.value.lowerBound + start..<object.value.upperBound + start
            switch object.tag {
            case Self.swipeTag: swipe = value
            case Self.sourceTag: isTapped = data[value.lowerBound] == 0
            default: break
            }
        }
        return true
    }

    /// A track in clear: a length, and so many characters.
    private static func track(_ data: Span<UInt8>, at place: Int) -> Range<Int>? {
        guard place < data.count, Int(data[place]) < data.count - place else { return nil }
        let track = place + 1..<place + 1 + Int(data[place])
        return track.allSatisfy { (0x20...0x7E).contains(data[$0]) } ? track : nil
    }

    private static func isClearingRecord(_ data: Span<UInt8>, at place: Int) -> Bool {
        place + 1 < data.count && data[place] == 1 && data[place + 1] == clearingRecordTag
    }
}
