#if Command
import ArgumentParser
import Glibc

@main
struct JackdawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jackdaw",
        abstract: "Reads magnetic stripe cards and modems from sound, and makes such sound.",
        discussion: """
            Account numbers and cardholders' names are masked in all output unless --reveal asks for them; expiry and \
            service code stay visible. What demodulate reads are bytes, which it gives as they are.

            EXIT CODES
              0   done
              1   nothing decoded or found
              64  usage
              65  bad data
              66  no such input
              69  device or program missing or busy
              74  I/O error; standard output is full, closed, or its reader has gone
              129 hung up (SIGHUP)
              130 interrupted (SIGINT, Ctrl-C)
              141 the reader of the output has gone (SIGPIPE); listen ends with 74 instead
              143 terminated (SIGTERM)

            EXAMPLES
              jackdaw synth -o swipe.wav && jackdaw decode swipe.wav
              jackdaw modulate --mode v23 -o hello.wav <<< hello && jackdaw demodulate hello.wav
              jackdaw --generate-completion-script bash > jackdaw.bash
            """,
        version: version,
        subcommands: [
            Decode.self, Synth.self, Demodulate.self, Modulate.self, Inspect.self, Listen.self, Devices.self,
            Pair.self, Frame.self, Simulate.self, Autodetect.self, Bench.self,
        ])

    /// The version of the command and its library.
    static let version = "0.1.0"

    static func main() {
        CoreFile.forbid()
        StandardDescriptors.fill()
        do {
            var command = try command(of: Operands.ofProcess)
            try command.run()
        } catch {
            let code = exitCode(for: error)
            // A mistyped command line may hold card data; what is said about it must not.
            let text = fullMessage(for: error)
            let console = Console.standard()
            console.conclude(code.isSuccess ? text : text.hidingKeysAndNumbers, isResult: code.isSuccess)
            Glibc.exit(console.reportFailure() ? ExitStatus.inputOutput.rawValue : code.rawValue)
        }
    }

    /// The command of a command line.
    /// - Throws: what is wrong with it; if its first word is nearly a verb, which one may be meant.
    static func command(of arguments: [String]) throws -> any ParsableCommand {
        do {
            return try parseAsRoot(Operands.pack(arguments))
        } catch {
            guard let word = arguments.first, let verb = verb(like: word) else { throw error }
            throw ValidationError("There is no verb '\(word)'. Did you mean '\(verb)'?")
        }
    }

    /// The verb that a word is one or two letters away from; nil if there is none, or it is a verb.
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
    /// How many letters to change, add or leave out make another word of this one.
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
/// Built without the `Command` trait: a library consumer's build, which has no use for the command.
@main
enum JackdawCommand {
    static func main() { Console.standard().message("built without the command: enable the package trait Command") }
}
#endif
