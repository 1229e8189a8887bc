import ArgumentParser
import Testing

@testable import jackdaw_cli

@Suite struct HelpTests {
    static let verbs = JackdawCommand.configuration.subcommands.map { $0._commandName }

    @Test(arguments: verbs)
    func everyVerbHasAnExampleAndJSON(verb: String) {
        let run = CommandRun(verb, "--help")
        #expect(run.status == 0)
        #expect(run.output.contains("EXAMPLES\n  jackdaw \(verb)"))
        #expect(run.output.contains("--json"))
        #expect(run.messages.isEmpty)
    }

    @Test func theVersionIsTold() {
        #expect(CommandRun("--version").output == "\(JackdawCommand.version)\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsGetTheirCompletions(shell: String) {
        let run = CommandRun("--generate-completion-script", shell)
        #expect(run.status == 0)
        for verb in Self.verbs { #expect(run.output.contains(verb)) }
    }
}
