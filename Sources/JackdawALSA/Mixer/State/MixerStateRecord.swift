import JackdawSystem

/// A file of saved levels: who saved them, and what they were. A few lines of text, which end with their number, so that a
/// part of a file is not taken for all of it:
///
/// ```
/// jackdaw mixer 1
/// writer 1234 567890 4c7c65b2-3f2c-4c0f-8d6c-5a1b7ad6ce10
/// volume capture 0 0=31,1=31 Capture
/// toggle playback 0 0=1 Mic
/// end 4
/// ```
struct MixerStateRecord: Sendable, Hashable {
    /// The process that will restore the levels; nil where it has given up and the next start is to do it.
    var writer: ProcessIdentity?
    var state: MixerState

    /// No card has as much to save: a file beyond that is not ours.
    static let mostBytes = StateDirectory.mostBytes
    static let mostSettings = 256
    /// The kernel's names have 43 bytes at most; the library's own can be a little longer.
    static let mostNameBytes = 128
    private static let channels = 0...31
    private static let heading = "jackdaw mixer 1"
}

// MARK: - Writing

extension MixerStateRecord {
    /// The file's content.
    var bytes: [UInt8] {
        var lines = [Self.heading, writer.map { "writer \($0.process) \($0.startTime) \($0.boot)" } ?? "writer none"]
        for setting in state.settings {
            let values = setting.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.append(
                "\(setting.kind.rawValue) \(setting.direction.rawValue) \(setting.index) "
                    + "\(values.joined(separator: ",")) \(Self.escaped(setting.name))")
        }
        lines.append("end \(lines.count)")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            if (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }
}

// MARK: - Reading

extension MixerStateRecord {
    /// Reads a file's content; anything may be in it.
    init(parsing bytes: [UInt8]) throws(MixerStateError) {
        guard bytes.count <= Self.mostBytes else {
            throw MixerStateError(line: 0, message: "more than \(Self.mostBytes) bytes")
        }
        guard bytes.last == UInt8(ascii: "\n") else { throw MixerStateError(line: 0, message: "it is cut off") }
        guard bytes.allSatisfy({ $0 == UInt8(ascii: "\n") || (0x20...0x7E).contains($0) }) else {
            throw MixerStateError(line: 0, message: "it is no text")
        }
        let lines = bytes.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines[0] == Self.heading else {
            throw MixerStateError(line: 1, message: "it does not begin with '\(Self.heading)'")
        }
        guard lines.count >= 3, lines[lines.count - 1] == "end \(lines.count - 1)" else {
            throw MixerStateError(line: lines.count, message: "it does not end with the number of its lines")
        }
        guard lines.count - 3 <= Self.mostSettings else {
            throw MixerStateError(line: 0, message: "more than \(Self.mostSettings) settings")
        }
        writer = try Self.writer(lines[1])
        state = MixerState()
        for (place, line) in lines.dropLast().enumerated().dropFirst(2) {
            guard let setting = Self.setting(line) else {
                throw MixerStateError(line: place + 1, message: "it is no setting")
            }
            guard !state.settings.contains(where: setting.isOf) else {
                throw MixerStateError(line: place + 1, message: "it is there a second time")
            }
            state.settings.append(setting)
        }
    }

    private static func writer(_ line: String) throws(MixerStateError) -> ProcessIdentity? {
        if line == "writer none" { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "writer", let process = Int32(words[1]), process > 0,
            let startTime = UInt64(words[2]), !words[3].isEmpty
        else { throw MixerStateError(line: 2, message: "it names no process") }
        return ProcessIdentity(process: process, startTime: startTime, boot: String(words[3]))
    }

    private static func setting(_ line: String) -> MixerState.Setting? {
        let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard words.count == 5, let kind = MixerState.Setting.Kind(rawValue: String(words[0])),
            let direction = MixerControl.Direction(rawValue: String(words[1])),
            let index = Int(words[2]), (0...Int(Int32.max)).contains(index), let name = unescaped(words[4])
        else { return nil }
        var values: [Int: Int] = [:]
        for pair in words[3].split(separator: ",", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let channel = Int(parts[0]), channels.contains(channel), let value = Int(parts[1]),
                values.updateValue(value, forKey: channel) == nil
            else { return nil }
        }
        let isValid =
            switch kind {
            case .volume: true
            case .toggle: values.values.allSatisfy { (0...1).contains($0) }
            case .choice: values.values.allSatisfy { (0...Int(Int32.max)).contains($0) }
            }
        guard isValid else { return nil }
        return MixerState.Setting(name: name, index: index, direction: direction, kind: kind, values: values)
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let escaped = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        // A name goes on to C, where it would end at a zero.
        guard !bytes.isEmpty, bytes.count <= mostNameBytes, !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
