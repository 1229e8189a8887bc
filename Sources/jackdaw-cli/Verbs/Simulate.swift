#if Command
import ArgumentParser
import JackdawBytes
import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTransport

struct Simulate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Offer a simulated reader to other programs, or to another machine.",
        discussion: """
            Each program that connects gets a reader of its own, until interrupted; an spm20 with a virtual card is \
            one terminal for all, which knows earlier payments. The reader presents cards one \
            after the other, each --delay seconds after it starts to wait for one. All of them are test cards. Other \
            machines find a Bluetooth serial port (rfcomm:); programs on this computer connect to a TCP port (tcp:) or \
            to a terminal (pty), whose reader starts with the first bytes that it receives. The link to open is \
            printed for tcp: and pty. Readers for the audio jack are simulated in sound, on a sound card (alsa:) that \
            is connected to another one, such as one end of a loopback (modprobe snd-aloop).

            Swipes are sent in clear, or with --key-file encrypted as by the family's readers \
            (\(KeyScheme.families.joined(separator: ", "))). The file has a key that is published for tests, in \
            hexadecimal digits: a fixed key, or a DUKPT base derivation key, whose serial number (KSN) starts at \
            \(SwipeEncryptor.testSerialNumber.hexadecimal) and counts up with each swipe. \
            An ID TECH reader encrypts with AES after --setting 4C=32, and uses the original layout after --setting \
            85=30.

            READERS
            \(String.listing(SimulatedFamily.all.map { ($0.name, ReaderFamily.named($0.name)?.title ?? "") }
                    + [("echo", "sends received bytes back, to test links")]))

            CARDS
              \(SimulatedCard.deck.map(\.name).joined(separator: ", "))

            KEY SCHEMES
            \(KeyScheme.listing(KeyScheme.allCases.filter { $0 != .aesDataEncryption }))

            FAULTS
              \(ReaderFault.allCases.map(\.rawValue).joined(separator: ", "))

            EXIT CODES
              64  usage
              65  the profile is invalid, or for another reader family; the key is
                  invalid, or not published for tests
              66  the profile or the key file is missing or not readable, or other
                  users can write the key file
              69  the reader cannot be offered at this link
              74  the system has no free pseudo-terminal
              130 interrupted

            EXAMPLES
              jackdaw simulate miura --link tcp:127.0.0.1:4000
              jackdaw simulate idtech --link pty --card visa --card expired --delay 5
              jackdaw simulate magtek --link tcp:127.0.0.1:0 --fault late:1-2 --json
              jackdaw simulate idtech --link pty --key-file key.txt --setting 4C=32
              jackdaw simulate unimag --link alsa:hw:Loopback,1,0
              jackdaw simulate miura --link tcp:127.0.0.1:4000 --virtual-card sda
              jackdaw simulate echo --link rfcomm:1
            """)

    @Argument(
        help: "Reader family, or echo.", completion: .list(ReaderChoice.names),
        transform: ReaderChoice.read)
    var reader: ReaderChoice

    @Option(
        help: ArgumentHelp(
            "Link to offer: tcp:127.0.0.1:PORT (0: any free port), pty, rfcomm:CHANNEL (1 to 30) or alsa:DEVICE.",
            valueName: "link"),
        completion: .list(["tcp:127.0.0.1:", "pty", "rfcomm:", "alsa:"]), transform: ReaderOffer.read)
    var link: ReaderOffer

    @Option(
        help: ArgumentHelp(
            "JSON file of values that replace those of the reader family; - for standard input.", valueName: "file"
        ),
        completion: .file(extensions: ["json"]))
    var profile: String?

    @Option(
        help: ArgumentHelp("Card to present, by name. May be repeated (default: all).", valueName: "name"),
        completion: .list(SimulatedCard.deck.map(\.name)),
        transform: { name in
            guard let card = SimulatedCard.named(name) else {
                let known = SimulatedCard.deck.map(\.name).joined(separator: ", ")
                throw ValidationError("No card is named \(name); there are \(known).")
            }
            return card
        })
    var card: [SimulatedCard] = []

    @Option(
        help: ArgumentHelp(
            "Virtual card with its cardholder, for jackdaw emv pay, instead of test cards: a name in "
                + "\(String.words(PaymentFiles.decks, "or")), or a JSON file. For the readers "
                + "\(Self.paymentReaders).",
            valueName: "card"),
        completion: .file(extensions: ["json"]))
    var virtualCard: String?

    @Option(help: "How the cards are presented.")
    var manner = MannerChoice.swiped

    @Option(help: ArgumentHelp("Time until each card is presented, 0 to 3600.", valueName: "s"))
    var delay = 1.0

    @Option(
        help: ArgumentHelp(
            "Fault, and the messages of the reader that have it, numbered from 0 (default: all). May be repeated.",
            valueName: "name[:first[-last]]"),
        completion: .list(ReaderFault.allCases.map(\.rawValue)), transform: FaultArgument.read)
    var fault: [PlannedFault] = []

    @Option(help: ArgumentHelp("Charge of the battery, 0 to 100 (default: 80).", valueName: "percent"))
    var battery: Int?

    @Option(help: ArgumentHelp("Firmware version that the reader reports.", valueName: "text"))
    var firmware: String?

    @Option(
        help: ArgumentHelp(
            "Encrypt swipes with the published test key in this file, in hexadecimal digits; - for standard input.",
            valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: "Key scheme of the reader, from the list above (default: that of its maker).",
        completion: .list(KeyScheme.allCases.map(\.rawValue)), transform: KeySchemeArgument.read)
    var keyScheme: KeyScheme?

    @Option(
        help: ArgumentHelp(
            "Set a reader setting: its number and bytes in hexadecimal digits. May be repeated.",
            valueName: "number=bytes"),
        transform: SettingArgument.read)
    var setting: [ReaderSetting] = []

    @Option(help: ArgumentHelp("Seed of the random bytes.", valueName: "number"))
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    func validate() throws {
        guard (0...3600).contains(delay) else { throw ValidationError("--delay must be 0 to 3600.") }
        guard (0...100).contains(battery ?? 0) else { throw ValidationError("--battery must be 0 to 100.") }
        guard (firmware ?? " ").utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), (firmware ?? "").utf8.count <= 64
        else { throw ValidationError("--firmware must be at most 64 ASCII characters.") }
        if case .echo = reader,
            !card.isEmpty || !fault.isEmpty || battery != nil || firmware != nil || profile != nil || keyFile != nil
                || !setting.isEmpty
        {
            throw ValidationError(
                "Omit the reader's options: echo has no cards, faults, battery, firmware, profile, key and settings.")
        }
        if virtualCard != nil {
            guard paymentReader != nil || swipeReader != nil else {
                throw ValidationError("--virtual-card is for \(Self.paymentReaders).")
            }
            guard card.isEmpty, manner == .swiped else {
                throw ValidationError("Give --virtual-card without --card and --manner.")
            }
            guard swipeReader != nil || (profile == nil && keyFile == nil) else {
                throw ValidationError("Give --virtual-card without --profile and --key-file.")
            }
        }
        let carriers = ReaderFamily.named(reader.name)?.carriers ?? []
        if carriers == [.audio], !isOnCard {
            throw ValidationError("\(reader.name) is a reader for the audio jack: offer it at alsa:DEVICE.")
        }
        if !carriers.contains(.audio), isOnCard {
            throw ValidationError(
                "Use another --link: \(reader.name) is not a reader for the audio jack, and alsa: carries no bytes.")
        }
        guard keyFile != nil || keyScheme == nil else {
            throw ValidationError("Give --key-file with --key-scheme.")
        }
        guard keyFile == nil || profile == nil else {
            throw ValidationError("Give either --profile or --key-file.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let values = try profileValues()
        let plan = try plan(values, console, environment)
        if case .card(let link) = link, let plan { return try simulate(plan, values, on: link, console, environment) }
        let conversation = try Conversation()
        let isJSON = json
        let wallClock = environment.wallClock
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
        let serve: @Sendable (any Transport) async -> Void = { [clock = environment.clock] link in
            tell(link.link, "connected", plan == nil ? 0 : nil)
            if let plan {
                await plan.serve(link, clock: clock)
                tell(link.link, "ended", nil)
            } else {
                tell(link.link, "ended", await Self.echo(link))
            }
        }
        try conversation.run(on: console, isInterrupted: environment.isInterrupted) {
            [offer = link, name = "Jackdaw \(reader.name)"] () async throws(CommandError) in
            do throws(LinkError) {
                try await offer.serve(
                    name, environment,
                    announce: { link in
                        if isJSON { tell(link, "offered", nil) } else { conversation.result("\(link)") }
                    }, warn: { conversation.message($0) }, serve)
            } catch {
                throw CommandError(error)
            }
        }
        return .done
    }

    /// The reader's kind, if it takes payments.
    private var paymentReader: PaymentLink? { PaymentLink(name: "sim:\(reader.name)") }

    /// The reader on the audio jack at which a virtual card is swiped.
    private var swipeReader: SwipeLink? { SwipeLink(family: reader.name) }

    private static let paymentReaders = String.words(
        PaymentLink.linked.map(\.reader) + SwipeLink.all.map(\.family), "and")

    private var isOnCard: Bool { if case .card = link { true } else { false } }

    /// Simulates the reader in sound until the user interrupts it.
    private func simulate(
        _ plan: ReaderPlan, _ values: ReaderProfile?, on link: LinkName, _ console: Console,
        _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitStatus {
        func tell(_ event: String) {
            guard json else { return console.message("\(link): \(event)") }
            var object = JSONObject()
            object.add("link", link.description)
            object.add("event", event)
            object.add(time: environment.wallClock.now())
            console.result(object)
            console.flush()
        }
        guard let sound = try jackSound(values) else {
            throw CommandError(.usage, "the signals at the jack of \(reader.name) readers are unknown")
        }
        do throws(LinkError) {
            try environment.simulateJack(
                link, sound, { !environment.isInterrupted() && !console.hasFailed },
                { hasPower in tell(hasPower ? "has power" : "has no power") },
                plan.makeReader)
        } catch {
            throw CommandError(error)
        }
        try environment.checkInterruption()
        return .done
    }

    /// The signals at the reader's jack, from the profile if there is one.
    private func jackSound(_ values: ReaderProfile?) throws(CommandError) -> ReaderSound? {
        guard let known = ReaderFamily.named(reader.name) else { return nil }
        do throws(ReaderError) {
            return try known.makeSound(values ?? known.simulatedProfile)
        } catch {
            throw CommandError(.badData, "\(error)")
        }
    }

    /// The profile's values, over those of the simulated reader. Read once, because the profile may be on standard
    /// input.
    private func profileValues() throws(CommandError) -> ReaderProfile? {
        guard let profile, let known = ReaderFamily.named(reader.name) else { return nil }
        return try ProfileFile.read(profile, over: known.simulatedProfile, of: known)
    }

    /// The simulated reader that the options describe; nil for the echo.
    private func plan(
        _ values: ReaderProfile?, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> ReaderPlan? {
        guard case .family(let family) = reader else { return nil }
        var plan = ReaderPlan(model: try model(of: family, values, console, environment))
        if let virtualCard {
            if swipeReader != nil { plan.deck = try swipes(of: virtualCard) }
        } else {
            plan.deck = (card.isEmpty ? SimulatedCard.deck : card).map {
                Presentation($0, manner.manner, after: .seconds(delay))
            }
        }
        plan.faults = fault
        plan.seed = seed
        if let battery { plan.device.battery = battery }
        if let firmware { plan.device.firmware = firmware }
        for setting in setting { plan.device.settings[setting.number] = setting.value }
        // A program that was killed, or whose link was lost, asks the terminal how its payment ended.
        if virtualCard != nil, paymentReader == .spm20 { plan.share(clock: environment.clock) }
        return plan
    }

    /// The swipes of a virtual card by its cardholder.
    private func swipes(of card: String) throws(CommandError) -> [Presentation] {
        let setup = try PaymentFiles(card: card, deck: nil).setup(payer: nil, issuer: nil)
        let swipes = setup.swipes(after: .seconds(delay))
        guard !swipes.isEmpty else {
            throw CommandError(.usage, "\(card): this cardholder does not swipe the card")
        }
        return swipes
    }

    /// The model of the reader, with the profile or the key if there is one.
    private func model(
        of family: SimulatedFamily, _ values: ReaderProfile?, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> any ReaderModel {
        if let keyFile { return try model(of: family, with: environment.key(keyFile, console), from: keyFile) }
        if let virtualCard, let paymentReader {
            let setup = try PaymentFiles(card: virtualCard, deck: nil).setup(payer: nil, issuer: nil)
            return setup.terminal(of: paymentReader, LibCryptoPrimitives(mode: .test)) ?? family.makeModel()
        }
        guard let profile, let values else { return family.makeModel() }
        do throws(ReaderError) {
            return try family.makeModel(values)
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: profile)): \(error)")
        }
    }

    private func model(
        of family: SimulatedFamily, with key: consuming SecretBytes, from path: String
    ) throws(CommandError) -> any ReaderModel {
        let encryptor = try SwipeEncryptor.forReader(
            of: family.name, key, keyScheme, from: path)
        guard let model = family.makeModel(cipher: encryptor) else {
            let way = keyScheme.map { " by \($0.rawValue)" } ?? ""
            throw CommandError(.usage, "the encryption of \(family.name) readers\(way) is not published")
        }
        return model
    }

    /// Sends received bytes back until the link ends.
    /// - Returns: the number of bytes received.
    private static func echo(_ link: any Transport) async -> Int {
        var count = 0
        do throws(LinkError) {
            while true {
                var bytes: [UInt8] = []
                // The bytes may be card data, so wipe them even if sending fails.
                defer { bytes.wipe() }
                let goesOn = try await link.receive { received in
                    bytes = received.indices.map { received[$0] }
                }
                guard goesOn else { break }
                count += bytes.count
                try await link.send(bytes)
            }
        } catch {
            // Errors end this link only; the next connection is served.
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
    /// - Throws: `ValidationError` that lists the known names if there is no such reader.
    static func read(_ name: String) throws -> ReaderChoice {
        guard name != "echo" else { return .echo }
        guard let family = SimulatedFamily.named(name) else {
            throw ValidationError("Unknown reader \(name); known readers: \(names.joined(separator: ", ")).")
        }
        guard ReaderFamily.named(family.name)?.carriers != [.lowEnergy] else {
            throw ValidationError(
                "Use jackdaw listen --link sim:\(name): \(name) uses Bluetooth Low Energy, which cannot be offered.")
        }
        return .family(family)
    }
}

/// The ways of presenting cards.
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
