/// The protocol of ID TECH's magnetic stripe readers (UniMag, Shuttle, SecureMag and similar).
package struct IDTechDialect: ReaderDialect {
    /// The family: `idtech`, or another with the same protocol.
    package let family: String
    /// Timeouts and attempts; by default those of ID TECH's SDK.
    package let times: ReaderTimes
    /// Whether the reader reads cards at any time, as readers on a cable do; readers on an audio jack have power only
    /// during a wait.
    package let isAlwaysArmed: Bool
    private let takesCommands: Bool

    /// - Parameters:
    ///   - times: timeouts, and the number of attempts.
    ///   - isAlwaysArmed: whether the reader reads cards at any time.
    package init(times: ReaderTimes = ReaderTimes(), isAlwaysArmed: Bool = false) {
        self.init(family: "idtech", times: times, isAlwaysArmed: isAlwaysArmed)
    }

    init(family: String, times: ReaderTimes, isAlwaysArmed: Bool = false, takesCommands: Bool = true) {
        self.family = family
        self.times = times
        self.isAlwaysArmed = isAlwaysArmed
        self.takesCommands = takesCommands
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        self.init(times: try profile.times(), isAlwaysArmed: try profile.flag(.isAlwaysArmed))
    }

    /// Firmware version and serial number, if the reader takes commands.
    package var identification: [ReaderRequest] {
        takesCommands ? [.review(.firmwareVersion), .review(.serialNumber)] : []
    }

    /// The answer to a question for settings has another format than that for a text.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        guard let request, let function = Self.reviewed(request) else { return IDTechAnswerFormat() }
        return IDTechAnswerFormat(awaiting: function == .firmwareVersion ? .text : .settings)
    }

    /// No requests, as the reader reads cards while it has power.
    package func arming(for duration: Duration) -> [ReaderRequest] { [] }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try checkCommands()
        return switch question {
        case .firmware: [.review(.firmwareVersion)]
        case .serialNumber: [.review(.serialNumber)]
        case .keySerialNumber: [.review(.nextKeySerialNumber)]
        case .settings: [.review(.reviewAll)]
        default: throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
        }
    }

    /// Changes a setting: its number is that of a function.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try checkCommands()
        guard let number = UInt8(exactly: setting.number) else {
            throw ReaderError(.outOfRange, "no function has the number \(setting.number)", remedy: "choose 0 to 255")
        }
        let function = IDTechFunction(rawValue: number)
        do throws(FrameFault) {
            return [ReaderRequest("set \(function)", try IDTechCommandFormat.set(function, setting.value))]
        } catch {
            throw ReaderError(.outOfRange, "the setting is invalid", underlying: error.message)
        }
    }

    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        switch frame[0] {
        case IDTechAnswerFormat.refuse: return [request == nil ? .unknown("a NAK") : .refused("NAK")]
        case IDTechAnswerFormat.acknowledge where frame.count == 1:
            return [request == nil ? .unknown("an ACK") : .done()]
        case IDTechAnswerFormat.acknowledge:
            guard let request, let function = Self.reviewed(request) else { return [.unknown("an answer")] }
            return [answer(frame, to: function)]
        default: return [Self.swipe(frame, of: family)]
        }
    }

    private func checkCommands() throws(ReaderError) {
        guard takesCommands else {
            throw ReaderError(
                .unsupported, "according to its profile, the reader accepts no commands",
                remedy: "set \(ProfileKey.takesCommands) in your own profile")
        }
    }

    private func answer(_ frame: Span<UInt8>, to function: IDTechFunction) -> ReaderMeaning {
        let content = frame.extracting(2..<frame.count - 2)
        guard function != .firmwareVersion else { return .done([.firmware(content.printable)]) }
        var facts: [ReaderFact] = []
        var start = 0
        while start + 1 < content.count {
            let found = IDTechFunction(rawValue: content[start])
            let end = start + 2 + Int(content[start + 1])
            guard end <= content.count, function == .reviewAll || found == function else {
                return .unknown("an answer about another setting (\(found))")
            }
            let value = content.extracting(start + 2..<end)
            let bytes = value.indices.map { value[$0] }
            switch function {
            case .serialNumber: facts.append(.serialNumber(value.printable))
            case .nextKeySerialNumber: facts.append(.keySerialNumber(bytes))
            default: facts.append(.setting(ReaderSetting(Int(found.rawValue), bytes)))
            }
            start = end
        }
        return .done(facts)
    }

    /// Interprets a swipe's frame, also one inside a frame of another family.
    static func swipe(_ frame: Span<UInt8>, of family: String) -> ReaderMeaning {
        let layout: IDTechSwipe
        do throws(FrameFault) {
            layout = try IDTechSwipe(frame)
        } catch {
            return .badSwipe("its fields are invalid: \(error)", reason: .badFields)
        }
        guard layout.tracks.contains(where: { $0.isDecoded && $0.length > 0 }) else {
            return .badSwipe("no track was read")
        }
        var builder = ReaderSwipe.Builder()
        for (index, track) in layout.tracks.enumerated() {
            let number = index + 1
            let isInClear = layout.trackInClear(index, of: frame) != nil
            if let range = track.masked {
                builder.add(isInClear ? .track(number) : .maskedTrack(number), frame.extracting(range))
            }
            if let range = track.encrypted { builder.add(.encryptedTrack(number), frame.extracting(range)) }
            if let range = track.hash { builder.add(.hash(number), frame.extracting(range)) }
        }
        if let range = layout.encryptedTogether { builder.add(.encryptedTracks, frame.extracting(range)) }
        if let range = layout.session { builder.add(.session, frame.extracting(range)) }
        if let range = layout.serialNumber { builder.add(.serialNumber, frame.extracting(range)) }
        if let range = layout.keySerialNumber { builder.add(.keySerialNumber, frame.extracting(range)) }
        builder.add(.frame, frame)
        let cipher: ReaderSwipe.Cipher? =
            layout.keySerialNumber == nil ? nil : layout.cipher.map { $0 == .aes ? .aes : .tripleDES }
        return .swipe(builder.finish(family: family, cipher: cipher))
    }

    /// Returns the function that a request reads; nil if the request changes a setting.
    private static func reviewed(_ request: ReaderRequest) -> IDTechFunction? {
        guard request.bytes.count == 5, request.bytes[1] == UInt8(ascii: "R") else { return nil }
        return IDTechFunction(rawValue: request.bytes[2])
    }
}

extension ReaderRequest {
    fileprivate static func review(_ function: IDTechFunction) -> ReaderRequest {
        ReaderRequest("review \(function)", IDTechCommandFormat.review(function))
    }
}

extension IDTechDialect {
    /// Masks tracks, encrypted data and hashes of a swipe, and numbers in answers.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        return Self.masked(frame).map { .masked([$0]) } ?? .unknown
    }

    /// Whether the bytes are exactly one swipe or one answer.
    static func isOneFrame(_ bytes: [UInt8]) -> Bool {
        let kinds: [IDTechAnswerFormat] = [
            .init(awaiting: .text), .init(awaiting: .settings), .init(awaiting: .acknowledgement),
        ]
        return (try? IDTechSwipeFormat().check(bytes)) != nil || kinds.contains { (try? $0.check(bytes)) != nil }
    }

    /// Returns a frame with its card data masked, also one inside a frame of another family.
    static func masked(_ frame: [UInt8]) -> [UInt8]? {
        var frame = frame
        guard frame[0] == IDTechCommandFormat.startOfText else {
            guard frame.count > 3 else { return frame }
            CardHiding.hideNumbers(&frame, 2..<frame.count - 2)
            frame[frame.count - 1] = RedundancyCheck.longitudinal(frame.span.extracting(1..<frame.count - 1))
            return frame
        }
        guard let layout = try? IDTechSwipe(frame.span) else { return nil }
        for track in layout.tracks {
            // Raw bits are not characters, so digits cannot be recognised: clear them all.
            let cleared = [layout.cardType == .raw ? track.masked : nil, track.encrypted, track.hash].compactMap(\.self)
            for place in cleared { CardHiding.clear(&frame, place) }
            if let masked = track.masked { CardHiding.hideTracks(&frame, masked) }
        }
        if let together = layout.encryptedTogether { CardHiding.clear(&frame, together) }
        return try? IDTechSwipeFormat.frame(Array(frame[IDTechBody.start..<frame.count - IDTechBody.endSize]))
    }
}

extension ReaderProfile {
    /// The known facts about ID TECH's magnetic stripe readers.
    static let idtech = ReaderProfile(
        family: "idtech", "ID TECH's magnetic stripe readers, from their manuals",
        [
            .isAlwaysArmed: ProfileEntry(
                "whether cards are read at any time; if not, only during a wait with power", .flag(true), .documented,
                "manuals of SecureMag and similar readers; on an audio jack, readers have power only during a wait")
        ])
}

extension ProfileKey {
    /// Whether an ID TECH reader reads cards at any time.
    public static let isAlwaysArmed: ProfileKey = "idtech.isAlwaysArmed"
    /// Whether a UniMag or a BTMag takes commands.
    public static let takesCommands: ProfileKey = "idtech.takesCommands"
}

extension ReaderFamily {
    static let idtech = ReaderFamily(
        "idtech", "ID TECH SecureMag, UniMag, Shuttle and similar readers", [.serial], .documented,
        "published swipes and settings, byte for byte; the simulated reader",
        ["swipes of a reader that is set to send tracks without a frame"],
        [.idtech], IDTechDialect.init(profile:),
        frames: [
            FrameProtocol(
                "idtech", "ID TECH UniMag, Shuttle and SecureMag: settings and encrypted swipes", .documented,
                [
                    FrameKind(
                        "commands", IDTechCommandFormat(), .command, seeds: ["025358013103 3A 02521F034C"],
                        measured: { () throws(FrameFault) in
                            [("commands", [try IDTechCommandFormat.set(.baudRate, [0x37])])]
                        }),
                    FrameKind(
                        "swipes", IDTechSwipeFormat(), .answer, seeds: ["020A00003F03000025423400006FDD03"],
                        measured: { () throws(FrameFault) in
                            let content = [0x00, 0x3F, 0, 0, 0] + FrameKind.filler(380)
                            return [("swipes", [try IDTechSwipeFormat.frame(content)])]
                        }),
                    FrameKind(
                        "settings", IDTechAnswerFormat(awaiting: .settings), .answer,
                        seeds: ["06027E01314C0131580131035B 00 15"],
                        measured: { () throws(FrameFault) in
                            let setting = [0x02, 0x7E, 0x08] + FrameKind.filler(8) + [0x03]
                            return [("settings", [[0x06] + setting + [setting.reduce(0, ^)]])]
                        }),
                    FrameKind(
                        "text", IDTechAnswerFormat(awaiting: .text), .answer, seeds: ["060249442054454348200316"]),
                    FrameKind(
                        "acknowledgements", IDTechAnswerFormat(awaiting: .acknowledgement), .answer,
                        seeds: ["06 00 15"]),
                ])
        ], encryption: SwipeEncryption(.blocks(IDTechSwipe.blocks(in:)), scheme: "data-request"),
        recognition: "its answer to being asked for its software (52 22)")
}
