extension IDTechDialect {
    /// Hides tracks, what was encrypted and hashes of a swipe, and numbers in answers.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        return Self.masked(frame).map { .masked([$0]) } ?? .unknown
    }

    /// Whether bytes are one swipe or one answer, and nothing else.
    static func isOneFrame(_ bytes: [UInt8]) -> Bool {
        let kinds: [IDTechAnswerFormat] = [
            .init(awaiting: .text), .init(awaiting: .settings), .init(awaiting: .acknowledgement),
        ]
        return (try? IDTechSwipeFormat().check(bytes)) != nil || kinds.contains { (try? $0.check(bytes)) != nil }
    }

    /// A frame without what is of a card, also inside another family's.
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
            // Bits are no characters, in which it could be told what to hide.
            let cleared = [layout.cardType == .raw ? track.masked : nil, track.encrypted, track.hash].compactMap(\.self)
            for place in cleared { CardHiding.clear(&frame, place) }
            if let masked = track.masked { CardHiding.hideTracks(&frame, masked) }
        }
        if let together = layout.encryptedTogether { CardHiding.clear(&frame, together) }
        return try? IDTechSwipeFormat.frame(Array(frame[IDTechBody.start..<frame.count - IDTechBody.endSize]))
    }
}
