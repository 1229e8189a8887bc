extension FloJackDialect {
    /// Hides what a tag holds; of the other messages those stay that are too short for an account number.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard let frame = frames.first, frames.count == 1 else { return .unknown }
        let opcode = FloJackOpcode(rawValue: frame[0])
        let data = frame[3..<frame.count - 1]
        guard opcode == .tag || data.count < TagLengthValue.leastOfCard else { return .unknown }
        let kept = opcode == .tag ? [UInt8](repeating: 0, count: data.count) : Array(data)
        return (try? FloJackFormat.message(opcode, frame[2], kept)).map { .masked([$0]) } ?? .unknown
    }
}
