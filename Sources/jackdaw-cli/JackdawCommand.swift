#if Command
import ArgumentParser
import Glibc

@main
struct JackdawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jackdaw",
        abstract: "Read magnetic stripe cards from sound and card readers; decode and make modem sound.",
        discussion: """
            Account numbers and cardholder names are masked in all output unless --reveal is given; expiry and \
            service code stay visible. demodulate writes the decoded bytes unmasked.

            jackdaw pay runs jackdaw-pay, the command for payments, if it is installed.

            EXIT CODES
              0   success
              1   nothing decoded or found, or a payment not approved
              64  usage
              65  invalid data
              66  input missing or not readable
              69  device or program missing or busy
              74  I/O error; standard output is full or closed
              75  the end of a payment is not known yet
              129 hung up (SIGHUP)
              130 interrupted (SIGINT, Ctrl-C)
              141 the output pipe was closed (SIGPIPE); listen exits with 74 instead
              143 terminated (SIGTERM)

            EXAMPLES
              jackdaw synth -o swipe.wav && jackdaw decode swipe.wav
              jackdaw modulate --mode v23 -o hello.wav <<< hello && jackdaw demodulate hello.wav
              jackdaw --generate-completion-script bash > jackdaw.bash
            """,
        version: version,
        subcommands: [
            Decode.self, Synth.self, Demodulate.self, Modulate.self, Inspect.self, Listen.self, Devices.self,
            Pair.self, Frame.self, EMV.self, Simulate.self, VirtualCardVerb.self, Autodetect.self, Bench.self,
        ])

    /// The version of the command and its library.
    static let version = "0.2.0"

    static func main() {
        CoreFile.forbid()
        StandardDescriptors.fill()
        let arguments = Operands.ofProcess
        if arguments.first == "pay" {
            let failure = PayProgram.run(Array(arguments.dropFirst()))
            Console.standard().message(failure.message)
            Glibc.exit(failure.status.rawValue)
        }
        do {
            var command = try command(of: arguments)
            try command.run()
        } catch {
            let code = exitCode(for: error)
            // A mistyped command line may contain card data, which the message must not repeat.
            let text = fullMessage(for: error)
            let console = Console.standard()
            console.conclude(code.isSuccess ? text : text.hidingKeysAndNumbers, isResult: code.isSuccess)
            Glibc.exit(console.reportFailure() ? ExitStatus.inputOutput.rawValue : code.rawValue)
        }
    }

    /// Parses a command line into a command.
    /// - Throws: the parser's error, or a `ValidationError` that suggests a verb if the first word is nearly one.
    static func command(of arguments: [String]) throws -> any ParsableCommand {
        do {
            return try parseAsRoot(Operands.pack(arguments))
        } catch {
            guard let word = arguments.first, let verb = verb(like: word) else { throw error }
            throw ValidationError("Unknown verb '\(word)'. Did you mean '\(verb)'?")
        }
    }

    /// The verb that differs from a word by at most two letters; nil if there is no such verb, or the word is a verb.
    private static func verb(like word: String) -> String? {
        let verbs = configuration.subcommands.map { $0._commandName }
        guard !verbs.contains(word), word.allSatisfy({ $0.isLetter }) else { return nil }
        let near = verbs.map { (verb: $0, distance: word.distance(to: $0)) }
        guard let best = near.min(by: { $0.distance < $1.distance }), best.distance <= min(2, word.count / 3) else {
            return nil
        }
        return best.verb
    }
}

extension String {
    /// The edit distance (Levenshtein): how many letters must be changed, added or removed to get the other word.
    fileprivate func distance(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (index, letter) in self.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in letters.indices {
                let changed = diagonal + (letter == letters[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[letters.count]
    }
}

#else
/// The program of a build without the `Command` trait, for packages that only use the library.
@main
enum JackdawCommand {
    static func main() { Console.standard().message("enable the package trait Command to build the command") }
}
#endif
