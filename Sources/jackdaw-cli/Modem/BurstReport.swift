import JackdawBytes
import JackdawDSP

/// A burst, for people and for programs. Its bytes may be card data; only ``json(_:)`` includes them.
struct BurstReport {
    let file: String
    /// Number of the channel, from 1.
    let channel: Int
    let mode: LineMode
    /// Number of bytes in the burst.
    let count: Int
    let burst: LineBurst

    /// The measured values in one line.
    var line: String {
        var parts = [
            "\(file.hidingKeysAndNumbers): \(mode.name)",
            "\(fixed(burst.span.start, 3)) to \(fixed(burst.span.end, 3)) s",
            mode.carriesBits ? counted(burst.characters, "bit") : counted(count, "byte"),
        ]
        if burst.framingErrors > 0 { parts.append(counted(burst.framingErrors, "framing error")) }
        if burst.repairedBits > 0 { parts.append("\(counted(burst.repairedBits, "bit")) repaired") }
        if burst.check == .broken { parts.append("check fails") }
        parts.append("\(fixed(burst.baud, 1)) baud")
        if let tones = burst.tones { parts.append("\(fixed(tones.mark, 0)) and \(fixed(tones.space, 0)) Hz") }
        parts += [
            "\(fixed(burst.level, 1)) dBFS", "SNR \(fixed(burst.signalToNoise, 1)) dB",
            "confidence \(fixed(Double(burst.confidence), 2))",
        ]
        return parts.joined(separator: ", ")
    }

    /// The object of a burst; a value that does not apply is null. In a mode of bits it has their number, because they
    /// may not fill the last byte.
    /// - Parameter bytes: the bytes of the burst.
    /// - Returns: the object.
    func json(_ bytes: [UInt8]) -> JSONObject {
        var object = JSONObject()
        object.add("start", burst.span.start, decimals: 6)
        object.add("end", burst.span.end, decimals: 6)
        object.add("mode", mode.name)
        object.add("bytes", bytes.map(\.lowercaseHexadecimal).joined())
        if mode.carriesBits { object.add("bits", burst.characters) }
        object.add("confidence", Double(burst.confidence), decimals: 3)
        object.add("framing_errors", burst.framingErrors)
        object.add("repaired", burst.repairedBits)
        object.add("check", burst.check?.rawValue)
        object.add("level", burst.level, decimals: 2)
        object.add("snr", burst.signalToNoise, decimals: 2)
        object.add("baud", burst.baud, decimals: 2)
        object.add("mark", burst.tones?.mark, decimals: 1)
        object.add("space", burst.tones?.space, decimals: 1)
        object.add("file", file)
        object.add("channel", channel)
        return object
    }
}
