import Glibc
import JackdawSystem

/// The levels of a card as they were before they were changed: what ``Mixer/restore()`` brings back.
public struct MixerState: Sendable, Hashable {
    /// One control as it was.
    public struct Setting: Sendable, Hashable, CustomStringConvertible {
        /// What was set.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A volume, in the card's own steps.
            case volume
            /// A switch: 0 is off, 1 is on.
            case toggle
            /// A choice: the position of its item.
            case choice
        }

        /// The name of the control's element, as the driver has it.
        public let name: String
        /// Tells elements of one name apart.
        public let index: Int
        /// Under which direction the card has it.
        public let direction: MixerControl.Direction
        /// What was set.
        public let kind: Kind
        /// What it was set to, by the number of the channel (0...31).
        public let values: [Int: Int]

        /// Name, kind and values.
        public var description: String {
            let levels = values.sorted { $0.key < $1.key }.map { String($0.value) }
            let number = index == 0 ? "" : ",\(index)"
            return "\(name)\(number) \(direction.rawValue) \(kind.rawValue) \(levels.joined(separator: "/"))"
        }

        var side: MixerSide {
            MixerSide(element: MixerElement.Name(name: name, index: index), direction: direction)
        }

        /// Whether both are of the same control.
        func isOf(_ other: Setting) -> Bool { side == other.side && kind == other.kind }
    }

    /// The controls that were changed, in the order in which that happened.
    public internal(set) var settings: [Setting] = []

    /// Whether nothing was changed.
    public var isEmpty: Bool { settings.isEmpty }
}

/// Why a file of saved levels cannot be read.
public struct MixerStateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line where it goes wrong, from 1; 0 where that is the file as a whole.
    public let line: Int
    /// What is wrong.
    public let message: String

    /// Line and message.
    public var description: String { line == 0 ? message : "line \(line): \(message)" }
}

/// What was found when a mixer was opened and needs telling.
public enum MixerNotice: Sendable, Hashable, CustomStringConvertible {
    /// A program had ended without restoring the levels it had changed; that was done now.
    case restored(MixerState)
    /// A program had ended without restoring the levels it had changed, and that could not be done now either. They are not
    /// changed any further until it succeeds.
    case notRestored(String)
    /// The levels that a program saved cannot be read. The file was put aside under another name.
    case unreadable(MixerStateError, path: String)
    /// The program with this process number has changed the levels and will restore them; they are not changed meanwhile.
    case held(process: Int)

    /// One line for a person.
    public var description: String {
        switch self {
        case .restored(let state):
            "an earlier run ended without restoring the levels; they are restored now: "
                + state.settings.map(\.description).joined(separator: ", ")
        case .notRestored(let reason):
            "an earlier run ended without restoring the levels, nor can it be done now: \(reason)"
        case .unreadable(let error, let path):
            "the levels that an earlier run saved cannot be read (\(error)) and stay as they are; the file is now \(path)"
        case .held(let process): "process \(process) holds the levels of this card; they stay as they are"
        }
    }
}

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

/// One process and no other: its number is given to another one later, with a later start or in another run of the system.
struct ProcessIdentity: Sendable, Hashable {
    var process: Int32
    /// Clock ticks from the start of the system to that of the process.
    var startTime: UInt64
    /// The number of this run of the system.
    var boot: String
}

/// What is known of processes: the system's, or a test's.
struct ProcessTable: Sendable {
    /// Who this process is; nil where the system does not tell.
    var current: @Sendable () -> ProcessIdentity?
    /// Whether a process is still there.
    var isAlive: @Sendable (ProcessIdentity) -> Bool

    /// The processes of this system.
    static let system = ProcessTable(directory: "/proc")
}

extension ProcessTable {
    /// The processes of a directory like `/proc`.
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

    /// The start of a process that still runs, out of its `/proc/PID/stat`; nil where it is dead and only not yet buried.
    static func startTime(status: [UInt8]) -> UInt64? {
        // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
        guard let parenthesis = status.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = status[(parenthesis + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        // The third field is the first one here; the start is the 22nd.
        guard fields.count >= 20, let state = fields[0].first, !"ZXx".utf8.contains(state) else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // A page is more than either file has, and the kernel hands them out in one piece.
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
