/// How MagTek's iDynamo and other MagneSafe V5 readers are spoken to.
public struct MagTekDialect: ReaderDialect {
    /// The family: `magtek`, or another that speaks alike.
    public let family: String
    /// How long things take.
    public let times: ReaderTimes
    /// It reads cards at any time.
    public let isAlwaysArmed = true

    /// What was answered last, and to what: answers do not say it themselves.
    private var last: (request: ReaderRequest, data: [UInt8])?

    /// - Parameter times: how long things take.
    public init(times: ReaderTimes = ReaderTimes()) { self.init(family: "magtek", times: times) }

    init(family: String, times: ReaderTimes) {
        self.family = family
        self.times = times
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// Its software and its number.
    public var identification: [ReaderRequest] {
        [Self.property(.software), Self.property(.serialNumber)]
    }

    /// Lines, always the same.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { MagTekFormat(.answer) }

    /// Nothing: it reads cards at any time.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What asks something.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware: [Self.property(.software)]
        case .serialNumber: [Self.property(.serialNumber)]
        case .keySerialNumber: [Self.request(.keySerialNumber, [], "key serial number")]
        default: throw ReaderError(.unsupported, "\(family) readers are not known to tell their \(question)")
        }
    }

    /// What sets a property: the number is that of the property.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let number = UInt8(exactly: setting.number), setting.value.count < Self.greatestData else {
            throw ReaderError(
                .outOfRange, "no property has the number \(setting.number) and \(setting.value.count) bytes",
                remedy: "choose 0 to 255, and less than \(Self.greatestData) bytes")
        }
        return [Self.request(.setProperty, [number] + setting.value, "set property \(number)")]
    }

    /// Forgets what was answered.
    public mutating func reset() { last = nil }

    /// What a line means.
    public mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if frame.indices.contains(where: { frame[$0] == UInt8(ascii: "|") }) { return [swipe(frame)] }
        guard let request, let code = frame.byte(at: 0) else { return [.unknown("an answer")] }
        let result = MagTekResult(rawValue: code)
        guard result == .done else { return [.refused("\(result)")] }
        let digits = frame.extracting(4..<frame.count - 1)
        let data = stride(from: 0, to: digits.count, by: 2).map { digits.byte(at: $0) ?? 0 }
        guard !isAgain(data, answering: request) else { return [.unknown("an answer that came twice")] }
        return [.done(facts(data, answering: request))]
    }

    /// Whether an answer is the last one once more, and not one to the next request. That both are alike is believed when the
    /// reader is asked again.
    private mutating func isAgain(_ data: [UInt8], answering request: ReaderRequest) -> Bool {
        if let last, last.request != request, last.data == data, !data.isEmpty {
            self.last = nil
            return true
        }
        last = (request, data)
        return false
    }

    private func facts(_ data: [UInt8], answering request: ReaderRequest) -> [ReaderFact] {
        let command = request.bytes.span
        switch (command.byte(at: 0), command.byte(at: 4)) {
        case (MagTekCommand.getProperty.rawValue, MagTekProperty.software.rawValue):
            return [.firmware(data.span.printable)]
        case (MagTekCommand.getProperty.rawValue, MagTekProperty.serialNumber.rawValue):
            return [.serialNumber(data.span.printable)]
        case (MagTekCommand.keySerialNumber.rawValue, _): return data.isEmpty ? [] : [.keySerialNumber(data)]
        default: return []
        }
    }

    private func swipe(_ line: Span<UInt8>) -> ReaderMeaning {
        let layout: MagTekSwipe
        do throws(FrameFault) {
            layout = try MagTekSwipe(line)
        } catch {
            return .badSwipe("its fields do not fit: \(error)")
        }
        if let meaning = layout.encryption.meaning { return meaning }
        // Whatever is in the encrypted fields of a card that was not read, it is no card.
        guard layout.hasReadTrack(line), layout.encryptedTracks.contains(where: { !$0.isEmpty }) else {
            return .badSwipe("no track was read")
        }
        var builder = ReaderSwipe.Builder()
        for (index, range) in layout.encryptedTracks.enumerated() {
            let field = line.extracting(range)
            guard layout.isInClear else {
                builder.add(.encryptedTrack(index + 1), hexadecimal: field)
                continue
            }
            addTrack(index + 1, field, to: &builder)
        }
        for (number, range) in maskedTracks(line, in: layout.masked) {
            let track = line.extracting(range)
            if !MagTekSwipe.isUnread(track) { builder.add(.maskedTrack(number), track) }
        }
        builder.add(.magnePrintStatus, hexadecimal: line.extracting(layout.magnePrintStatus))
        builder.add(.magnePrint, hexadecimal: line.extracting(layout.magnePrint))
        builder.add(.serialNumber, line.extracting(layout.serialNumber))
        builder.add(.session, hexadecimal: line.extracting(layout.session))
        builder.add(.keySerialNumber, hexadecimal: line.extracting(layout.keySerialNumber))
        builder.add(.frame, line)
        return .swipe(builder.finish(family: family, cipher: layout.isInClear ? nil : .tripleDES))
    }

    /// Adds a track in clear, of plain text or of hexadecimal digits; one that was not read is none.
    private func addTrack(_ number: Int, _ field: Span<UInt8>, to builder: inout ReaderSwipe.Builder) {
        guard !MagTekSwipe.isPlain(field) else {
            if !MagTekSwipe.isUnread(field) { builder.add(.track(number), field) }
            return
        }
        let first = stride(from: 0, to: min(field.count, 8), by: 2).compactMap { field.byte(at: $0) }
        if field.count > 6 || !MagTekSwipe.isUnread(first.span) { builder.add(.track(number), hexadecimal: field) }
    }

    /// Where the masked tracks lie: each begins with its sentinel and ends with the next question mark.
    private func maskedTracks(_ line: Span<UInt8>, in range: Range<Int>) -> [(Int, Range<Int>)] {
        let sentinels = [UInt8(ascii: "%"): 1, UInt8(ascii: ";"): 2, UInt8(ascii: "+"): 3]
        var tracks: [(Int, Range<Int>)] = []
        var start: (number: Int, index: Int)?
        for index in range {
            if let open = start {
                guard line[index] == UInt8(ascii: "?") else { continue }
                tracks.append((open.number, open.index..<index + 1))
                start = nil
            } else if let number = sentinels[line[index]] {
                start = (number, index)
            }
        }
        return tracks
    }

    private static let greatestData = 120

    private static func property(_ property: MagTekProperty) -> ReaderRequest {
        request(.getProperty, [property.rawValue], MagTekProperty.names[property.rawValue] ?? "property")
    }

    private static func request(_ command: MagTekCommand, _ data: [UInt8], _ name: String) -> ReaderRequest {
        // The data is short: what the format refuses is longer.
        ReaderRequest(name, (try? MagTekFormat.command(command, data)) ?? [])
    }
}
