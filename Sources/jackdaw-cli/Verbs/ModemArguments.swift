#if Command
import ArgumentParser
import JackdawDSP

/// How bits stand on the line: in characters, such as 8N1, or one after the other.
enum FramingChoice: ExpressibleByArgument {
    case characters(CharacterFraming)
    case bits

    private static let raw = "raw"

    init?(argument: String) {
        if argument.lowercased() == Self.raw {
            self = .bits
        } else if let framing = CharacterFraming(notation: argument) {
            self = .characters(framing)
        } else {
            return nil
        }
    }

    /// What a shell offers. Not `allValueStrings`, which the help gives for all that there are.
    static var defaultCompletionKind: CompletionKind { .list(["8N1", "7E1", "7O1", "8N2", raw]) }

    func code(_ shift: FrequencyShift) -> LineMode.Code {
        switch self {
        case .characters(let framing): .frequencyShift(shift, framing)
        case .bits: .frequencyShiftBits(shift)
        }
    }
}

/// What `modulate` and `demodulate` know of the line code: a named mode, or tones and baud.
struct ModemOptions: ParsableArguments {
    /// Finds the mode out.
    static let auto = "auto"
    private static let names = LineMode.all.map(\.name) + [auto]

    @Option(
        help: ArgumentHelp("A mode of jackdaw demodulate --list; auto finds it out.", valueName: "name"),
        completion: .list(names))
    var mode: String?

    @Option(help: ArgumentHelp("Instead of a mode: bits a second, 50 to 9600.", valueName: "rate"))
    var baud: Double?

    @Option(help: ArgumentHelp("Frequency of a 1.", valueName: "hz"))
    var mark: Double?

    @Option(help: ArgumentHelp("Frequency of a 0.", valueName: "hz"))
    var space: Double?

    @Option(
        help: ArgumentHelp(
            "Data bits (5 to 8), parity (N, E, O) and stop bits (1, 1.5, 2); with -msb behind, the most significant "
                + "bit goes first. raw: bits without start and stop, eight a byte, the most significant one first.",
            valueName: "8N1"))
    var framing: FramingChoice?

    func validate() throws {
        _ = try chosen()
    }

    /// The mode that is asked for; nil to find it out.
    func chosen() throws -> LineMode? {
        let given = [baud, mark, space]
        if given.contains(where: { $0 != nil }) {
            guard let baud, let mark, let space else {
                throw ValidationError("--baud, --mark and --space go together: give all three.")
            }
            guard mode == nil else {
                throw ValidationError("Give either --mode or --baud, --mark and --space.")
            }
            let shift = FrequencyShift(baud: baud, mark: mark, space: space)
            let code = (framing ?? .characters(.eightNoneOne)).code(shift)
            return try possible(LineMode(name: "fsk", summary: "given tones", code: code))
        }
        guard let mode, mode != Self.auto else {
            if case .bits = framing {
                throw ValidationError("Raw bits need a --mode, or --baud, --mark and --space.")
            }
            return nil
        }
        let named: LineMode
        do throws(LineCodeError) {
            named = try LineMode(named: mode)
        } catch {
            throw ValidationError("\(error.message). jackdaw demodulate --list says what they are.")
        }
        guard let framing else { return named }
        guard let framed = named.framed(framing) else {
            throw ValidationError("The framing of \(named.name) cannot be chosen.")
        }
        return framed
    }

    /// A mode that some sample rate holds.
    private func possible(_ mode: LineMode) throws -> LineMode {
        do throws(LineCodeError) {
            _ = try mode.encoder(sampleRate: FrequencyShift.sampleRates.upperBound)
        } catch {
            throw ValidationError(error.message)
        }
        return mode
    }

    /// The mode that is asked for, or all that it may be.
    var candidates: [LineMode] {
        if let chosen = try? chosen() { return [chosen] }
        guard let framing else { return LineMode.all }
        return LineMode.all.compactMap { $0.framed(framing) }
    }
}

extension LineMode {
    /// The mode with another framing; nil where a mode has none that can be chosen.
    fileprivate func framed(_ framing: FramingChoice) -> LineMode? {
        keying.shift.map { LineMode(name: name, summary: summary, code: framing.code($0)) }
    }
}
#endif
