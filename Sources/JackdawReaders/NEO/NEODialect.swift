import JackdawCards
import JackdawEMV

/// Protocol 2 of ID TECH's NEO and ViVOpay readers: the wait for a card is an activated transaction; the reader answers
/// it when a card is read, or when the time is over.
///
/// Source: NEO 2 Interface Developer's Guide.
package struct NEODialect: ReaderDialect {
    package let family = "neo"
    package let times: ReaderTimes
    /// Whether the driver, on connection, sets the reader to poll for cards on demand only.
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

    /// The length of header, command, subcommand or status, and length field.
    private static let dataStart = 14

    /// - Parameters:
    ///   - times: timeouts, and the number of attempts; waits for a card up to 255 s.
    ///   - pollsOnDemand: whether to set the reader to poll for cards on demand only.
    package init(
        times: ReaderTimes = ReaderTimes(swipe: .seconds(3) ... .seconds(255)), pollsOnDemand: Bool = false
    ) {
        self.times = times
        self.pollsOnDemand = pollsOnDemand
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        self.init(times: try profile.times(), pollsOnDemand: try profile.flag(.pollOnDemand))
    }

    /// A ping only: the commands for the serial number are not in the guide's common part.
    package var identification: [ReaderRequest] {
        [Self.request(Self.ping, 0x01)] + (pollsOnDemand ? [Self.request(Self.pollMode, 0x01, [0x01])] : [])
    }

    /// Answers; their format does not depend on the request.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { NEOFormat(.answer) }

    /// Activate transaction, with the wait in whole seconds. The reader answers when it has read a card, or when the
    /// time is over.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        let (seconds, rest) = duration.components
        guard let wait = UInt8(exactly: rest > 0 ? seconds + 1 : seconds), wait > 0 else {
            throw ReaderError(
                .outOfRange, "a NEO reader cannot wait \(duration) for a card", remedy: "choose 1 to 255 s")
        }
        return [Self.request(Self.activate, 0x01, [wait], isAnswered: false)]
    }

    /// Cancel transaction, unless the reader has ended it itself.
    package func disarming(after reason: DisarmReason) -> [ReaderRequest] {
        reason == .swiped ? [] : [Self.request(Self.cancel, 0x01)]
    }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        guard question == .settings else {
            throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
        }
        return [Self.request(Self.configuration, 0x02)]
    }

    /// Sets a data object of the configuration: the setting's number is the tag.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let tag = UInt32(exactly: setting.number).flatMap({ Tag(rawValue: $0) }), setting.value.count <= UInt8.max
        else {
            throw ReaderError(
                .outOfRange, "no setting has the tag \(setting.number) and \(setting.value.count) bytes",
                remedy: "choose a tag of 1 to 4 bytes, and at most 255 bytes")
        }
        return [Self.request(Self.configure, 0x00, TagLengthValueBuilder.encode(tag, setting.value))]
    }

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

    /// Returns the range of a whole swipe of ID TECH's stripe readers in an answer to activate transaction; nil if
    /// there is none.
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
        // It does not answer another request.
        default: return request == nil ? [.refused("\(status)")] : [.unknown("the end of a transaction: \(status)")]
        }
    }

    private func card(_ data: Span<UInt8>) -> [ReaderMeaning] {
        // The reader has ended its wait, whether the card was read or not.
        guard let transaction = NEOTransaction(data) else { return [.refused("a card with invalid fields")] }
        let notices: [ReaderMeaning] = transaction.isTapped ? [.card(.tapped)] : []
        if let swipe = transaction.swipe { return notices + [stripe(data.extracting(swipe))] }
        var builder = ReaderSwipe.Builder()
        var hasTrack = false
        for (index, range) in transaction.tracks.enumerated() where !range.isEmpty {
            addTrack(index + 1, data.extracting(range), to: &builder)
            hasTrack = true
        }
        guard hasTrack else { return notices + [.refused("the reader sent no track")] }
        builder.add(.frame, data)
        return notices + [.swipe(builder.finish(family: family, cipher: nil))]
    }

    /// Interprets a whole frame of ID TECH's stripe readers, which has its own checks.
    private func stripe(_ frame: Span<UInt8>) -> ReaderMeaning {
        do throws(FrameFault) {
            try IDTechSwipeFormat().check(frame)
        } catch {
            return .refused("a bad swipe: \(error)")
        }
        let meaning = IDTechDialect.swipe(frame, of: family)
        guard case .badSwipe(let reason, _) = meaning else { return meaning }
        return .refused("a bad swipe: \(reason)")
    }

    /// The guide's examples omit the sentinels; other sources have them.
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
            .setting(ReaderSetting(Int(object.tag.rawValue), object.value.map { data[$0] }))
        }
    }

    private static func request(
        _ command: UInt8, _ subcommand: UInt8, _ data: [UInt8] = [], isAnswered: Bool = true
    ) -> ReaderRequest {
        // Cannot throw, as the data is short.
        ReaderRequest(
            names[command] ?? "", (try? NEOFormat.command(command, subcommand, data)) ?? [], isAnswered: isAnswered)
    }
}

extension NEODialect {
    /// Masks tracks, swipes in ID TECH's own layout, and data objects that are long enough for an account number.
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
        for object in objects where !object.tag.isConstructed {
            guard object.value.count >= TagLengthValue.leastOfCard || object.isShortOfCard else { continue }
            let value = object.value.lowerBound + start..<object.value.upperBound + start
            if value != place { CardHiding.clear(&data, value) }
        }
        return true
    }
}

extension ReaderProfile {
    /// The known facts about NEO readers.
    static let neo = ReaderProfile(
        family: "neo", "ID TECH's NEO and ViVOpay readers, from the NEO 2 Interface Developer's Guide",
        [
            .longestSwipe: ProfileEntry(
                "ms, longest wait for a card", .number(255_000), .documented,
                "the wait is one byte of seconds: NEO 2 Interface Developer's Guide"),
            .lowEnergyService: ProfileEntry("service over Bluetooth Low Energy", missing: .text),
            .lowEnergyNotify: ProfileEntry("characteristic that notifies", missing: .text),
            .lowEnergyWrite: ProfileEntry("characteristic for writing", missing: .text),
            .pollOnDemand: ProfileEntry(
                "whether the driver sets the reader to poll only on demand when it connects (command 01-01)",
                .flag(false),
                .documented, "NEO 2 Interface Developer's Guide, p. 409; a reader that polls by itself needs it"),
        ])
}

extension ProfileKey {
    /// Whether the driver, on connection, sets a NEO reader to poll for cards on demand only.
    public static let pollOnDemand: ProfileKey = "neo.pollOnDemand"
}

/// The positions of a card's data in a NEO reader's answer to activate transaction (02-01).
///
/// Holds no card data itself: each field is a range of the answer. If the data is in clear, it has tracks, each after
/// its length, a byte for a clearing record, and data objects. Otherwise it has a byte of attributes and data objects,
/// one of which contains a whole swipe as ID TECH's magnetic stripe readers send it.
///
/// Source: NEO 2 Interface Developer's Guide, 8.5 (p. 212, 213, 233, 238) and its examples (p. 407 to 410).
struct NEOTransaction: Hashable {
    /// The tracks in clear, from track 1; the range of a missing track is empty.
    private(set) var tracks: [Range<Int>] = []
    /// A whole swipe of ID TECH's stripe readers.
    private(set) var swipe: Range<Int>?
    /// The index of the first data object.
    private(set) var objectsStart = 0
    /// Whether the card was tapped rather than swiped.
    private(set) var isTapped = false

    private static let swipeTag: Tag = 0xDFEE23
    private static let sourceTag: Tag = 0xDF30
    private static let clearingRecordTag: UInt8 = 0xE1

    /// Parses the data of an answer.
    /// - Returns: nil if the data has neither of the two layouts.
    init?(_ data: Span<UInt8>) {
        if readInClear(data) { return }
        guard data.count > 0, readObjects(data, from: 1) else { return nil }
        // Bits 4 and 3 of the attributes: 00 a chip card or a tapped card, 1x a tapped or swiped card.
        if data[0] & 0x19 == 0x01 || data[0] & 0x19 == 0x11 { isTapped = true }
    }

    private mutating func readInClear(_ data: Span<UInt8>) -> Bool {
        var next = 0
        for _ in 0..<2 {
            guard let track = Self.track(data, at: next) else { return false }
            tracks.append(track)
            next = track.upperBound
        }
        // In the guide's table a length of track 3 follows here; its examples have none.
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

    /// Parses data objects; zeros before them are lengths of missing fields.
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

    /// Parses a track in clear: a length, and this number of characters.
    private static func track(_ data: Span<UInt8>, at place: Int) -> Range<Int>? {
        guard place < data.count, Int(data[place]) < data.count - place else { return nil }
        let track = place + 1..<place + 1 + Int(data[place])
        return track.allSatisfy { (0x20...0x7E).contains(data[$0]) } ? track : nil
    }

    private static func isClearingRecord(_ data: Span<UInt8>, at place: Int) -> Bool {
        place + 1 < data.count && data[place] == 1 && data[place + 1] == clearingRecordTag
    }
}

extension ReaderFamily {
    static let neo = ReaderFamily(
        "neo", "ID TECH NEO and ViVOpay, protocol 2", [.serial], .documented,
        "published frames, byte for byte; the simulated reader",
        [
            "whether tracks in clear come with their sentinels",
            "services and characteristics over Bluetooth Low Energy",
        ],
        [.neo], NEODialect.init(profile:),
        frames: [
            FrameProtocol(
                "neo", "ID TECH NEO and ViVOpay, protocol 2", .documented,
                [
                    FrameKind(
                        "commands", NEOFormat(.command), .command,
                        seeds: ["5669564F74656368320018010000B3CD 41 5669564F746563683200030200005B91"]),
                    FrameKind(
                        "answers", NEOFormat(.answer), .answer, streams: [NEOFormat(.answer, greatestData: 64)],
                        seeds: ["5669564F74656368320018000000FA83"],
                        measured: { () throws(FrameFault) in
                            [
                                ("short", [try NEOFormat.answer(0x18, .done)]),
                                ("long", [try NEOFormat.answer(0x02, .done, FrameKind.filler(400))]),
                            ]
                        }),
                ])
        ], encryption: SwipeEncryption(.idTech, frame: .neo, scheme: "data-request"),
        recognition: "its answer to a ping (18-01)")
}
