import JackdawDSP

/// How IPS's readers are taken to be spoken to, from an OEM's sample code: they are woken with one byte, and send swipes.
package struct IPSDialect: ReaderDialect {
    /// The family.
    package let family: String
    /// How long things take.
    package let times: ReaderTimes
    /// It has a battery, and reads cards from the start.
    package let isAlwaysArmed = true
    /// Where the fields of a swipe lie.
    let layout: IPSLayout
    private let wake: [UInt8]
    /// What its answer to that is known by; nil where it is not waited for.
    let answer: IPSAnswerFormat?

    /// - Parameters:
    ///   - family: the family.
    ///   - times: how long things take.
    ///   - layout: where the fields of a swipe lie.
    package init(family: String = "ips", times: ReaderTimes = ReaderTimes(), layout: IPSLayout = IPSLayout()) {
        self.family = family
        self.times = times
        self.layout = layout
        wake = IPSFormat.wake
        answer = nil
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package init(profile: ReaderProfile) throws(ReaderError) {
        // All that are missing are told at once.
        try profile.require([.ipsSwipe, .ipsFailure, .ipsWake, .ipsAnswersWake] + IPSLayout.places.map(\.key))
        family = profile.family
        times = try profile.times()
        layout = try profile.ipsLayout()
        wake = try profile.bytes(.ipsWake, count: 1...64)
        answer = try profile.ipsAnswer(layout)
    }

    /// To be woken: of what it answers one byte only is known, so that it is waited for by those alone who want it.
    package var identification: [ReaderRequest] { [ReaderRequest("wake up", wake, isAnswered: answer != nil)] }

    /// Swipes; where the answer to being woken is awaited, that, too.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        if let answer, request != nil { answer } else { IPSFormat(layout) }
    }

    /// Nothing: it reads cards at any time.
    package func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What a frame means.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if let answer, request != nil {
            if answer.isAnswer(frame) { return [.done()] }
            guard (try? IPSFormat(layout).check(frame)) != nil else { return [.unknown("no answer to being woken")] }
        }
        guard let layout = try? IPSSwipe(frame, layout) else { return [.badSwipe("the reader did not read it")] }
        var builder = ReaderSwipe.Builder()
        let digits = [layout.issuer, layout.lastDigits].map { frame.extracting($0).digits }
        let stars = layout.accountNumberCount - digits[0].count - digits[1].count
        if stars > 0 {
            let number = Array((digits[0] + String(repeating: "*", count: stars) + digits[1]).utf8)
            builder.add(.maskedNumber, number.span)
        }
        builder.add(.expiry, frame.extracting(layout.expiry))
        builder.add(.cardholderName, frame.extracting(layout.name))
        // In clear it is packed as it is encrypted.
        let isInClear = layout.keyManagement == .plain
        builder.add(isInClear ? .packedTracks : .encryptedTracks, frame.extracting(layout.encrypted))
        builder.add(.keySerialNumber, frame.extracting(layout.keySerialNumber))
        builder.add(.frame, frame)
        return [.swipe(builder.finish(family: family, cipher: isInClear ? nil : .tripleDESBlocks))]
    }
}

extension IPSDialect {
    /// Hides the tracks, the name and the expiry; of the number no more is there than may be shown. Of an answer stays what it
    /// is known by.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        guard let swipe = try? IPSSwipe(frame.span, layout) else {
            if frame.count == IPSFormat.failureSize, frame[0] == layout.failure { return .masked([frame]) }
            // A part of a swipe may look like one.
            guard let answer, answer.isAnswer(frame.span) else { return .unknown }
            CardHiding.clear(&frame, 2..<frame.count)
            return .masked([frame])
        }
        // Of a short number that would be all of it.
        if swipe.accountNumberCount < 13 { CardHiding.clear(&frame, swipe.issuer) }
        CardHiding.clear(&frame, swipe.encrypted)
        CardHiding.clear(&frame, swipe.expiry)
        CardHiding.clear(&frame, swipe.name, UInt8(ascii: "X"))
        return (try? IPSFormat.frame(Array(frame.dropLast()), layout)).map { .masked([$0]) } ?? .unknown
    }
}

extension ReaderProfile {
    /// What is taken for known of IPS's readers.
    static let ips = ReaderProfile(
        family: "ips", "IPS's readers, as an OEM's sample code suggests; how they sound is not known", ipsEntries)

    /// What the simulated reader speaks: how it sounds and most of its answer are made up.
    static let simulatedIPS = ips.madeUp([
        .lineMode: .text("softmodem-1225"), .ipsAnswersWake: .flag(true), .ipsWakeAnswerSize: .number(4),
    ])

    /// Nothing is known of IPS Enterprise: it has the values that IPS's other readers have, all of them open.
    static let ipsEnterprise = ReaderProfile(
        family: "ipsenterprise", "IPS Enterprise: nothing of it is known",
        ipsEntries.mapValues { ProfileEntry($0.title, missing: $0.kind) })

    /// What the simulated reader speaks: swipes as those of IPS's other readers, and nothing else as theirs.
    static let simulatedIPSEnterprise: ReaderProfile = {
        let own: [ProfileKey: ProfileValue] = [
            .lineMode: .text("bell202"), .ipsWake: .bytes([0x0E]), .ipsAnswersWake: .flag(true),
            .ipsWakeAnswer: .bytes([0x45]), .ipsWakeAnswerSize: .number(4),
        ]
        return ipsEnterprise.madeUp(ipsEntries.compactMapValues(\.value).merging(own) { _, own in own })
    }()

    private static let ipsEntries: [ProfileKey: ProfileEntry] = {
        let source = "an OEM's sample code, whose names IPS's SDK shares; not confirmed"
        let layout = IPSLayout()
        var entries: [ProfileKey: ProfileEntry] = [
            .ipsSwipe: ProfileEntry("what a swipe begins with", .bytes([layout.swipe]), .inferred, source),
            .ipsFailure: ProfileEntry(
                "what a swipe begins with that was not read", .bytes([layout.failure]), .inferred, source),
            .ipsWake: ProfileEntry("what wakes the reader", .bytes(IPSFormat.wake), .inferred, source),
            .ipsAnswersWake: ProfileEntry(
                "whether its answer to being woken is waited for", .flag(false), .inferred,
                "how long that answer is nobody has told"),
            .ipsWakeAnswer: ProfileEntry("second byte of that answer", .bytes([0x4D]), .inferred, source),
            .ipsWakeAnswerSize: ProfileEntry(
                "bytes of that answer; without it for links that keep packets apart", missing: .number),
            .lineMode: ProfileEntry("mode of its line on the audio jack, both ways", missing: .text),
            .lineCarrier: ProfileEntry(
                "ms that its carrier is held before and behind a message", .number(40), .inferred,
                "as SoftModem does; out of silence a first byte is heard badly"),
            .soundLevel: ProfileEntry(
                "dBFS of what is played to it", .number(0), .inferred, "as other readers on the audio jack want it"),
        ]
        for place in IPSLayout.places {
            let value = ProfileValue.number(Double(layout[keyPath: place.path]))
            entries[place.key] = ProfileEntry(place.title, value, .inferred, source)
        }
        return entries
    }()

    /// Another profile for the simulated reader.
    private func madeUp(_ values: [ProfileKey: ProfileValue]) -> ReaderProfile {
        var made = ReaderProfile(
            "simulated", of: family, "made up for the simulator, no real reader is known to speak it", entries)
        for (key, value) in values {
            made[key] = ProfileEntry(self[key]?.title ?? "", value, .unknown, made.summary)
        }
        return made
    }

    /// Where the fields lie in swipes of IPS's readers.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package func ipsLayout() throws(ReaderError) -> IPSLayout {
        var layout = IPSLayout()
        layout.swipe = try bytes(.ipsSwipe, count: 1...1)[0]
        layout.failure = try bytes(.ipsFailure, count: 1...1)[0]
        for place in IPSLayout.places { layout[keyPath: place.path] = try integer(place.key, in: 0...255) }
        guard layout.fits else {
            throw ReaderError(
                .badProfile, "the profile \"\(name)\" has fields of a swipe that are not inside of it",
                remedy: "mend ips.size and the places")
        }
        return layout
    }

    /// What the answer to being woken is known by; nil where it is not waited for.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package func ipsAnswer(_ layout: IPSLayout) throws(ReaderError) -> IPSAnswerFormat? {
        guard try flag(.ipsAnswersWake) else { return nil }
        let isSizeKnown = self[.ipsWakeAnswerSize]?.value != nil
        return IPSAnswerFormat(
            second: try bytes(.ipsWakeAnswer, count: 1...1)[0],
            size: isSizeKnown ? try integer(.ipsWakeAnswerSize, in: 2...512) : nil, layout: layout)
    }

    /// What goes through the jack of an IPS reader: it has a battery, and needs no tone to live on.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    func ipsSound() throws(ReaderError) -> ReaderSound {
        try require([.lineMode, .lineCarrier, .soundLevel])
        let mode = try lineMode(of: LineMode.all.map(\.name))
        let silence = Tone(1_000, channels: [.silent, .silent])
        return ReaderSound(
            answers: mode, commands: .line(mode), commandLevel: try soundLevel(), commandGains: [1, 1], join: .added,
            power: PowerToneProfile(name: family, connecting: silence, holding: silence, ramp: .none), pause: 0,
            carrier: try number(.lineCarrier, in: 0...1_000) / 1000)
    }
}

extension ProfileKey {
    /// What an IPS reader's swipe begins with.
    public static let ipsSwipe: ProfileKey = "ips.swipe"
    /// What an IPS reader's swipe begins with that was not read.
    public static let ipsFailure: ProfileKey = "ips.failure"
    /// What wakes an IPS reader.
    public static let ipsWake: ProfileKey = "ips.wake"
    /// Whether an IPS reader's answer to being woken is waited for.
    public static let ipsAnswersWake: ProfileKey = "ips.answersWake"
    /// The second byte of that answer.
    public static let ipsWakeAnswer: ProfileKey = "ips.wakeAnswer"
    /// Bytes of that answer.
    public static let ipsWakeAnswerSize: ProfileKey = "ips.wakeAnswerSize"
}
