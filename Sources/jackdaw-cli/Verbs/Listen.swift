#if Command
import ArgumentParser
import JackdawALSA
import JackdawBluetooth
import JackdawDSP
import JackdawDecryption
import JackdawLinux
import JackdawReaders
import JackdawSystem
import JackdawTransport

struct Listen: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Read card swipes live, from a sound card or a reader.",
        discussion: """
            Each swipe is printed when it is read, within a blink; a swipe that could not be read gives one line on \
            standard error that says why. On a terminal a line shows the level. The capture gain follows what \
            is heard, and all levels are put back at the end. A card that is unplugged is waited for. \
            Account numbers and names are masked; expiry and service code stay visible.

            A reader of a family that is named with --reader is asked who it is and told to wait for a card, again and \
            again. Each thing that happens is a line: swipes as masked numbers and what was encrypted, and with \
            --reveal what they hold. Of any other reader the bytes are counted; --reveal prints them as hexadecimal \
            digits. sim:FAMILY is a simulated reader in this process, at which a few test cards are swiped.

            With --key-file swipes of btmag, edynamo, idtech, ips, magtek, neo and unimag are decrypted as frame does. A key \
            that is published for tests is refused unless only test cards are swiped (--test-cards). A simulated reader \
            (sim:) encrypts its test cards with the key, which has to be a published one.

            A reader in the headphone jack of a sound card (unimag, udynamo, hijack, flojack) gets the power that it lives \
            on from there: turn the volume all the way up before, and pull headphones out. One of ips or ipsenterprise has a \
            battery, and a line code that --profile has to supply.

            A reader over Bluetooth, on a network (tcp:) or a serial line (pty:) is connected again whenever it is \
            lost, until interrupted. If it cannot be connected, the reason is printed at once and then once a minute. On a \
            terminal a reason that waiting does not remove (no permission, no such device, no such service) ends the \
            command; --keep-trying goes on. One over ble: needs its service and characteristics. Where programs may not use \
            Bluetooth sockets, --route bluetoothd lets bluetoothd connect one over rfcomm:.

            READERS
            \(String.listing(ReaderFamily.all.map { ($0.name, "\($0.title) (\($0.provenance))") }))

            EXIT CODES
              0   something was read, and what stands in for a card or a reader (wav:, replay:) is over, there were as
                  many swipes as were wanted, or the time is over
              1   it is over, or the time is, and nothing was read; with --key-file, the time is over and nothing was
                  decrypted
              64  usage; no name of a link; no such channel
              65  a transcript (replay:) is of another conversation; a profile cannot be, or is of another family; a key
                  is none, is published for tests, or decrypted no swipe
              66  the file of the profile or of the key is missing, or may not be read; others can write the key's
              69  the device is missing, busy, or may not be opened; the reader does not answer, or has gone for good
              74  I/O error; a transcript (record:) has the greatest size that can be played back, or the disk is
                  full
              130 interrupted

            EXAMPLES
              jackdaw listen
              jackdaw listen --link alsa:hw:1,0 --once --timeout 30
              jackdaw listen --link alsa:hw:1,0 --json
              jackdaw listen --link wav:captures/speed_t2_05.wav
              jackdaw listen --link rfcomm:AA:BB:CC:DD:EE:FF --reader miura
              jackdaw listen --link pty:/dev/ttyACM0 --reader epos --profile epos.json
              jackdaw listen --link alsa:hw:1,0 --reader unimag
              jackdaw listen --link sim:miura --swipes 1
              jackdaw listen --link pty:/dev/ttyACM0 --reader idtech --key-file key.txt
            """)

    @Option(
        help: ArgumentHelp(
            """
            The sound card: alsa:NAME, as jackdaw devices lists them (default: alsa:default), or wav:FILE in its \
            place; or a reader: rfcomm:ADDRESS, ble:ADDRESS, tcp:HOST:PORT, pty:PATH or sim:FAMILY. \
            record:FILE,LINK keeps a transcript of a reader's link, masked, and replay:FILE plays it back.
            """,
            valueName: "link"),
        transform: LinkArgument.read)
    var link = LinkName(.alsa, "default")

    @Option(help: "The reader's family; that of a simulated one (sim:) is known.", transform: FamilyArgument.read)
    var reader: ReaderFamily?

    @Option(
        help: ArgumentHelp(
            "Values in the place of those of the reader's family, in JSON; - for standard input.", valueName: "file"
        ),
        completion: .file(extensions: ["json"]))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "End after so many swipes; without --reader bytes without a pause of half a second count as one.",
            valueName: "number"))
    var swipes: Int?

    @Flag(help: "End after one swipe.")
    var once = false

    @Option(help: ArgumentHelp("End after so long, with exit code 1 if nothing was read.", valueName: "s"))
    var timeout: Double?

    @Flag(help: "Try again whatever the reason that a link cannot be opened, as a service does.")
    var keepTrying = false

    @Option(help: "Channel to decode: a number from 1, or all.")
    var channel: ChannelChoice = .all

    @Option(help: "Track to report: any, 1, 2 or 3.")
    var track: TrackChoice = .any

    @Option(help: ArgumentHelp("Frames per second; the card's own where it is not told.", valueName: "Hz"))
    var rate: Double?

    @Option(help: "What to do with the capture gain: auto follows the swipes, keep leaves it alone.")
    var gain = GainChoice.auto

    @Flag(help: "Print one JSON object a track, as decode does, or an event of a reader.")
    var json = false

    @Flag(help: "Report swipes that could not be read on standard output, in between the tracks.")
    var failures = false

    @Flag(help: "Print account numbers, names and track data in clear.")
    var reveal = false

    @Option(
        help: ArgumentHelp(
            "Keep the sound of the swipes: card data in clear. FILE.json beside it says where each is.",
            valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var record: String?

    @Option(help: "Who connects a reader over rfcomm:. bluetoothd finds the channel itself.")
    var route = RouteChoice.kernel

    @OptionGroup
    var decryption: DecryptionArguments

    @Flag(help: "Only test cards are swiped: a key that is published for tests may decrypt them.")
    var testCards = false

    @OptionGroup
    var gatt: GATTArguments

    func validate() throws {
        if ![.alsa, .wav].contains(link.scheme), record != nil || rate != nil {
            throw ValidationError("--record and --rate are for sound, and \(link) has none")
        }
        if route == .bluetoothd, link.scheme != .rfcomm || link.address.contains("/") {
            throw ValidationError("--route bluetoothd takes --link rfcomm:ADDRESS, without a channel")
        }
        let isHeard = reader?.carriers.contains(.audio) ?? false
        let scheme = carrier.scheme
        if reader != nil, scheme == .wav || (scheme == .alsa && !isHeard) {
            throw ValidationError("--reader is for links of bytes and readers on a jack, and \(link) has sound")
        }
        if reader?.carriers == [.audio], [.rfcomm, .ble, .tcp, .pty].contains(scheme) {
            throw ValidationError("this --reader is on an audio jack, and \(link) has no sound")
        }
        if family != nil, track != .any || gain != .auto || channel.index != nil || failures {
            throw ValidationError(
                "--track, --gain, --channel and --failures are for swipes that are heard, not for a reader's")
        }
        if isHeard, scheme == .alsa, record != nil || rate != nil {
            throw ValidationError("--record and --rate are for swipes that are heard, not for a reader's")
        }
        if profile != nil {
            guard let reader else { throw ValidationError("--profile is for a reader whose --reader is named") }
            guard link.simulatedFamily == nil else {
                throw ValidationError(
                    "\(link) speaks as it is made up: offer a reader of \(reader.name) with jackdaw simulate --profile"
                )
            }
        }
        guard swipes ?? 1 > 0 else { throw ValidationError("--swipes begins at 1") }
        guard !once || swipes == nil else { throw ValidationError("--once is --swipes 1: give one of them") }
        guard timeout.map({ $0 > 0 && $0 <= Self.longestTimeout }) ?? true else {
            throw ValidationError("--timeout is more than 0 and no more than \(Int(Self.longestTimeout))")
        }
        if decryption.keyFile != nil {
            guard let family else { throw ValidationError("--key-file is for a reader whose --reader is known") }
            guard KeyScheme.published(for: family.name) != nil else {
                throw ValidationError("how swipes of \(family.name) are encrypted is not published")
            }
            guard decryption.keyFile != "-" || profile != "-" else {
                throw ValidationError("only one of key and profile comes from standard input")
            }
        }
        guard decryption.keyFile != nil || !testCards else {
            throw ValidationError("--test-cards says which keys may be used: give it with --key-file")
        }
        if record == "-" { throw ValidationError("--record needs a file: standard output has the cards") }
    }

    func run(on console: Console) throws(CommandError) -> ExitStatus {
        // A reader of its output that has gone must not keep it from putting the levels back.
        Interruption.ignoreClosedPipes()
        guard [.alsa, .wav].contains(link.scheme), reader == nil else {
            return try run(on: console, BluetoothSystem())
        }
        return try run(on: console, LiveSystem())
    }

    /// Does the work on a system's devices.
    func run(on console: Console, _ system: LiveSystem) throws(CommandError) -> ExitStatus {
        var configuration = StreamConfiguration()
        configuration.sampleRate = rate
        // A device that converts would mix the tracks of a head into one channel.
        configuration.leastChannels = max(2, (channel.index ?? 0) + 1)
        let deadline = limit.map { system.now() + $0 }
        let isLate = { deadline.map { system.now() >= $0 } ?? false }
        guard let port = try open(configuration, system, console, isLate) else { return nothing(on: console) }
        if let record {
            console.message("\(record): will hold the sound of cards, which anyone can read who has it")
        }
        var session = try LiveSession(self, port, system, console)
        do throws(CommandError) {
            while try session.receive(), !console.hasFailed, !isLate() {
                if system.isInterrupted() { throw .interrupted }
            }
        } catch {
            Interruption.giveTime()
            do throws(CommandError) {
                _ = try session.finish()
            } catch let other {
                console.message(other.message)
            }
            throw error
        }
        Interruption.giveTime()
        guard try session.finish() > 0 else {
            guard !isLate() else { return nothing(on: console) }
            console.message("nothing was read")
            return .nothingFound
        }
        return .done
    }

    /// A week: what is to run for longer has no end.
    private static let longestTimeout = 604_800.0

    /// After how many swipes it is enough; nil for no end.
    var most: Int? { once ? 1 : swipes }

    /// After how long it is enough; nil for no end.
    private var limit: Duration? { timeout.map { .seconds($0) } }

    private func nothing(on console: Console) -> ExitStatus {
        console.message(lateness().message)
        return .nothingFound
    }

    /// The end of a time in which no swipe came, or none of which this is true.
    private func lateness(_ outcome: String = "") -> CommandError {
        CommandError(.nothingFound, "\(link): no swipe \(outcome)within \(fixed(timeout ?? 0, 1)) s")
    }

    /// Opens what captures sound, again and again if that is wanted.
    /// - Returns: nil if the time was over before.
    private func open(
        _ configuration: StreamConfiguration, _ system: LiveSystem, _ console: Console,
        _ isLate: @escaping () -> Bool
    ) throws(CommandError) -> (any AudioPort)? {
        var retry = OpeningRetry(link, isWanted: keepTrying)
        while true {
            let failure: LinkError
            do throws(LinkError) {
                return try system.capture(link, configuration) { !isLate() && !system.isInterrupted() }
            } catch {
                failure = error
            }
            // A pipe has sent nothing.
            if failure.code == .cancelled {
                guard isLate() else { throw .interrupted }
                return nil
            }
            guard let (wait, report) = retry.next(after: failure) else { throw CommandError(failure) }
            if let report {
                if json {
                    var object = report.json
                    object.add(time: system.wallClock.now())
                    console.result(object)
                }
                console.message(report.message)
            }
            let end = system.now() + wait
            while case let rest = end - system.now(), rest > .zero {
                if system.isInterrupted() { throw .interrupted }
                if isLate() { return nil }
                system.sleep(min(.milliseconds(200), rest))
            }
        }
    }

    /// The link itself, of which a transcript may be kept.
    private var carrier: LinkName { link.recording?.link ?? link }

    /// The family of the reader that is listened to; nil where only its bytes are counted.
    private var family: ReaderFamily? { reader ?? link.simulatedFamily }

    /// The link that the bytes come over, or came over when a transcript of it was kept.
    private var recordedLink: LinkName {
        guard carrier.scheme == .replay else { return link }
        // A file that cannot be read is an error when the link is opened.
        let header = try? TranscriptHeader(contentsOf: carrier.address, link: link.description)
        return header.flatMap { try? LinkName(parsing: $0.link) } ?? link
    }

    /// What goes through the jack of the reader; nil where the link carries its bytes.
    private func jackSound(_ profile: ReaderProfile?) throws(CommandError) -> ReaderSound? {
        guard carrier.scheme == .alsa, let reader else { return nil }
        do throws(ReaderError) {
            return try reader.makeSound(profile)
        } catch {
            throw CommandError(.unavailable, "\(link): \(error)")
        }
    }

    /// Listens to a reader by a system's links.
    func run(on console: Console, _ system: BluetoothSystem) throws(CommandError) -> ExitStatus {
        if [.rfcomm, .ble].contains(link.scheme) { _ = try LinkArgument.device(link) }
        let conversation = try Conversation()
        let output = LiveOutput(
            link, isJSON: json, conversation, clock: system.clock, wallClock: system.wallClock)
        let persistence: KeptLink.Persistence =
            keepTrying ? .always : console.isWatched ? .onceFound : .whileItMayPass
        guard let family else {
            try refuseConversations()
            let listener = listener(gatt.profile, persistence, output)
            let teller = ByteTeller(output, isRevealed: reveal, most: most, clock: system.clock)
            return try run(output, on: console, system, late: { teller.hasReceived ? nil : lateness() }) {
                () throws(CommandError) in
                if link.canComeBack {
                    try await listener.run(system) { session in await teller.receive(session) }
                } else {
                    try await teller.run(connector(system, gatt.profile, sound: nil))
                }
                if teller.hasReceived { return .done }
                if !Task.isCancelled { output.message("\(link): nothing was read") }
                return .nothingFound
            }
        }
        // Some readers that are simulated in this process speak as no real one does.
        let own = recordedLink.simulatedFamily == nil ? family.profile : family.simulatedProfile
        let profile = try profile.map { (path) throws(CommandError) in
            try ProfileFile.read(path, over: own, of: family)
        }
        let sound = try jackSound(profile)
        let (live, links) = try decryption(of: family, system, console)
        let service = try lowEnergy(profile ?? own)
        let listening = try CardListener(
            link: link, family: family, profile: profile ?? own, output: output, isRevealed: reveal, most: most,
            clock: system.clock, decryption: live)
        // A transcript is masked so that it can be played back.
        let system = (try? family.makeMask(profile ?? own)).map(links.recording) ?? links
        let late: @Sendable () -> CommandError? = {
            listening.hasRead ? nil : lateness(listening.hasSwipe ? "was decrypted " : "")
        }
        return try run(output, on: console, system, late: late) {
            () throws(CommandError) in
            link.canComeBack && sound == nil
                ? try await listening.run(listener(service, persistence, output), system)
                : try await listening.run(
                    persistent(output, system, connector(system, service, sound: sound)))
        }
    }

    /// Runs what listens, for as long as is wanted.
    /// - Parameters:
    ///   - output: is ended with it.
    ///   - console: where it writes.
    ///   - system: measures the time.
    ///   - late: returns the error if the time is over, nil if what was read is enough.
    ///   - work: listens.
    /// - Returns: how it ended.
    /// - Throws: ``CommandError``: that of the work, or that the time was over and nothing read.
    private func run(
        _ output: LiveOutput, on console: Console, _ system: BluetoothSystem,
        late: @escaping @Sendable () -> CommandError?,
        _ work: @escaping @Sendable () async throws(CommandError) -> ExitStatus
    ) throws(CommandError) -> ExitStatus {
        let end = lateness()
        return try output.conversation.run(on: console, isInterrupted: system.isInterrupted) {
            [limit, clock = system.clock] () async throws(CommandError) in
            defer { output.finish() }
            do throws(CommandError) {
                return try await withDeadline(limit, of: clock, late: end, work)
            } catch {
                guard error.status == end.status else { throw error }
                if let late = late() { throw late }
                return .done
            }
        }
    }

    /// Opens a link that is not opened again when it is lost, as often as is wanted.
    private func persistent(
        _ output: LiveOutput, _ system: BluetoothSystem,
        _ connect: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) -> @Sendable () async throws(LinkError) -> any Transport {
        return { [link, keepTrying, clock = system.clock] () async throws(LinkError) in
            var retry = OpeningRetry(link, isWanted: keepTrying)
            while true {
                let failure: LinkError
                do throws(LinkError) {
                    return try await connect()
                } catch {
                    failure = error
                }
                guard !Task.isCancelled, let (wait, report) = retry.next(after: failure) else { throw failure }
                if let report { output.add(report) }
                guard (try? await clock.sleep(for: wait)) != nil else { throw failure }
            }
        }
    }

    /// What decrypts swipes, and the system with simulated readers that encrypt them with the same key.
    private func decryption(
        of family: ReaderFamily, _ system: BluetoothSystem, _ console: Console
    ) throws(CommandError) -> (LiveDecryption?, BluetoothSystem) {
        guard let path = decryption.keyFile else { return (nil, system) }
        let key = try KeyFile.read(path, console)
        var system = system
        if link.simulatedFamily != nil {
            let encryptor = try SwipeEncryptor.forReader(
                of: family.name, key, decryption.keyScheme, from: path)
            system = system.encrypting(with: encryptor)
        }
        // What is simulated or played back is no live card.
        let isLive = link.simulatedFamily == nil && !link.isTranscript && !testCards
        let decryptor = try decryption.decryptor(key, isLive ? .live : .test)
        return (LiveDecryption(decryptor, isRevealed: reveal), system)
    }

    /// Without a family nothing is sent, and a transcript goes on only when what was sent is sent again.
    private func refuseConversations() throws(CommandError) {
        guard carrier.scheme == .replay else { return }
        do throws(LinkError) {
            let transcript = try Transcript(contentsOf: carrier.address, link: link.description)
            guard transcript.entries.contains(where: \.isSent) else { return }
        } catch {
            throw CommandError(error)
        }
        throw CommandError(
            .usage, "\(link): it is the transcript of a conversation: name the reader's family with --reader")
    }

    /// What keeps the link open.
    private func listener(
        _ service: GATTProfile?, _ persistence: KeptLink.Persistence, _ output: LiveOutput
    ) -> ReaderListener {
        ReaderListener(
            link: link, profile: service, route: route.route, persistence: persistence, output: output)
    }

    /// Where the reader is reached over Bluetooth Low Energy, by the command line or its profile; nil over other links.
    private func lowEnergy(_ profile: ReaderProfile) throws(CommandError) -> GATTProfile? {
        guard carrier.scheme == .ble, gatt.profile == nil else { return gatt.profile }
        do throws(ReaderError) {
            return try GATTProfile(profile)
        } catch {
            throw CommandError(.unavailable, "\(link): \(error), or name --service and --notify")
        }
    }

    /// What opens the link.
    private func connector(
        _ system: BluetoothSystem, _ service: GATTProfile?, sound: ReaderSound?
    ) -> @Sendable () async throws(LinkError) -> any Transport {
        { [link, profile = service, route = route.route] () async throws(LinkError) in
            if let sound {
                return try await LinuxDevices.connect(link, sound: sound, secrecy: system.secrecy)
            }
            return try await system.connect(link, profile, route)
        }
    }
}

extension TranscriptEntry {
    /// Whether it is of something that was sent.
    fileprivate var isSent: Bool { if case .sent = event { true } else { false } }
}

/// Who connects a reader over RFCOMM.
enum RouteChoice: String, ExpressibleByArgument, CaseIterable {
    case kernel
    case bluetoothd

    var route: SerialRoute {
        switch self {
        case .kernel: .kernel
        case .bluetoothd: .bluetoothd
        }
    }
}

/// What is to be done with the capture gain.
enum GainChoice: String, ExpressibleByArgument, CaseIterable {
    case auto
    case keep
}
#endif
