import JackdawDSP

extension JSONPOSDialect {
    /// Hides numbers, and what a terminal passes on in base64: it takes payments itself, and tells no tracks.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var frame = frames.first, frames.count == 1 else { return .unknown }
        Self.hideData(&frame)
        Self.hideTracks(&frame)
        CardHiding.hideNumbers(&frame, JSONPOSFormat.colon..<frame.count)
        return .masked([frame])
    }

    /// Hides tracks in texts that have the `^` of one, in which a cardholder's name may be, too. Escapes stay as long as they are.
    private static func hideTracks(_ frame: inout [UInt8]) {
        var text: [JSONCharacter] = []
        var next = JSONPOSFormat.colon
        while next < frame.count {
            let character = JSONCharacter(frame, at: next)
            next = character.place.upperBound
            let isEnd = character.isQuote || next == frame.count
            if !character.isQuote { text.append(character) }
            guard isEnd else { continue }
            if text.contains(where: { $0.byte == UInt8(ascii: "^") }) { hide(text, in: &frame) }
            text = []
        }
    }

    private static func hide(_ text: [JSONCharacter], in frame: inout [UInt8]) {
        var bytes = text.map(\.byte)
        defer { bytes.wipe() }
        CardHiding.hideTracks(&bytes, bytes.indices)
        for (character, byte) in zip(text, bytes) {
            switch character.place.count {
            case 1: frame[character.place.lowerBound] = byte
            case 6 where byte != character.byte || character.isForeign:
                frame.replaceSubrange(character.place.suffix(2), with: byte.hexadecimal.utf8)
                frame.replaceSubrange(character.place.prefix(4).suffix(2), with: "00".utf8)
            default: break
            }
        }
    }

    /// A character of a JSON text: one byte, or an escape.
    private struct JSONCharacter {
        let place: Range<Int>
        /// What it stands for; a letter in place of one that is not ASCII, a blank in place of a control character.
        let byte: UInt8
        /// Whether it is not ASCII.
        let isForeign: Bool
        /// Whether a text begins or ends with it.
        let isQuote: Bool

        init(_ frame: [UInt8], at start: Int) {
            let isEscape = frame[start] == UInt8(ascii: "\\") && start + 1 < frame.count
            let digits = frame[min(start + 2, frame.count)..<min(start + 6, frame.count)].compactMap(\.digitValue)
            let isNumber = isEscape && frame[start + 1] == UInt8(ascii: "u") && digits.count == 4
            let value =
                isNumber ? digits.reduce(0) { $0 << 4 | Int($1) } : Int(frame[isEscape ? start + 1 : start])
            place = start..<start + (isNumber ? 6 : isEscape ? 2 : 1)
            isForeign = value > 0x7F
            isQuote = !isEscape && value == Int(UInt8(ascii: "\""))
            // Of escapes of one letter none is a letter.
            let isBlank = value < 0x20 || isEscape && !isNumber && CardHiding.isLetter(UInt8(truncatingIfNeeded: value))
            byte = isForeign ? UInt8(ascii: "X") : isBlank ? UInt8(ascii: " ") : UInt8(truncatingIfNeeded: value)
        }
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
