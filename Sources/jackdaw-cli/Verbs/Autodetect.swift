#if Command
import ArgumentParser
import JackdawLinux
import JackdawReaders
import JackdawTransport
import SwipeController

struct Autodetect: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Find out which reader is on the audio jack.",
        discussion: """
            It listens first. Where that is not enough, it turns the volume to its most and plays loud tones, once you agree: \
            take headphones off and pull loudspeakers out before. UniMag, IPS and IPS Enterprise are tried in turn, for \
            5 seconds each; the one that was found last at this sound card comes first. A family of which too little is \
            known is not tried, unless a profile supplies it. The volume is put back at the end.

            What was found is printed, and then what was seen: how loud it was before any tone, and for each family how often \
            it was asked, what it answered and when.

            EXIT CODES
              0   a reader was found
              1   none was found or powered up, or tones were not agreed to
              64  usage; no name of a link
              65  a profile cannot be, or is of another family
              66  the file of a profile is missing, or may not be read
              69  the sound card is missing, busy, or may not be opened
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
            The sound card: alsa:NAME, as jackdaw devices lists them; or a simulated jack: sim:unimag, sim:ips, \
            sim:ipsenterprise or sim:none.
            """,
            valueName: "link"),
        transform: LinkArgument.read)
    var link = LinkName(.alsa, "default")

    @Flag(help: "Play loud tones where they are needed, without asking.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Values in the place of those of a family of readers, in JSON; - for standard input; again for more.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var profile: [String] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Do not remember what was found, nor go by what was found before.")
    var noMemory = false

    func run(on console: Console) throws(CommandError) -> ExitStatus {
        // A reader of its output that has gone must not keep it from putting the volume back.
        Interruption.ignoreClosedPipes()
        return try run(on: console, SwipeSystem())
    }

    /// Does the work with a system's jacks.
    func run(on console: Console, _ system: SwipeSystem) throws(CommandError) -> ExitStatus {
        let profiles = try profile.map { (path) throws(CommandError) in try Self.profile(path) }
        guard Set(profiles.map(\.family)).count == profiles.count else {
            throw CommandError(.usage, "several profiles are for the same family")
        }
        let environment: LinuxSwipeEnvironment
        do throws(LinkError) {
            environment = try system.environment(link, profiles, noMemory ? .none : .standard)
        } catch {
            throw CommandError(error)
        }
        let conversation = try Conversation()
        let interaction = TerminalInteraction(
            conversation: conversation, agreesToAll: yes, isTerminal: system.isTerminal)
        let found = try conversation.run(on: console, isInterrupted: system.isInterrupted) {
            [link] () async throws(CommandError) in
            let search = AutodetectSearch(environment, interaction, conversation, link)
            return try await search.run(clock: system.clock)
        }
        guard let (report, isActivated) = found else {
            console.message("\(link): nothing is plugged in")
            return .nothingFound
        }
        if json {
            let told = AutodetectReport(
                link: link, report: report, isActivated: isActivated, time: system.wallClock.now())
            console.result(told.object)
        } else {
            for line in "\(report)".split(separator: "\n") { console.result("\(line)") }
        }
        guard let family = report.found else { return .nothingFound }
        if !isActivated { console.message("\(link): the \(family) reader was found and not powered up") }
        return isActivated ? .done : .nothingFound
    }

    /// Reads a profile of one of the families that are looked for.
    private static func profile(_ path: String) throws(CommandError) -> ReaderProfile {
        let given = try ProfileFile.read(path)
        let families = ["unimag", "ips", "ipsenterprise"].compactMap { ReaderFamily.named($0) }
        guard let family = families.first(where: { $0.name == given.family }) else {
            throw CommandError(
                .badData, "\(SmallFile.name(of: path)): it is for \(given.family) readers, which are not looked for"
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
