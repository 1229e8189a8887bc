import Glibc
import JackdawBytes
import JackdawSystem

/// The settings of a card before they were changed, which ``Mixer/restore()`` restores.
public struct MixerState: Sendable, Hashable {
    /// The setting of one control before its change.
    public struct Setting: Sendable, Hashable, CustomStringConvertible {
        /// The kind of the control.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A volume, in the card's own steps.
            case volume
            /// A switch: 0 is off, 1 is on.
            case toggle
            /// A choice: the position of its item.
            case choice
        }

        /// The driver's name for the control's element.
        public let name: String
        /// Distinguishes elements with the same name.
        public let index: Int
        /// The direction under which the card lists it.
        public let direction: MixerControl.Direction
        /// The kind of the control.
        public let kind: Kind
        /// The values by the number of the channel (0...31).
        public let values: [Int: Int]

        /// The control's name, kind and values.
        public var description: String {
            let levels = values.sorted { $0.key < $1.key }.map { String($0.value) }
            let number = index == 0 ? "" : ",\(index)"
            return "\(name)\(number) \(direction.rawValue) \(kind.rawValue) \(levels.joined(separator: "/"))"
        }

        var side: MixerSide {
            MixerSide(element: MixerElement.Name(name: name, index: index), direction: direction)
        }

        /// Whether both are settings of the same control.
        func isOf(_ other: Setting) -> Bool { side == other.side && kind == other.kind }
    }

    /// The controls that were changed, in the order of their first changes.
    public internal(set) var settings: [Setting] = []

    /// Whether nothing was changed.
    public var isEmpty: Bool { settings.isEmpty }
}

/// The error of a file of saved levels that cannot be parsed.
public struct MixerStateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line of the error, from 1; 0 for an error of the file as a whole.
    public let line: Int
    /// The error, for the user.
    public let message: String
    package let code: Code

    /// The kind of error. More may be added.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The file as a whole is not a record, or is damaged.
        package static let file = Code(rawValue: "file")
        /// The line does not name the program that changed the levels.
        package static let writer = Code(rawValue: "writer")
        /// The line is not a setting.
        package static let setting = Code(rawValue: "setting")
        /// A second line has the same setting.
        package static let duplicate = Code(rawValue: "duplicate")
    }

    package init(_ code: Code, line: Int, message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    /// The line number, if there is one, and the message.
    public var description: String { line == 0 ? message : "line \(line): \(message)" }
}

/// A condition that was found when a mixer was opened, and that the user must know of.
public enum MixerNotice: Sendable, Hashable, CustomStringConvertible {
    /// A program had ended without restoring the levels it had changed; they were restored now.
    case restored(MixerState)
    /// A program had ended without restoring the levels it had changed, and restoring them has failed. They are not
    /// changed further until it succeeds.
    case notRestored(String)
    /// The file of levels that a program saved cannot be parsed. It was renamed.
    case unreadable(MixerStateError, path: String)
    /// The program with this process number has changed the levels and will restore them; until then they are not
    /// changed.
    case held(process: Int)

    /// A message of one line for the user.
    public var description: String {
        switch self {
        case .restored(let state):
            "an earlier run ended without restoring the levels; they are restored now: "
                + state.settings.map(\.description).joined(separator: ", ")
        case .notRestored(let reason):
            "an earlier run ended without restoring the levels, and they cannot be restored now: \(reason)"
        case .unreadable(let error, let path):
            "the levels that an earlier run saved cannot be read (\(error)) and are unchanged; the file is now \(path)"
        case .held(let process): "process \(process) holds the levels of this card; they are not changed"
        }
    }
}

/// A file of saved levels: the process that saved them, and the settings. It is a few lines of text and ends with their
/// number, so that a part of a file does not pass for a whole one:
///
/// ```
/// jackdaw mixer 1
/// writer 1234 567890 4c7c65b2-3f2c-4c0f-8d6c-5a1b7ad6ce10
/// volume capture 0 0=31,1=31 Capture
/// toggle playback 0 0=1 Mic
/// end 4
/// ```
struct MixerStateRecord: Sendable, Hashable {
    /// The process that will restore the levels; nil if it has failed to, so that the next start must.
    var writer: ProcessIdentity?
    var state: MixerState

    /// No card has so much to save: a longer file is not from this program.
    static let maxBytes = StateDirectory.maxBytes
    static let maxSettings = 256
    /// The kernel's names have 43 bytes at most; the library's own can be a little longer.
    static let maxNameBytes = 128
    private static let channels = 0...31
    private static let heading = "jackdaw mixer 1"
}

// MARK: - Writing

extension MixerStateRecord {
    /// The content of the file.
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
                text += "%\(byte.lowercaseHexadecimal)"
            }
        }
        return text
    }
}

// MARK: - Reading

extension MixerStateRecord {
    /// Parses the content of a file, which may be anything.
    init(parsing bytes: [UInt8]) throws(MixerStateError) {
        guard bytes.count <= Self.maxBytes else {
            throw MixerStateError(.file, line: 0, message: "more than \(Self.maxBytes) bytes")
        }
        guard bytes.last == UInt8(ascii: "\n") else { throw MixerStateError(.file, line: 0, message: "it is cut off") }
        guard bytes.allSatisfy({ $0 == UInt8(ascii: "\n") || (0x20...0x7E).contains($0) }) else {
            throw MixerStateError(.file, line: 0, message: "it is not text")
        }
        let lines = bytes.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines[0] == Self.heading else {
            throw MixerStateError(.file, line: 1, message: "it does not begin with '\(Self.heading)'")
        }
        guard lines.count >= 3, lines[lines.count - 1] == "end \(lines.count - 1)" else {
            throw MixerStateError(.file, line: lines.count, message: "it does not end with the number of its lines")
        }
        guard lines.count - 3 <= Self.maxSettings else {
            throw MixerStateError(.file, line: 0, message: "more than \(Self.maxSettings) settings")
        }
        writer = try Self.writer(lines[1])
        state = MixerState()
        for (place, line) in lines.dropLast().enumerated().dropFirst(2) {
            guard let setting = Self.setting(line) else {
                throw MixerStateError(.setting, line: place + 1, message: "it is not a setting")
            }
            guard !state.settings.contains(where: setting.isOf) else {
                throw MixerStateError(.duplicate, line: place + 1, message: "it is a duplicate")
            }
            state.settings.append(setting)
        }
    }

    private static func writer(_ line: String) throws(MixerStateError) -> ProcessIdentity? {
        if line == "writer none" { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "writer", let process = Int32(words[1]), process > 0,
            let startTime = UInt64(words[2]), !words[3].isEmpty
        else { throw MixerStateError(.writer, line: 2, message: "it names no process") }
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
            guard let digits = String(rest.prefix(2)), let escaped = UInt8(hexadecimal: digits) else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        // C functions receive the name, which must not contain a zero.
        guard !bytes.isEmpty, bytes.count <= maxNameBytes, !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The identity of one process: a later process with the same number has a later start, or another boot identifier.
struct ProcessIdentity: Sendable, Hashable {
    var process: Int32
    /// Clock ticks from the boot of the system to the start of the process.
    var startTime: UInt64
    /// The kernel's identifier of this boot.
    var boot: String
}

/// Looks up processes: of the system, or of a test.
struct ProcessTable: Sendable {
    /// The identity of this process; nil if the system does not provide it.
    var current: @Sendable () -> ProcessIdentity?
    /// Whether a process is still running.
    var isAlive: @Sendable (ProcessIdentity) -> Bool

    /// The processes of this system.
    static let system = ProcessTable(directory: "/proc")
}

extension ProcessTable {
    /// The processes of a directory with the format of `/proc`.
    init(directory: String) {
        self.init(
            current: { ProcessTable.identity(of: getpid(), in: directory) },
            isAlive: { ProcessTable.identity(of: $0.process, in: directory) == $0 })
    }

    static func identity(of process: Int32, in directory: String) -> ProcessIdentity? {
        guard let status = read("\(directory)/\(process)/stat"), let startTime = startTime(status: status),
            let boot = read("\(directory)/sys/kernel/random/boot_id")
        else { return nil }
        let number = boot.prefix { (0x21...0x7E).contains($0) }
        guard !number.isEmpty else { return nil }
        return ProcessIdentity(process: process, startTime: startTime, boot: String(decoding: number, as: UTF8.self))
    }

    /// The start time of a running process, from its `/proc/PID/stat`; nil for a zombie.
    static func startTime(status: [UInt8]) -> UInt64? {
        // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
        guard let parenthesis = status.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = status[(parenthesis + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        // The third field is the first one here; the start time is the 22nd.
        guard fields.count >= 20, let state = fields[0].first, !"ZXx".utf8.contains(state) else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Neither file exceeds a page, and the kernel returns each in one read.
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
