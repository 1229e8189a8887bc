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
