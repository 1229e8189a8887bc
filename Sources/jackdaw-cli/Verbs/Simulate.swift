#if Command
import ArgumentParser
import JackdawDecryption
import JackdawLinux
import JackdawReaders
import JackdawSimulator
import JackdawTransport

struct Simulate: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Offer a simulated reader to other programs, or to another machine.",
        discussion: """
            Each program that connects has a reader of its own, until interrupted. Cards are presented one after the \
            other, each some time after the reader began to wait for one. All of them are test cards. A serial port of \
            Bluetooth (rfcomm:) is found by other machines; a TCP port is for programs of this computer; pty makes a \
            terminal, whose reader begins with the first bytes that it is sent. The link to open is printed for both. \
            Readers for the audio jack are simulated in sound, on a sound card (alsa:) that plays to and hears another, \
            such as one end of a loopback (modprobe snd-aloop).

            Swipes are sent in clear, or with a key encrypted as the family's readers do (btmag, edynamo, idtech, ips, \
            magtek, neo, unimag). The key is one that is published for tests, in a file of hexadecimal digits: the base derivation key of \
            DUKPT, whose serial number (KSN) begins with \(SwipeEncryptor.testSerialNumber.map(\.hexadecimal).joined()
                    .uppercased()) and counts on with each swipe, or a fixed key. \
            An ID TECH reader encrypts by AES when it is set so (4C=32), and has the original layout with 85=30.

            READERS
            \(String.listing(SimulatedFamily.all.map { ($0.name, ReaderFamily.named($0.name)?.title ?? "") }
                    + [("echo", "sends back what it receives: to try links with")]))

            CARDS
              \(SimulatedCard.deck.map(\.name).joined(separator: ", "))

            KEY SCHEMES
              \(KeyScheme.allCases.filter { $0 != .aesDataEncryption }.map(\.rawValue).joined(separator: ", "))

            FAULTS
              \(ReaderFault.allCases.map(\.rawValue).joined(separator: ", "))

            EXIT CODES
              64  usage
              65  a profile cannot be, or is of another family; a key is none, or no published one
              66  the file of the profile or of the key is missing, or may not be read; other users can write the key
              69  it cannot be offered there
              74  the system has no terminal to spare
              130 interrupted

            EXAMPLES
              jackdaw simulate miura --link tcp:127.0.0.1:4000
              jackdaw simulate idtech --link pty --card visa --card expired --delay 5
              jackdaw simulate magtek --link tcp:127.0.0.1:0 --fault late:1-2 --json
              jackdaw simulate idtech --link pty --key-file key.txt --setting 4C=32
              jackdaw simulate unimag --link alsa:hw:Loopback,1,0
              jackdaw simulate echo --link rfcomm:1
            """)

    @Argument(
        help: "The reader: a family by name, or echo.", completion: .list(ReaderChoice.names),
        transform: ReaderChoice.read)
    var reader: ReaderChoice

    @Option(
        help: ArgumentHelp(
            "Where it is offered: tcp:127.0.0.1:PORT (0 is any), pty, rfcomm: and a channel from 1 to 30, or alsa:DEVICE.",
            valueName: "link"),
        transform: ReaderOffer.read)
    var link: ReaderOffer

    @Option(
        help: ArgumentHelp(
            "Values in the place of those of the reader's family, in JSON; - for standard input.", valueName: "file"
        ),
        completion: .file(extensions: ["json"]))
    var profile: String?

    @Option(
        help: ArgumentHelp("A card to present, by name; again for more (default: all of them).", valueName: "name"),
        completion: .list(SimulatedCard.deck.map(\.name)),
        transform: { name in
            guard let card = SimulatedCard.named(name) else {
                let known = SimulatedCard.deck.map(\.name).joined(separator: ", ")
                throw ValidationError("No card is named \(name); there are \(known).")
            }
            return card
        })
    var card: [SimulatedCard] = []

    @Option(help: "How the cards are presented.")
    var manner = MannerChoice.swiped

    @Option(help: ArgumentHelp("How long the reader waits for each card, 0 to 3600.", valueName: "s"))
    var delay = 1.0

    @Option(
        help: ArgumentHelp(
            "What goes wrong, with which messages of the reader, counted from 0 (default: all); again for more.",
            valueName: "name[:first[-last]]"),
        transform: FaultArgument.read)
    var fault: [PlannedFault] = []

    @Option(help: ArgumentHelp("How full the battery is, 0 to 100 (default: 80).", valueName: "percent"))
    var battery: Int?

    @Option(help: ArgumentHelp("What the reader says of its software.", valueName: "text"))
    var firmware: String?

    @Option(
        help: ArgumentHelp(
            "Encrypt swipes with the key in a file, one that is published for tests; - for standard input.",
            valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: "By which key it encrypts; where it is not said, as its maker says.",
        completion: .list(KeyScheme.allCases.map(\.rawValue)), transform: KeySchemeArgument.read)
    var keyScheme: KeyScheme?

    @Option(
        help: ArgumentHelp(
            "How the reader is set up: number and bytes of a setting in hexadecimal digits; again for more.",
            valueName: "number=bytes"),
        transform: SettingArgument.read)
    var setting: [ReaderSetting] = []

    @Option(help: ArgumentHelp("Where the bytes of chance come from.", valueName: "number"))
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object an event.")
    var json = false

    func validate() throws {
        guard (0...3600).contains(delay) else { throw ValidationError("--delay goes from 0 to 3600") }
        guard (0...100).contains(battery ?? 0) else { throw ValidationError("--battery goes from 0 to 100") }
        guard (firmware ?? " ").utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), (firmware ?? "").utf8.count <= 64
        else { throw ValidationError("--firmware takes up to 64 characters of ASCII") }
        if case .echo = reader,
            !card.isEmpty || !fault.isEmpty || battery != nil || firmware != nil || profile != nil || keyFile != nil
                || !setting.isEmpty
        {
            throw ValidationError("echo has no cards, faults, battery, software, profile, key and settings")
        }
        let carriers = ReaderFamily.named(reader.name)?.carriers ?? []
        if carriers == [.audio], !isOnCard {
            throw ValidationError("\(reader.name) is a reader for the audio jack: offer it at alsa:DEVICE")
        }
        if !carriers.contains(.audio), isOnCard {
            throw ValidationError(
                "\(reader.name) is no reader for the audio jack: a sound card carries none of its bytes")
        }
        guard keyFile != nil || keyScheme == nil else {
            throw ValidationError("--key-scheme says how a key is used: give it with --key-file, too.")
        }
        guard keyFile == nil || profile == nil else {
            throw ValidationError("--profile and --key-file do not go together")
        }
    }

    func run(on console: Console) throws(CommandError) -> ExitStatus { try run(on: console, BluetoothSystem()) }

    /// Does the work with a system's links.
    func run(on console: Console, _ system: BluetoothSystem) throws(CommandError) -> ExitStatus {
        let values = try profileValues()
        let plan = try plan(values, console)
        if case .card(let link) = link, let plan { return try simulate(plan, values, on: link, console, system) }
        let conversation = try Conversation()
        let isJSON = json
        let wallClock = system.wallClock
        let tell: @Sendable (LinkName, String, Int?) -> Void = { link, event, count in
            guard isJSON else {
                let bytes = (count ?? 0) > 0 ? ", \(counted(count ?? 0, "byte"))" : ""
                return conversation.message("\(link): \(event)\(bytes)")
            }
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add("count", count)
            object.add(time: wallClock.now())
            conversation.result(object)
        }
        let serve: @Sendable (any Transport) async -> Void = { [clock = system.clock] link in
            tell(link.link, "connected", plan == nil ? 0 : nil)
            if let plan {
                await plan.serve(link, clock: clock)
                tell(link.link, "ended", nil)
            } else {
                tell(link.link, "ended", await Self.echo(link))
            }
        }
        try conversation.run(on: console, isInterrupted: system.isInterrupted) {
            [offer = link, name = "Jackdaw \(reader.name)"] () async throws(CommandError) in
            do throws(LinkError) {
                try await offer.serve(
                    name, system,
                    announce: { link in
                        if isJSON { tell(link, "offered", nil) } else { conversation.result("\(link)") }
                    }, warn: { conversation.message($0) }, serve)
            } catch {
                throw CommandError(error)
            }
        }
        return .done
    }

    private var isOnCard: Bool { if case .card = link { true } else { false } }

    /// Simulates the reader in sound until it is interrupted.
    private func simulate(
        _ plan: ReaderPlan, _ values: ReaderProfile?, on link: LinkName, _ console: Console,
        _ system: BluetoothSystem
    ) throws(CommandError) -> ExitStatus {
        func tell(_ event: String) {
            guard json else { return console.message("\(link): \(event)") }
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add(time: system.wallClock.now())
            console.result(object)
            console.flush()
        }
        guard let sound = try jackSound(values) else {
            throw CommandError(.usage, "what goes through the jack of \(reader.name) readers is not known")
        }
        do throws(LinkError) {
            try LinuxDevices.simulate(
                link, sound, while: { !system.isInterrupted() && !console.hasFailed },
                { hasPower in tell(hasPower ? "has power" : "has no power") },
                plan.makeReader)
        } catch {
            throw CommandError(error)
        }
        if system.isInterrupted() { throw .interrupted }
        return .done
    }

    /// What goes through the reader's jack, by the profile where there is one.
    private func jackSound(_ values: ReaderProfile?) throws(CommandError) -> ReaderSound? {
        guard let known = ReaderFamily.named(reader.name) else { return nil }
        do throws(ReaderError) {
            return try known.makeSound(values ?? known.simulatedProfile)
        } catch {
            throw CommandError(.badData, "\(error)")
        }
    }

    /// The profile's values, over those of the simulated reader: read once, as it may be on standard input.
    private func profileValues() throws(CommandError) -> ReaderProfile? {
        guard let profile, let known = ReaderFamily.named(reader.name) else { return nil }
        return try ProfileFile.read(profile, over: known.simulatedProfile, of: known)
    }

    /// What the options make of the reader; nil for the echo.
    private func plan(_ values: ReaderProfile?, _ console: Console) throws(CommandError) -> ReaderPlan? {
        guard case .family(let family) = reader else { return nil }
        var plan = ReaderPlan(model: try model(of: family, values, console))
        plan.deck = (card.isEmpty ? SimulatedCard.deck : card).map {
            Presentation($0, manner.manner, after: .seconds(delay))
        }
        plan.faults = fault
        plan.seed = seed
        if let battery { plan.device.battery = battery }
        if let firmware { plan.device.firmware = firmware }
        for setting in setting { plan.device.settings[setting.number] = setting.value }
        return plan
    }

    /// How the reader behaves, by the profile or with the key where there is one.
    private func model(
        of family: SimulatedFamily, _ values: ReaderProfile?, _ console: Console
    ) throws(CommandError) -> any ReaderModel {
        if let keyFile { return try model(of: family, withKeyIn: keyFile, console) }
        guard let profile, let values else { return family.makeModel() }
        do throws(ReaderError) {
            return try family.makeModel(values)
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: profile)): \(error)")
        }
    }

    private func model(
        of family: SimulatedFamily, withKeyIn path: String, _ console: Console
    ) throws(CommandError) -> any ReaderModel {
        let encryptor = try SwipeEncryptor.forReader(
            of: family.name, try KeyFile.read(path, console), keyScheme, from: path)
        guard let model = family.makeModel(cipher: encryptor) else {
            let way = keyScheme.map { " by \($0.rawValue)" } ?? ""
            throw CommandError(.usage, "how readers of \(family.name) encrypt\(way) is not published")
        }
        return model
    }

    /// Sends back what comes until it ends.
    /// - Returns: how many bytes came.
    private static func echo(_ link: any Transport) async -> Int {
        var count = 0
        do throws(LinkError) {
            while true {
                var bytes: [UInt8] = []
                // They may be card data, whether they can be sent or not.
                defer { bytes.removeWiping() }
                let goesOn = try await link.receive { received in
                    bytes = received.indices.map { received[$0] }
                }
                guard goesOn else { break }
                count += bytes.count
                try await link.send(bytes)
            }
        } catch {
            // It ends as it does, and the next one may come.
        }
        await link.close()
        return count
    }
}

/// The readers that can be simulated.
enum ReaderChoice {
    case echo
    case family(SimulatedFamily)

    static let names =
        SimulatedFamily.all.map(\.name).filter { ReaderFamily.named($0)?.carriers != [.lowEnergy] } + ["echo"]

    var name: String {
        switch self {
        case .echo: "echo"
        case .family(let family): family.name
        }
    }

    /// Finds a reader by its name.
    /// - Throws: `ValidationError` with the names that there are.
    static func read(_ name: String) throws -> ReaderChoice {
        guard name != "echo" else { return .echo }
        guard let family = SimulatedFamily.named(name) else {
            throw ValidationError("No reader is named \(name); there are \(names.joined(separator: ", ")).")
        }
        guard ReaderFamily.named(name)?.carriers != [.lowEnergy] else {
            throw ValidationError(
                "\(name) speaks over Bluetooth Low Energy, which cannot be offered; listen to sim:\(name).")
        }
        return .family(family)
    }
}

/// How cards are presented.
enum MannerChoice: String, ExpressibleByArgument, CaseIterable {
    case swiped
    case swipedInVain = "swiped-in-vain"
    case inserted
    case removed
    case unreadable
    case tapped
    case swipedWithChip = "swiped-with-chip"

    var manner: Presentation.Manner {
        switch self {
        case .swiped: .swiped
        case .swipedInVain: .swipedInVain
        case .inserted: .inserted
        case .removed: .removed
        case .unreadable: .unreadable
        case .tapped: .tapped
        case .swipedWithChip: .swipedWithChip
        }
    }
}
#endif
