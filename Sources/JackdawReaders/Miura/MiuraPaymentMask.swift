import JackdawBytes
import JackdawEMV
import JackdawTransport

/// Masks the messages of a payment at a Miura reader, for recordings.
///
/// Of a whole frame, the header stays, the status word, the header of a command, and the objects whose tags the dictionary
/// of JackdawEMV has as open, or that are the reader's own and short. Everything else is masked: card data, PIN blocks,
/// scripts of the issuer, texts of the display, unknown objects, and bytes that are not a whole frame.
package struct MiuraPaymentMask: TranscriptMask {
    /// The frames of messages whose last frame has not come, of answers and of unsolicited ones.
    private var answers: [[UInt8]] = []
    private var reports: [[UInt8]] = []

    /// The most frames of a message. Further ones are masked as a whole.
    private static let maxFrames = 16

    /// A mask at the beginning of a link.
    package init() {}

    /// Masks bytes that are not a message by themselves: all of them.
    package mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] { Self.hidden([bytes]) }

    /// Masks a frame. The frames of a chained answer are returned with its last one.
    package mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        let format = MiuraFormat(isSent ? .command : .answer)
        guard (try? format.check(bytes.span)) != nil else { return Self.hidden([bytes]) }
        guard !isSent else { return Self.masked([bytes], by: Self.openPlaces(ofCommand:)) }
        let isReport = bytes[1] & MiuraFormat.unsolicited != 0
        return isReport ? Self.take(bytes, after: &reports) : Self.take(bytes, after: &answers)
    }

    /// Masks a message with its last frame.
    /// - Parameters:
    ///   - frame: a whole frame.
    ///   - frames: the frames of the message before it; overwritten when the message is complete.
    /// - Returns: the bytes of all frames, nil for each that is masked; empty before the last frame.
    private static func take(_ frame: [UInt8], after frames: inout [[UInt8]]) -> [UInt8?] {
        let isLast = frame[1] & MiuraFormat.chained == 0
        let isTooLong = frames.count == maxFrames
        guard isLast || isTooLong else {
            frames.append(frame)
            return []
        }
        defer { wipe(&frames) }
        return isTooLong ? hidden(frames + [frame]) : masked(frames + [frame], by: openPlaces(ofAnswer:))
    }

    private static func wipe(_ frames: inout [[UInt8]]) {
        for index in frames.indices { frames[index].wipe() }
        frames = []
    }

    /// The frames of messages that were not complete, masked.
    package mutating func finish(isSent: Bool) -> [UInt8?] {
        guard !isSent else { return [] }
        defer {
            Self.wipe(&answers)
            Self.wipe(&reports)
        }
        return Self.hidden(answers + reports)
    }

    private static func hidden(_ frames: [[UInt8]]) -> [UInt8?] {
        Array(repeating: nil, count: frames.reduce(0) { $0 + $1.count })
    }

    /// Masks the frames of one message. The sum of a frame with a masked byte is masked, too.
    private static func masked(_ frames: [[UInt8]], by openPlaces: ([UInt8]) -> [Bool]) -> [UInt8?] {
        let start = MiuraFormat.apduStart
        var message = frames.flatMap { $0[start..<$0.count - 1] }
        defer { message.wipe() }
        var isOpen = openPlaces(message)[...]
        var kept: [UInt8?] = []
        for frame in frames {
            let part = isOpen.prefix(frame.count - start - 1)
            isOpen = isOpen.dropFirst(part.count)
            for octet in frame[..<start] { kept.append(octet) }
            for (octet, isOpen) in zip(frame[start...], part) { kept.append(isOpen ? octet : nil) }
            kept.append(part.contains(false) ? nil : frame[frame.count - 1])
        }
        return kept
    }

    // MARK: the places that may stay

    private static func openPlaces(ofCommand apdu: [UInt8]) -> [Bool] {
        var isOpen = [Bool](repeating: false, count: apdu.count)
        // Class, instruction, parameters, and the length of the data or of the answer.
        for place in 0..<min(5, apdu.count) { isOpen[place] = true }
        guard apdu.count > 5 else { return isOpen }
        let end = 5 + Int(apdu[4])
        guard end == apdu.count || end == apdu.count - 1 else { return isOpen }
        openObjects(5..<end, of: apdu, &isOpen)
        if end < apdu.count { isOpen[end] = true }
        return isOpen
    }

    private static func openPlaces(ofAnswer message: [UInt8]) -> [Bool] {
        var isOpen = [Bool](repeating: false, count: message.count)
        let end = message.count - 2
        guard end >= 0 else { return isOpen }
        openObjects(0..<end, of: message, &isOpen)
        (isOpen[end], isOpen[end + 1]) = (true, true)
        return isOpen
    }

    /// Opens the tags, lengths and values of data objects that may stay.
    private static func openObjects(_ range: Range<Int>, of message: [UInt8], _ isOpen: inout [Bool]) {
        let octets = message.span.extracting(range)
        guard let objects = TagLengthValue.read(octets, opaque: [MiuraTag.answerToReset]) else { return }
        // The end of the contents of an object that is hidden.
        var hiddenEnd = 0
        for object in objects where object.start >= hiddenEnd {
            let isTemplate = templates.contains(object.tag)
            let isOpenValue = isTemplate || mayStay(object.tag, count: object.value.count)
            guard isOpenValue || DataElement.find(object.tag) != nil, isTemplate || !object.tag.isConstructed else {
                // An unknown object may be no object at all, and a script is the issuer's.
                hiddenEnd = object.value.upperBound
                continue
            }
            let end = isOpenValue && !isTemplate ? object.value.upperBound : object.value.lowerBound
            for place in object.start..<end { isOpen[range.lowerBound + place] = true }
        }
    }

    private static let templates: Set<Tag> = [
        MiuraTag.commandData, MiuraTag.response, MiuraTag.decisionRequired, MiuraTag.approved, MiuraTag.onlineRequired,
        MiuraTag.declined, MiuraTag.statusChange,
    ]

    /// The reader's own values that are open, of at most ``maxOwn`` bytes.
    private static let own: Set<Tag> = [
        MiuraTag.cardStatus, MiuraTag.deviceStatus, MiuraTag.pinStatus, MiuraTag.riskManagement,
        MiuraTag.applicationSelection, MiuraTag.encryptionStatus, MiuraTag.batteryCharging, MiuraTag.batteryPercent,
    ]

    private static let maxOwn = 2

    private static func mayStay(_ tag: Tag, count: Int) -> Bool {
        if own.contains(tag) { return count <= maxOwn }
        guard let element = DataElement.find(tag), element.lengths.contains(count) else { return false }
        return DataElement.sensitivity(of: tag) == .open
    }
}
