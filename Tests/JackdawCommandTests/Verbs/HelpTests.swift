import ArgumentParser
import Foundation
import JackdawCryptography
import Testing

@testable import jackdaw_cli

@Suite struct HelpTests {
    /// All verbs; those in a group with the name of the group before them.
    static let verbs: [String] = JackdawCommand.configuration.subcommands.flatMap { verb in
        let group = verb.configuration.subcommands.map { "\(verb._commandName) \($0._commandName)" }
        return group.isEmpty ? [verb._commandName] : group
    }

    private static func help(_ verb: String) -> CommandRun {
        CommandRun(verb.split(separator: " ").map(String.init) + ["--help"])
    }

    @Test(arguments: verbs)
    func everyVerbHasAnExampleAndJSON(verb: String) {
        let run = Self.help(verb)
        #expect(run.status == 0)
        #expect(run.output.contains("EXAMPLES\n  jackdaw \(verb)"))
        #expect(run.output.contains("--json"))
        #expect(run.messages.isEmpty)
    }

    /// A wrapped line could not be copied to a shell.
    @Test(arguments: verbs) func examplesFitALine(verb: String) {
        let help = Self.help(verb).output
        let examples = help.components(separatedBy: "EXAMPLES\n").last?.components(separatedBy: "\n\n").first ?? ""
        for line in examples.components(separatedBy: "\n") { #expect(line.hasPrefix("  "), "\(line)") }
    }

    /// A channel may have a higher number than those that a shell completes.
    @Test(arguments: ["decode", "inspect"]) func noChannelIsLeftOut(verb: String) {
        #expect(!CommandRun(verb, "--help").output.contains("values: all, 1, 2"))
        #expect(!CommandRun(verb, "--channel", "0", "a.wav").messages.contains("one of"))
    }

    @Test(arguments: ["frame", "listen", "simulate", "emv pay"]) func theHelpListsTheKeySchemes(verb: String) {
        let help = Self.help(verb).output
        let section = help.components(separatedBy: "KEY SCHEMES\n").last?.components(separatedBy: "\n\n").first ?? ""
        let listed = section.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        let known = KeyScheme.allCases.filter { verb != "simulate" || $0 != .aesDataEncryption }
        #expect(listed == known.map(\.rawValue))
    }

    @Test func theVersionIsPrinted() {
        #expect(CommandRun("--version").output == "\(JackdawCommand.version)\n")
    }

    @Test(arguments: [
        ("decod", "decode"), ("decoed", "decode"), ("demodulat", "demodulate"), ("instpect", "inspect"),
        ("Listen", "listen"),
        ("device", "devices"),
    ])
    func aMistypedVerbIsCorrected(typed: String, meant: String) {
        for rest in [[], ["a.wav"], ["--json", "a.wav"]] {
            let run = CommandRun([typed] + rest)
            #expect(run.status == 64)
            #expect(run.messages.contains("'\(meant)'"))
        }
    }

    /// A word that resembles no verb may be card data, and gets no suggestion.
    @Test(arguments: ["x", "swipe", "4111111111111111", "--decod"]) func anythingElseIsNot(word: String) {
        let run = CommandRun(word)
        #expect(run.status == 64)
        #expect(!run.messages.contains("Did you mean"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsGetTheirCompletions(shell: String) {
        let run = CommandRun("--generate-completion-script", shell)
        #expect(run.status == 0)
        for word in Self.verbs.flatMap({ $0.split(separator: " ") }) { #expect(run.output.contains(word)) }
    }

    /// The manual has every option of the help, and no other.
    @Test func manualAndHelpHaveTheSameOptions() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let manual = try String(contentsOfFile: "\(root)/docs/jackdaw.1", encoding: .utf8)
        for verb in Self.verbs {
            let help = Self.help(verb).output.components(separatedBy: "OPTIONS:").last ?? ""
            let reported = Set(help.matches(of: /\n  (?:-o, )?--([a-z0-9]+)/).map { String($0.1) })
            let section = try #require(manual.components(separatedBy: "\n.Ss ").first { $0.hasPrefix("\(verb)\n") })
            let items = section.components(separatedBy: "\n").filter { $0.hasPrefix(".It Fl") }
            let written = items.flatMap { item in item.matches(of: #/ -([a-z0-9]+)/#).map { String($0.1) } }
            #expect(Set(written) == reported.subtracting(["version"]), "\(verb)")
        }
    }
}
