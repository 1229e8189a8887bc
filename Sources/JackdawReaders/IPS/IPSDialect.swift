import JackdawBytes
import JackdawDSP

/// The inferred protocol of IPS's readers, from an OEM's sample code: one byte wakes them, and they send swipes.
package struct IPSDialect: ReaderDialect {
    package let family: String
    package let times: ReaderTimes
    /// The reader has a battery, and reads cards from the start.
    package let isAlwaysArmed = true
    /// The positions of the fields in a swipe.
    let layout: IPSLayout
    private let wake: [UInt8]
    /// The format of the answer to the wake-up byte; nil if the driver does not wait for it.
    let answer: IPSAnswerFormat?

    /// - Parameters:
    ///   - family: the name of the family.
    ///   - times: timeouts, and the number of attempts.
    ///   - layout: the positions of the fields in a swipe.
    package init(family: String = "ips", times: ReaderTimes = ReaderTimes(), layout: IPSLayout = IPSLayout()) {
        self.family = family
        self.times = times
        self.layout = layout
        wake = IPSFormat.wake
        answer = nil
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        // Report all missing values at once.
        try profile.require([.ipsSwipe, .ipsFailure, .ipsWake, .ipsAnswersWake] + IPSLayout.places.map(\.key))
        family = profile.family
        times = try profile.times()
        layout = try profile.ipsLayout()
        wake = try profile.bytes(.ipsWake, count: 1...64)
        answer = try profile.ipsAnswer(layout)
    }

    /// The wake-up byte. Only one byte of its answer is known, so the driver waits for the answer only if the profile
    /// requires it.
    package var identification: [ReaderRequest] { [ReaderRequest("wake up", wake, isAnswered: answer != nil)] }

    /// Swipes, and the answer to the wake-up byte if it is awaited.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        if let answer, request != nil { answer } else { IPSFormat(layout) }
    }

    /// No requests, as the reader reads cards at any time.
    package func arming(for duration: Duration) -> [ReaderRequest] { [] }

    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if let answer, request != nil {
            if answer.isAnswer(frame) { return [.done()] }
            guard (try? IPSFormat(layout).check(frame)) != nil else {
                return [.unknown("not an answer to the wake-up byte", reason: .badAnswer)]
            }
        }
        guard let layout = try? IPSSwipe(frame, layout) else { return [.badSwipe("the reader did not read the card")] }
        var builder = ReaderSwipe.Builder()
        let digits = [layout.issuer, layout.lastDigits].map { frame.extracting($0).hexadecimal }
        let stars = layout.accountNumberCount - digits[0].count - digits[1].count
        if stars > 0 {
            let number = Array((digits[0] + String(repeating: "*", count: stars) + digits[1]).utf8)
            builder.add(.maskedNumber, number.span)
        }
        builder.add(.expiry, frame.extracting(layout.expiry))
        builder.add(.cardholderName, frame.extracting(layout.name))
        // Tracks in clear are packed like encrypted tracks.
        let isInClear = layout.keyManagement == .plain
        builder.add(isInClear ? .packedTracks : .encryptedTracks, frame.extracting(layout.encrypted))
        builder.add(.keySerialNumber, frame.extracting(layout.keySerialNumber))
        builder.add(.frame, frame)
        return [.swipe(builder.finish(family: family, cipher: isInClear ? nil : .tripleDESBlocks))]
    }
}

extension IPSDialect {
    /// Masks the tracks, the name and the expiry; the frame has no more digits of the number than may be shown. Of an
    /// answer to the wake-up byte only its first two bytes remain.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        guard let swipe = try? IPSSwipe(frame.span, layout) else {
            if frame.count == IPSFormat.failureSize, frame[0] == layout.failure { return .masked([frame]) }
            // A part of a swipe may look like an answer.
            guard let answer, answer.isAnswer(frame.span) else { return .unknown }
            CardHiding.clear(&frame, 2..<frame.count)
            return .masked([frame])
        }
        // The visible digits would be all of a short number.
        if swipe.accountNumberCount < 13 { CardHiding.clear(&frame, swipe.issuer) }
        CardHiding.clear(&frame, swipe.encrypted)
        CardHiding.clear(&frame, swipe.expiry)
        CardHiding.clear(&frame, swipe.name, UInt8(ascii: "X"))
        return (try? IPSFormat.frame(Array(frame.dropLast()), layout)).map { .masked([$0]) } ?? .unknown
    }
}

extension ReaderProfile {
    /// The inferred facts about IPS's readers.
    static let ips = ReaderProfile(
        family: "ips", "IPS's readers, as an OEM's sample code suggests; their line code is not known", ipsEntries)

    /// The simulated reader's profile: its line code and most of its answer are synthetic.
    static let simulatedIPS = ips.madeUp([
        .lineMode: .text("softmodem-1225"), .ipsAnswersWake: .flag(true), .ipsWakeAnswerSize: .number(4),
    ])

    /// Nothing is known about IPS Enterprise: it has the same values as IPS's other readers, all of them unknown.
    static let ipsEnterprise = ReaderProfile(
        family: "ipsenterprise", "IPS Enterprise: nothing is known about it",
        ipsEntries.mapValues { ProfileEntry($0.title, missing: $0.kind) })

    /// The simulated reader's profile: swipes like those of IPS's other readers, with other values for the rest.
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
            .ipsSwipe: ProfileEntry("first byte of a swipe", .bytes([layout.swipe]), .inferred, source),
            .ipsFailure: ProfileEntry(
                "first byte of a swipe that was not read", .bytes([layout.failure]), .inferred, source),
            .ipsWake: ProfileEntry("bytes that wake the reader", .bytes(IPSFormat.wake), .inferred, source),
            .ipsAnswersWake: ProfileEntry(
                "whether the driver waits for the answer to the wake-up bytes", .flag(false), .inferred,
                "the length of that answer is not published"),
            .ipsWakeAnswer: ProfileEntry("second byte of that answer", .bytes([0x4D]), .inferred, source),
            .ipsWakeAnswerSize: ProfileEntry(
                "length of that answer in bytes; not needed if the link keeps packets apart", missing: .number),
            .lineMode: ProfileEntry("mode of its line on the audio jack, both ways", missing: .text),
            .lineCarrier: ProfileEntry(
                "ms of carrier before and after a message", .number(40), .inferred,
                "as SoftModem does; after silence the first byte is received badly"),
            .soundLevel: ProfileEntry(
                "dBFS of the sound played to it", .number(0), .inferred, "as for other readers on the audio jack"),
        ]
        for place in IPSLayout.places {
            let value = ProfileValue.number(Double(layout[keyPath: place.path]))
            entries[place.key] = ProfileEntry(place.title, value, .inferred, source)
        }
        return entries
    }()

    /// Creates a synthetic profile for the simulated reader.
    private func madeUp(_ values: [ProfileKey: ProfileValue]) -> ReaderProfile {
        var made = ReaderProfile(
            "simulated", of: family, "synthetic, for the simulator; no real reader is known to use it", entries)
        for (key, value) in values {
            made[key] = ProfileEntry(self[key]?.title ?? "", value, .unknown, made.summary)
        }
        return made
    }

    /// Returns the positions of the fields in swipes of IPS's readers.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package func ipsLayout() throws(ReaderError) -> IPSLayout {
        var layout = IPSLayout()
        layout.swipe = try bytes(.ipsSwipe, count: 1...1)[0]
        layout.failure = try bytes(.ipsFailure, count: 1...1)[0]
        for place in IPSLayout.places { layout[keyPath: place.path] = try integer(place.key, in: 0...255) }
        guard layout.fits else {
            throw ReaderError(
                .badProfile, "the profile \"\(name)\" has fields outside the swipe",
                remedy: "correct ips.size and the places")
        }
        return layout
    }

    /// Returns the format of the answer to the wake-up byte; nil if the driver does not wait for it.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package func ipsAnswer(_ layout: IPSLayout) throws(ReaderError) -> IPSAnswerFormat? {
        guard try flag(.ipsAnswersWake) else { return nil }
        let isSizeKnown = self[.ipsWakeAnswerSize]?.value != nil
        return IPSAnswerFormat(
            second: try bytes(.ipsWakeAnswer, count: 1...1)[0],
            size: isSizeKnown ? try integer(.ipsWakeAnswerSize, in: 2...512) : nil, layout: layout)
    }

    /// Returns the sound of an IPS reader on an audio jack; it has a battery, and needs no power tone.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
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
    /// The first byte of an IPS reader's swipe.
    public static let ipsSwipe: ProfileKey = "ips.swipe"
    /// The first byte of an IPS reader's message about a swipe that was not read.
    public static let ipsFailure: ProfileKey = "ips.failure"
    /// The bytes that wake an IPS reader.
    public static let ipsWake: ProfileKey = "ips.wake"
    /// Whether the driver waits for an IPS reader's answer to the wake-up bytes.
    public static let ipsAnswersWake: ProfileKey = "ips.answersWake"
    /// The second byte of the answer to the wake-up bytes.
    public static let ipsWakeAnswer: ProfileKey = "ips.wakeAnswer"
    /// The length of the answer to the wake-up bytes, 2 to 512 bytes.
    public static let ipsWakeAnswerSize: ProfileKey = "ips.wakeAnswerSize"
}

extension ReaderFamily {
    static let ips = ReaderFamily(
        "ips", "IPS", [.serial, .audio], .inferred,
        "a swipe of the inferred layout; the simulated reader with the same layout, in synthetic sound",
        [
            "whether IPS's readers use this protocol at all", "all but one byte of the answer to the wake-up byte",
            "the line code on the audio jack: a profile must supply it",
        ],
        [.ips, .simulatedIPS], IPSDialect.init(profile:),
        frames: [
            FrameProtocol(
                "ips", "encrypted swipes of IPS readers", .inferred,
                [
                    FrameKind(
                        "", IPSFormat(), .answer, seeds: ["661001141E 00 60"],
                        measured: { () throws(FrameFault) in
                            let frame = [0x60] + FrameKind.filler(129)
                            // The CRC of the whole frame is 0.
                            let check = (0...UInt8.max).first { (try? IPSFormat().check(frame + [$0])) != nil }
                            return [("", [frame + [check ?? 0]])]
                        }),
                    // The answer to the wake-up byte, which only the driver reads.
                    FrameKind("answers", IPSAnswerFormat(second: 0x4D, size: 4), seeds: ["0C4D0102 661001141E"]),
                ])
        ], encryption: SwipeEncryption(.ips, scheme: "fixed"),
        recognition: "4D in the second byte of its answer to 0C; inferred",
        sound: { profile throws(ReaderError) in try profile.ipsSound() })

    static let ipsEnterprise = ReaderFamily(
        "ipsenterprise", "IPS Enterprise", [.serial, .audio], .unknown,
        "only the simulated reader, by its bytes and in sound, both synthetic",
        ["all of it: a profile must supply it, if the reader is similar to IPS's other readers"],
        [.ipsEnterprise, .simulatedIPSEnterprise], IPSDialect.init(profile:),
        sound: { profile throws(ReaderError) in try profile.ipsSound() })
}
