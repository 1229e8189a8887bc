#if Command
import ArgumentParser
import JackdawEMV
import JackdawSimulator
import JackdawTransport

struct ReplayPayment: Verb {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Step a recorded payment forward and back, and go on from any step otherwise.",
        discussion: """
            The file is a recording of jackdaw emv pay --record. Its events go through the payment flow again; state, \
            time limit and effects of each step must be those of the recording.

            On a terminal the steps are shown one by one: n or Enter shows the next, p the previous, a number that \
            step; a ANSWER goes on from the step with another answer, and q quits. Else all steps are printed.

            An answer is an event of host or terminal, such as host_approved, host_declined, host_unreachable, \
            host_bad_response, ac2_tc, ac2_aac, card_removed, link_lost, cancel, crash or timer, the end of the time \
            limit. Several are separated by commas. After them nothing answers any more, so that time limits end the \
            payment.

            EXIT CODES
              0   replayed
              1   a step differs from the recording
              64  usage
              65  the file is no recorded payment; the message names the line
              66  the file is missing or not readable
              74  the file or standard output cannot be read or written

            EXAMPLES
              jackdaw emv replay pay.txt
              jackdaw emv replay pay.txt --json
              jackdaw emv replay pay.txt --step 7 --answer host_declined
            """)

    @Argument(help: ArgumentHelp("The recording; - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Print only this step, from 1.", valueName: "number"))
    var step: Int?

    @Option(
        help: ArgumentHelp("Go on from the step with these answers.", valueName: "answers"),
        completion: .list(PaymentEvent.allCases.map(\.rawValue)))
    var answer: String?

    @Flag(help: "Print one JSON object for each step, and for the end.")
    var json = false

    func validate() throws {
        guard answer == nil || step != nil else { throw ValidationError("--answer needs --step.") }
        guard let answer else { return }
        guard Self.events(answer) != nil else {
            throw ValidationError("Unknown answer; docs/pay.md and docs/payment-flow.md list them.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let replay = PaymentReplay(try recording())
        let pages = PaymentPages(replay: replay, console: console, isJSON: json)
        if let step {
            guard step > 0, replay.steps.indices.contains(step - 1) else {
                throw CommandError(.usage, "--step must be 1 to \(replay.steps.count)")
            }
            pages.show(step - 1)
            if let answers = answer.flatMap(Self.events) { pages.goOn(from: step - 1, with: answers) }
        } else if environment.isTerminal, console.showsResults, !json, file != "-" {
            pages.turn(reading: environment.typedLine)
        } else {
            pages.showAll()
        }
        guard let difference = replay.difference else { return .done }
        console.message("step \(difference.index + 1) differs from the recording: \(difference)")
        return .nothingFound
    }

    private func recording() throws(CommandError) -> PaymentRecording {
        var text: [UInt8] = []
        try SmallFile.read(
            file, most: PaymentRecording.maxFileSize, tooMany: "too long for a recorded payment", into: &text)
        do throws(SimulationFileError) {
            return try PaymentRecording(text)
        } catch {
            let name = SmallFile.name(of: file)
            guard !text.starts(with: TranscriptHeader.beginning.utf8) else {
                throw CommandError(
                    .badData, "\(name): this is the transcript of a link, which --link replay:FILE plays back")
            }
            throw CommandError(.badData, "\(name): not a valid recording of a payment (\(error))")
        }
    }

    /// The events with names between commas; nil if one has no event, or there are too many.
    static func events(_ names: String) -> [PaymentEvent]? {
        let names = names.split(separator: ",", omittingEmptySubsequences: false)
        guard names.count <= PaymentReplay.maxAnswers else { return nil }
        let events = names.compactMap { PaymentEvent(rawValue: String($0)) }
        return events.count == names.count ? events : nil
    }
}

/// Shows the steps of a recorded payment.
private struct PaymentPages {
    let replay: PaymentReplay
    let console: Console
    let isJSON: Bool

    private var last: Int { replay.steps.count - 1 }

    /// Prints a step by its index.
    func show(_ index: Int) {
        let (step, messages) = (replay.steps[index], replay.messages[index])
        let journal = replay.journal(after: index)
        guard isJSON else {
            let title = "step \(index + 1) of \(last + 1)"
            PaymentStepReport.lines(step, title, journal: journal, messages).forEach(console.result)
            return
        }
        console.result(
            PaymentStepReport.json(
                step, number: index + 1, journal: journal, messages, isEqual: replay.difference?.index != index))
    }

    func showAll() {
        for index in replay.steps.indices { show(index) }
        end(replay.journal(after: last))
    }

    private func end(_ journal: PaymentJournal) {
        if isJSON {
            console.result(PaymentStepReport.json(journal.outcome, journal))
        } else {
            console.result(PaymentStepReport.end(journal.outcome, journal))
        }
    }

    /// Prints how the payment goes on from a step with other answers.
    func goOn(from index: Int, with answers: [PaymentEvent]) {
        let continuation = replay.continuation(after: index, with: answers)
        for (number, step) in continuation.steps.enumerated() {
            if isJSON {
                console.result(PaymentStepReport.json(step, number: nil))
            } else {
                PaymentStepReport.lines(step, "then \(number + 1)").forEach(console.result)
            }
        }
        end(continuation.journal)
    }

    /// Shows steps as commands say, until `q` or the end of the input.
    func turn(reading typedLine: () -> String?) {
        console.message("n next, p previous, a number, a ANSWER to go on otherwise, q quit")
        var index = 0
        show(index)
        console.flush()
        while let line = typedLine() {
            let words = line.split(separator: " ")
            switch words.first {
            case nil, "n": index = turn(to: index + 1, from: index)
            case "p": index = turn(to: index - 1, from: index)
            case "q": return
            case "a" where words.count == 2:
                if let events = ReplayPayment.events(String(words[1])) {
                    goOn(from: index, with: events)
                } else {
                    console.message("unknown answer; docs/payment-flow.md lists the events")
                }
            case let word?:
                if words.count == 1, word.utf8.count < 7, let number = Int(word) {
                    index = turn(to: number - 1, from: index)
                } else {
                    console.message("n, p, a number, a ANSWER or q")
                }
            }
            console.flush()
        }
    }

    /// Shows a step, if there is one.
    /// - Returns: its index; the old one if there is no such step.
    private func turn(to index: Int, from old: Int) -> Int {
        guard replay.steps.indices.contains(index) else {
            if index == last + 1 {
                end(replay.journal(after: last))
            } else {
                console.message("there are steps 1 to \(last + 1)")
            }
            return old
        }
        show(index)
        return index
    }
}
#endif
