/// How MagTek's iDynamo and other MagneSafe V5 readers are spoken to.
public struct MagTekDialect: ReaderDialect {
    /// The family: `magtek`, or another that speaks alike.
    public let family: String
    /// How long things take.
    public let times: ReaderTimes
    /// It reads cards at any time.
    public let isAlwaysArmed = true

    /// The last answer and its request, which the answer does not name.
    private var last: (request: ReaderRequest, data: [UInt8])?

    /// - Parameter times: how long things take.
    public init(times: ReaderTimes = ReaderTimes()) { self.init(family: "magtek", times: times) }

    init(family: String, times: ReaderTimes) {
        self.family = family
        self.times = times
    }

    /// - Parameter profile: values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is not enough.
    public init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// Its software and its number.
    public var identification: [ReaderRequest] {
        [Self.property(.software), Self.property(.serialNumber)]
    }

    /// Lines, always the same.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { MagTekFormat(.answer) }

    /// Nothing: it reads cards at any time.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// The requests of a question.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        switch question {
        case .firmware: [Self.property(.software)]
        case .serialNumber: [Self.property(.serialNumber)]
        case .keySerialNumber: [Self.request(.keySerialNumber, [], "key serial number")]
        default: throw ReaderError(.unsupported, "\(family) readers are not known to tell their \(question)")
        }
    }

    /// The requests of a setting, whose number is that of a property.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        guard let number = UInt8(exactly: setting.number), setting.value.count < Self.greatestData else {
            throw ReaderError(
                .outOfRange, "no property has the number \(setting.number) and \(setting.value.count) bytes",
                remedy: "choose 0 to 255, and less than \(Self.greatestData) bytes")
        }
        return [Self.request(.setProperty, [number] + setting.value, "set property \(number)")]
    }

    /// Forgets the last answer.
    public mutating func reset() { last = nil }

    /// The meaning of a line.
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
        guard layout.hasReadTrack(line) else { return .badSwipe("no track was read") }
        var builder = ReaderSwipe.Builder()
        for (index, place) in layout.encryptedTracks.enumerated() {
            let field = line.extracting(place)
            guard !MagTekSwipe.isUnread(field: field) else { continue }
            let part: ReaderSwipe.Part = layout.isEncrypted ? .encryptedTrack(index + 1) : .track(index + 1)
            if MagTekSwipe.isPlain(field) {
                builder.add(part, field)
            } else {
                builder.add(part, hexadecimal: field)
            }
        }
        for (number, place) in layout.maskedTracks(line) {
            let track = line.extracting(place)
            if !MagTekSwipe.isUnread(track) { builder.add(.maskedTrack(number), track) }
        }
        builder.add(.magnePrintStatus, hexadecimal: line.extracting(layout.magnePrintStatus))
        builder.add(.magnePrint, hexadecimal: line.extracting(layout.magnePrint))
        builder.add(.serialNumber, line.extracting(layout.serialNumber))
        builder.add(.session, hexadecimal: line.extracting(layout.session))
        builder.add(.keySerialNumber, hexadecimal: line.extracting(layout.keySerialNumber))
        builder.add(.frame, line)
        return .swipe(builder.finish(family: family, cipher: layout.isEncrypted ? .tripleDES : nil))
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
