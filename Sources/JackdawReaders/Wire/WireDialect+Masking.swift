extension WireDialect {
    /// Hides the tracks of a swipe; of what else comes only messages without text are known.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        let (message, place) = wire.read(frame.span)
        var data = Array(frame[place])
        switch message {
        case .swipe:
            var next = 0
            while next < data.count {
                guard Int(data[next]) < data.count - next else { return .unknown }
                let end = next + 1 + Int(data[next])
                CardHiding.hideTracks(&data, next + 1..<end)
                next = end
            }
        case .done, .refuse, .event:
            guard data.count < TagLengthValue.leastOfCard else { return .unknown }
        default: return .unknown
        }
        return message.map { .masked([wire.frame($0, data)]) } ?? .unknown
    }
}
