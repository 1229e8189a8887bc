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
