import JackdawBytes
import JackdawDSP

/// The protocol of Spire's SPm20 terminals (JSONPOS): both sides send requests and answers in JSON. The terminal
/// handles payments as a whole and reports its state; it does not send swipes.
///
/// Source: the public SDKs of Poplatek (pt-android-sdk, pt-ios-sdk).
package struct JSONPOSDialect: ReaderDialect {
    package let family = "jsonpos"
    package let times: ReaderTimes

    /// The number of requests sent; each request has its number as its identifier.
    private var count = 0
    /// The identifier of the last request.
    private var awaited: String?

    private static let synchronize = "_Sync"
    private static let keepAliveMethod = "_Keepalive"
    private static let terminalInfo = "TerminalInfo"
    /// The method of older terminals.
    private static let versionInfo = "VersionInfo"
    private static let status = "Status"
    private static let lineFeed = UInt8(ascii: "\n")

    /// - Parameter times: timeouts, and the number of attempts; the defaults are the SDK's.
    package init(times: ReaderTimes = ReaderTimes(answer: .seconds(5), answerTries: 1)) { self.times = times }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// Line feeds that end any partial message, a request whose answer synchronizes the stream, and the terminal's
    /// identity.
    package var identification: [ReaderRequest] {
        let feeds = [UInt8](repeating: Self.lineFeed, count: 64)
        return [
            ReaderRequest("line feeds", feeds, isAnswered: false, pause: .milliseconds(100)),
            Self.request(Self.synchronize), Self.request(Self.terminalInfo), Self.request(Self.versionInfo),
        ]
    }

    /// A request that any connected terminal answers.
    package var keepAlive: ReaderRequest? { Self.request(Self.keepAliveMethod) }

    /// Messages; both directions have the same format.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat { JSONPOSFormat() }

    /// Always throws `unsupported`, as the terminal sends no swipes.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(
            .unsupported, "SPm20 terminals send no swipes: they process whole payments (Purchase)",
            remedy: "use the terminal's own payment service, or read the card with a reader of another family"
        )
    }

    package func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware: [Self.request(Self.terminalInfo), Self.request(Self.versionInfo)]
        case .status: [Self.request(Self.status)]
        default: throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
        }
    }

    /// Encodes a request with a new identifier each time, which distinguishes a late answer from the awaited one.
    package mutating func encode(_ request: ReaderRequest) -> [UInt8] {
        guard request.bytes.first != Self.lineFeed else { return request.bytes }
        count += 1
        let id = "\(count)"
        awaited = id
        return JSONPOSMessage.request(method: Self.method(of: request), parameters: .object([:]), id: id).frame
    }

    /// Discards the awaited identifier.
    package mutating func reset() { awaited = nil }

    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let message: JSONPOSMessage
        do throws(JSONValue.Fault) {
            message = try JSONPOSMessage(frame)
        } catch {
            return [.unknown("a message that cannot be parsed: \(error.message)")]
        }
        switch message {
        case .request(let method, let parameters, let id): return take(method, parameters, id: id)
        case .result(let result, let id):
            guard let request, id == awaited else {
                return [.unknown("an answer without a request", reason: .unsolicitedAnswer)]
            }
            return [.done(facts(result, of: Self.method(of: request)))]
        case .failure(let code, let text, let id, _):
            let error = JSONPOSError(rawValue: code)
            // An error without an identifier is about the last message, which the terminal could not parse.
            guard let request, id == awaited || id == nil else {
                return [.unknown("an error without a request: \(error)", reason: .unsolicitedRefusal)]
            }
            // Older terminals have one of these methods, newer ones the other.
            let isOptional = [Self.terminalInfo, Self.versionInfo].contains(Self.method(of: request))
            return [error == .methodNotFound && isOptional ? .done() : .refused("\(error): \(Self.plain(text))")]
        }
    }

    /// Interprets a request or notification of the terminal.
    private func take(_ method: String, _ parameters: JSONValue, id: String?) -> [ReaderMeaning] {
        let answer: [ReaderMeaning] = id.map { [.reply(JSONPOSMessage.result(.object([:]), id: $0).frame)] } ?? []
        switch method {
        case "StatusEvent": return Self.words(parameters).map { .reported(.status($0)) } + answer
        case Self.keepAliveMethod, Self.synchronize: return answer
        case "_CloseReason", "_Error":
            let code = parameters["error"]?["code"]?.number.flatMap { Int(exactly: $0) } ?? 1
            let text = Self.plain(parameters["error"]?["message"]?.text ?? "")
            let what = method == "_Error" ? "error" : "closing the link"
            return [.reported(.status("\(what) (\(JSONPOSError(rawValue: code))): \(text)"))] + answer
        default:
            let refusal = id.map {
                JSONPOSMessage.failure(code: JSONPOSError.methodNotFound.rawValue, message: "not supported", id: $0)
            }
            return [.unknown("a request for \(Self.plain(method))")] + (refusal.map { [.reply($0.frame)] } ?? [])
        }
    }

    private func facts(_ result: JSONValue, of method: String) -> [ReaderFact] {
        switch method {
        case Self.terminalInfo, Self.versionInfo:
            result["version"]?.text.map { [.firmware(Self.plain($0))] } ?? []
        case Self.status: Self.words(result).map { .status($0) }
        default: []
        }
    }

    /// Returns the first members of an object that are text, numbers or flags, as text.
    private static func words(_ value: JSONValue) -> [String] {
        guard case .object(let members) = value else { return [] }
        return members.sorted { $0.key < $1.key }.prefix(16).compactMap { name, value in
            switch value {
            case .text(let text): plain("\(name) \(text)")
            case .number(let number): plain("\(name) \(ProfileValue.number(number))")
            case .flag(let flag): plain("\(name) \(flag)")
            case .null, .array, .object: nil
            }
        }
    }

    /// Returns a terminal's text as it may be shown: short, in ASCII, without possible account numbers or tracks.
    static func plain(_ text: String) -> String {
        var bytes = text.unicodeScalars.prefix(200).map { UInt8(ascii: (" "..."~").contains($0) ? $0 : ".") }
        guard !CardHiding.mayBeTrack(bytes) else { return "\(bytes.count) characters" }
        for places in CardHiding.numbers(in: bytes, bytes.indices) where places.count >= 12 {
            for index in places { bytes[index] = UInt8(ascii: "*") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func request(_ method: String) -> ReaderRequest { ReaderRequest(method, Array(method.utf8)) }

    private static func method(of request: ReaderRequest) -> String { String(decoding: request.bytes, as: UTF8.self) }
}

extension JSONPOSDialect {
    /// Masks numbers, and data that a terminal forwards in base64. The terminal handles payments itself, and sends no
    /// tracks.
    package func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        Self.hideData(&frame)
        Self.hideTracks(&frame)
        CardHiding.hideNumbers(&frame, JSONPOSFormat.colon..<frame.count)
        return .masked([frame])
    }

    /// Hides tracks in texts with the `^` of a track, which may also have a cardholder's name. Escapes keep their
    /// length.
    private static func hideTracks(_ frame: inout [UInt8]) {
        var text: [JSONCharacter] = []
        var next = JSONPOSFormat.colon
        while next < frame.count {
            let character = JSONCharacter(frame, at: next)
            next = character.place.upperBound
            let isEnd = character.isQuote || next == frame.count
            if !character.isQuote { text.append(character) }
            guard isEnd else { continue }
            if text.contains(where: { $0.byte == UInt8(ascii: "^") }) { hide(text, in: &frame) }
            text = []
        }
    }

    private static func hide(_ text: [JSONCharacter], in frame: inout [UInt8]) {
        var bytes = text.map(\.byte)
        defer { bytes.wipe() }
        CardHiding.hideTracks(&bytes, bytes.indices)
        for (character, byte) in zip(text, bytes) {
            switch character.place.count {
            case 1: frame[character.place.lowerBound] = byte
            case 6 where byte != character.byte || character.isForeign:
                frame.replaceSubrange(character.place.suffix(2), with: byte.hexadecimal.utf8)
                frame.replaceSubrange(character.place.prefix(4).suffix(2), with: "00".utf8)
            default: break
            }
        }
    }

    /// A character of a JSON text: one byte, or an escape.
    private struct JSONCharacter {
        let place: Range<Int>
        /// The byte that it stands for; a letter for a character that is not ASCII, a blank for a control character.
        let byte: UInt8
        /// Whether the character is not ASCII.
        let isForeign: Bool
        /// Whether the character begins or ends a text.
        let isQuote: Bool

        init(_ frame: [UInt8], at start: Int) {
            let isEscape = frame[start] == UInt8(ascii: "\\") && start + 1 < frame.count
            let digits = frame[min(start + 2, frame.count)..<min(start + 6, frame.count)].compactMap(\.hexadecimalValue)
            let isNumber = isEscape && frame[start + 1] == UInt8(ascii: "u") && digits.count == 4
            let value =
                isNumber ? digits.reduce(0) { $0 << 4 | Int($1) } : Int(frame[isEscape ? start + 1 : start])
            place = start..<start + (isNumber ? 6 : isEscape ? 2 : 1)
            isForeign = value > 0x7F
            isQuote = !isEscape && value == Int(UInt8(ascii: "\""))
            // An escape of one letter, such as `\n`, does not stand for a letter.
            let isBlank = value < 0x20 || isEscape && !isNumber && CardHiding.isLetter(UInt8(truncatingIfNeeded: value))
            byte = isForeign ? UInt8(ascii: "X") : isBlank ? UInt8(ascii: " ") : UInt8(truncatingIfNeeded: value)
        }
    }

    /// Masks the texts of all members with the name `data`, with the same number of bytes, still in base64.
    private static func hideData(_ frame: inout [UInt8]) {
        let (quote, blanks) = (UInt8(ascii: "\""), " \t\r\n".utf8)
        let name = Array("\"data\"".utf8)
        var next = JSONPOSFormat.colon
        while next + name.count < frame.count {
            guard frame[next..<next + name.count].elementsEqual(name) else {
                next += 1
                continue
            }
            next += name.count
            while next < frame.count, blanks.contains(frame[next]) || frame[next] == UInt8(ascii: ":") { next += 1 }
            guard next < frame.count, frame[next] == quote else { continue }
            next += 1
            while next < frame.count, frame[next] != quote {
                if frame[next] != UInt8(ascii: "=") { frame[next] = UInt8(ascii: "A") }
                next += 1
            }
        }
    }
}

extension ReaderProfile {
    /// The known facts about SPm20 terminals: times, and values of payments.
    static let jsonpos = ReaderProfile(
        family: "jsonpos", "Spire's SPm20 terminals, from Poplatek's public SDKs",
        [
            .answer: ProfileEntry(
                "ms for an answer", .number(5000), .documented, "pt-android-sdk: _Sync and _Keepalive"),
            .answerTries: ProfileEntry(
                "number of attempts to send a request", .number(1), .documented,
                "pt-android-sdk: a link without an answer is closed"),
            .keepAlive: ProfileEntry(
                "ms between keep-alive requests", .number(30_000), .documented, "pt-android-sdk: when idle"
            ),
        ].merging(jsonposPayment) { _, own in own })
}

extension ReaderFamily {
    static let jsonpos = ReaderFamily(
        "jsonpos", "Spire SPm20, by JSON", [.serial], .documented,
        "frames made by the published rule; the simulated terminal",
        [
            "the meaning of most states of the terminal", "swipes: the terminal processes whole payments",
            "the names of its errors",
        ],
        [.jsonpos], JSONPOSDialect.init(profile:),
        frames: [
            FrameProtocol(
                "jsonpos", "Spire SPm20: JSON objects", .documented,
                [
                    FrameKind(
                        "", JSONPOSExplainer(), .answer, .command, streams: [JSONPOSFormat()],
                        // Two line feeds before an object, and one after it.
                        seeds: ["0A0A 30303030303030323A7B7D 0A"],
                        measured: { () throws(FrameFault) in
                            let start = Array(#"{"jsonrpc":"2.0","id":"1","params":{"data":""#.utf8)
                            let text = start + FrameKind.filler(400).map { 0x41 + $0 % 26 } + Array(#""}}"#.utf8)
                            return [("", [try JSONPOSFormat.frame(text)])]
                        })
                ])
        ], recognition: "a Bluetooth name that begins with SP:, and a serial port; its answer to _Sync")
}
