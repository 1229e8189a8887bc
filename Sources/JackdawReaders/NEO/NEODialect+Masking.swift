extension NEODialect {
    /// Hides tracks, swipes of ID TECH's own layout, and data objects long enough for an account number.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
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
