extension JSONPOSDialect {
    /// Hides numbers, and what a terminal passes on in base64: it takes payments itself, and tells no tracks.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        Self.hideData(&frame)
        CardHiding.hideNumbers(&frame, JSONPOSFormat.colon..<frame.count)
        return .masked([frame])
    }

    /// Hides the texts of all members of the name `data`: as many bytes, base64 as before.
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
