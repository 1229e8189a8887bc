extension JSONPOSDialect {
    /// Hides numbers: the terminal takes payments itself, and tells no tracks.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        CardHiding.hideNumbers(&frame, JSONPOSFormat.colon..<frame.count)
        return .masked([frame])
    }
}
