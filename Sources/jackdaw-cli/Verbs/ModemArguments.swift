#if Command
import ArgumentParser
import JackdawDSP

/// The framing of bits on the line: characters, such as 8N1, or raw bits without framing.
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

    /// The completions that a shell offers. `allValueStrings` would also add every value to the help.
    static var defaultCompletionKind: CompletionKind { .list(["8N1", "7E1", "7O1", "8N2", raw]) }

    func code(_ shift: FrequencyShift) -> LineMode.Code {
        switch self {
        case .characters(let framing): .frequencyShift(shift, framing)
        case .bits: .frequencyShiftBits(shift)
        }
    }
}

/// The line code of `modulate` and `demodulate`: a named mode, or tones and baud.
struct ModemOptions: ParsableArguments {
    /// The name that stands for detection of the mode.
    static let auto = "auto"
    private static let names = LineMode.all.map(\.name) + [auto]

    @Option(
        help: ArgumentHelp("Mode, as jackdaw demodulate --list lists it; auto detects it.", valueName: "name"),
        completion: .list(names))
    var mode: String?

    @Option(help: ArgumentHelp("Instead of a mode: bits per second, 50 to 9600.", valueName: "rate"))
    var baud: Double?

    @Option(help: ArgumentHelp("Frequency of a 1.", valueName: "hz"))
    var mark: Double?

    @Option(help: ArgumentHelp("Frequency of a 0.", valueName: "hz"))
    var space: Double?

    @Option(
        help: ArgumentHelp(
            "Data bits (5 to 8), parity (N, E, O) and stop bits (1, 1.5, 2); append -msb for the most "
                + "significant bit first. raw: no start and stop bits, eight bits a byte, most significant bit first.",
            valueName: "8N1"))
    var framing: FramingChoice?

    func validate() throws {
        _ = try chosen()
    }

    /// The mode that the options select; nil to detect it.
    func chosen() throws -> LineMode? {
        let given = [baud, mark, space]
        if given.contains(where: { $0 != nil }) {
            guard let baud, let mark, let space else {
                throw ValidationError("Give --baud, --mark and --space together.")
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
            throw ValidationError("\(error.message). jackdaw demodulate --list describes them.")
        }
        guard let framing else { return named }
        guard let framed = named.framed(framing) else {
            throw ValidationError("Omit --framing: the framing of \(named.name) is fixed.")
        }
        return framed
    }

    /// Checks that some sample rate supports a mode.
    private func possible(_ mode: LineMode) throws -> LineMode {
        do throws(LineCodeError) {
            _ = try mode.encoder(sampleRate: FrequencyShift.sampleRates.upperBound)
        } catch {
            throw ValidationError(error.message)
        }
        return mode
    }

    /// The mode that the options select, or all possible modes.
    var candidates: [LineMode] {
        if let chosen = try? chosen() { return [chosen] }
        guard let framing else { return LineMode.all }
        return LineMode.all.compactMap { $0.framed(framing) }
    }
}

extension LineMode {
    /// The mode with another framing; nil if its framing cannot be chosen.
    fileprivate func framed(_ framing: FramingChoice) -> LineMode? {
        keying.shift.map { LineMode(name: name, summary: summary, code: framing.code($0)) }
    }
}
#endif
