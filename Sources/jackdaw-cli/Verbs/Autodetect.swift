#if Command
import ArgumentParser
import JackdawLinux
import JackdawReaders
import JackdawTransport
import SwipeController

struct Autodetect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "autodetect",
        abstract: "Find out which reader is on the audio jack.",
        discussion: """
            Autodetection listens first. If that is not enough, it asks, then sets the volume to maximum and plays \
            loud tones: take headphones off and unplug loudspeakers first. IPS Enterprise, IPS and UniMag are tried in \
            turn, and each has 5 seconds to answer from its first test on; the family last found at this sound card is \
            tried first. A family whose protocol is not known well enough is not tried, unless --profile supplies it. \
            The volume is restored at the end.

            The result is printed first, then the evidence: the level before any tone, and for each family the number \
            of tests, the answer and its time.

            EXIT CODES
              0   a reader was found
              1   no reader was found or powered up, or the tones were declined
              64  usage; not the name of a link
              65  the profile is invalid, or for another reader family
              66  the profile is missing or not readable
              69  the sound card is missing, busy or not permitted
              74  I/O error
              130 interrupted

            EXAMPLES
              jackdaw autodetect
              jackdaw autodetect --link alsa:hw:1,0 --yes --json
              jackdaw autodetect --link alsa:hw:1,0 --profile ips.json
              jackdaw autodetect --link sim:unimag --yes
            """)

    @Option(
        help: ArgumentHelp(
            """
            The sound card: alsa:NAME, as jackdaw devices lists it; or a simulated jack: sim:unimag, sim:ips, \
            sim:ipsenterprise or sim:none.
            """,
            valueName: "link"),
        transform: LinkArgument.read)
    var link = LinkName(.alsa, "default")

    @Flag(help: "Play loud tones if they are needed, without asking.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "JSON file of values that replace those of a reader family; - for standard input. May be repeated.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var profile: [String] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Neither use nor store the family that was found at this sound card.")
    var noMemory = false

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        // A closed output pipe must not end the command before it has restored the volume.
        Interruption.ignoreClosedPipes()
        let profiles = try profile.map { (path) throws(CommandError) in try Self.profile(path) }
        guard Set(profiles.map(\.family)).count == profiles.count else {
            throw CommandError(.usage, "give one profile for each family: several are for the same family")
        }
        let jack: LinuxSwipeEnvironment
        do throws(LinkError) {
            jack = try environment.swipeEnvironment(link, profiles, noMemory ? .none : .standard)
        } catch {
            throw CommandError(error)
        }
        let conversation = try Conversation()
        let interaction = TerminalInteraction(
            conversation: conversation, agreesToAll: yes, isTerminal: environment.isTerminal)
        let found = try conversation.run(on: console, isInterrupted: environment.isInterrupted) {
            [link] () async throws(CommandError) in
            let search = AutodetectSearch(jack, interaction, conversation, link)
            return try await search.run(clock: environment.clock)
        }
        guard let (report, isActivated) = found else {
            console.message("\(link): nothing is plugged in")
            return .nothingFound
        }
        if json {
            let object = AutodetectReport(
                link: link, report: report, isActivated: isActivated, time: environment.wallClock.now()
            ).object
            console.result(object)
        } else {
            for line in "\(report)".split(separator: "\n") { console.result("\(line)") }
        }
        guard let family = report.found else { return .nothingFound }
        if !isActivated { console.message("\(link): the \(family) reader was found and not powered up") }
        return isActivated ? .done : .nothingFound
    }

    /// Reads a profile of one of the families that autodetection searches for.
    private static func profile(_ path: String) throws(CommandError) -> ReaderProfile {
        let given = try ProfileFile.read(path)
        let families = AudioJackReaderType.allCases.compactMap(\.family).compactMap { ReaderFamily.named($0) }
        guard let family = families.first(where: { $0.name == given.family }) else {
            throw CommandError(
                .badData, "\(SmallFile.name(of: path)): \(given.family) is not a family that autodetect tries"
            )
        }
        do throws(ReaderError) {
            _ = try family.profile.with(given)
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): \(error)")
        }
        return given
    }
}
#endif
