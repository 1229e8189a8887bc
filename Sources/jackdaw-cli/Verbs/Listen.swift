#if Command
import ArgumentParser
import JackdawALSA
import JackdawBluetooth
import JackdawDSP
import JackdawCryptography
import JackdawLinux
import JackdawReaders
import JackdawSystem
import JackdawTransport

struct Listen: Verb {
    static let configuration = CommandConfiguration(
        abstract: "Read card swipes live, from a sound card or a reader.",
        discussion: """
            Each swipe is printed as soon as it is decoded. A swipe that cannot be decoded prints one line with the \
            reason on standard error. On a terminal, a status line shows the level. The capture gain follows the level \
            of the swipes, and all levels are restored at the end. After a sound card is unplugged, listen waits until \
            it is back. Account numbers and names are masked; expiry and service code stay visible.

            With --reader, listen identifies the reader and requests swipes again and again. Each event prints one \
            line: a swipe shows the masked account number and the names of its encrypted parts, with --reveal also \
            their contents. Without --reader, the received bytes are counted; --reveal prints them as hexadecimal \
            digits. sim:FAMILY is a simulated reader in this process, at which a few test cards are swiped.

            With --key-file, listen decrypts swipes of \(String.words(KeyScheme.families, "and")), as frame \
            does. A key that is published for tests is refused unless --test-cards is given. A simulated reader (sim:) \
            encrypts its test cards with the key, which must be a published one.

            A reader in the headphone jack of a sound card (\(Self.onJack(alone: true).joined(separator: ", "))) \
            gets its power from the jack: set the volume to maximum and unplug headphones first. Readers of \
            \(String.words(Self.onJack(alone: false), "and")) have a battery, and a line code that --profile must supply.

            A reader over Bluetooth, on a network (tcp:) or on a serial line (pty:) is reconnected whenever the link \
            is lost, until interrupted. If it cannot be connected, the reason is printed at once and then once a \
            minute. On a terminal, an error that retrying cannot fix (no permission, no such device, no such service) \
            ends the command; with --keep-trying it does not. A ble: reader whose service is unknown needs --service \
            and --notify. If programs may not use Bluetooth sockets, --route bluetoothd connects an rfcomm: reader \
            through bluetoothd.

            READERS
            \(String.listing(ReaderFamily.all.map { ($0.name, "\($0.title) (\($0.provenance))") }))

            EXIT CODES
              0   at least one swipe was read before the input (wav:, replay:) ended,
                  --swipes was reached or --timeout passed
              1   the input ended or --timeout passed, and no swipe was read; with
                  --key-file, --timeout passed and no swipe was decrypted
              64  usage; not the name of a link; no such channel
              65  the transcript (replay:) is of another conversation; the profile is
                  invalid, or for another reader family; the key is invalid, is
                  published for tests, or decrypted no swipe
              66  the profile or the key file is missing or not readable, or other
                  users can write the key file
              69  the device is missing, busy or not permitted; the reader does not
                  answer, or has disconnected for good
              74  I/O error; the transcript (record:) has the maximum size that can
                  be played back, or the disk is full
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
            A sound card: alsa:NAME, as jackdaw devices lists it (default: alsa:default); a sound file: wav:FILE; or a \
            reader: rfcomm:ADDRESS, ble:ADDRESS, tcp:HOST:PORT, pty:PATH or sim:FAMILY. record:FILE,LINK keeps a \
            masked transcript of a reader's link, and replay:FILE plays it back.
            """,
            valueName: "link"),
        completion: .list(LinkArgument.completions), transform: LinkArgument.read)
    var link = LinkName(.alsa, "default")

    @Option(
        help: "Reader family; a simulated reader (sim:) has its own.",
        completion: .list(ReaderFamily.all.map(\.name)), transform: FamilyArgument.read)
    var reader: ReaderFamily?

    @Option(
        help: ArgumentHelp(
            "JSON file of values that replace those of the reader family; - for standard input.", valueName: "file"
        ),
        completion: .file(extensions: ["json"]))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "End after this many swipes; without --reader, bytes without a pause of 0.5 s count as one swipe.",
            valueName: "number"))
    var swipes: Int?

    @Flag(help: "End after one swipe.")
    var once = false

    @Option(help: ArgumentHelp("End after this time, with exit code 1 if no swipe was read.", valueName: "s"))
    var timeout: Double?

    @Flag(help: "If the link cannot be opened, retry after any error, as a service does.")
    var keepTrying = false

    @Option(help: "Channel to decode: a number from 1, or all.")
    var channel: ChannelChoice = .all

    @Option(help: "Track to report: any, 1, 2 or 3.")
    var track: TrackChoice = .any

    @Option(
        help: ArgumentHelp(
            "Frames per second (default: 48000 if the card offers a choice, else its own rate).", valueName: "Hz"))
    var rate: Double?

    @Option(help: "Capture gain: auto follows the level of the swipes, keep does not change it.")
    var gain = GainChoice.auto

    @Flag(help: "Print one JSON object for each track, as decode does, or for each event of a reader.")
    var json = false

    @Flag(help: "Report failed swipes on standard output, between the tracks.")
    var failures = false

    @Flag(help: "Print account numbers, names and track data in clear.")
    var reveal = false

    @Option(
        help: ArgumentHelp(
            "Keep the sound of the swipes: card data in clear. FILE.json lists the position of each swipe.",
            valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var record: String?

    @Option(help: "Software that connects an rfcomm: reader; bluetoothd finds the channel itself.")
    var route = RouteChoice.kernel

    @OptionGroup
    var decryption: DecryptionArguments

    @Flag(help: "Allow a key that is published for tests: only test cards are swiped.")
    var testCards = false

    @OptionGroup
    var gatt: GATTArguments

    func validate() throws {
        if ![.alsa, .wav].contains(link.scheme), record != nil || rate != nil {
            throw ValidationError("Omit --record and --rate: \(link) carries no sound.")
        }
        if route == .bluetoothd, link.scheme != .rfcomm || link.address.contains("/") {
            throw ValidationError("Use --link rfcomm:ADDRESS, without a channel, for --route bluetoothd.")
        }
        let isHeard = reader?.carriers.contains(.audio) ?? false
        let scheme = carrier.scheme
        if reader != nil, scheme == .wav || (scheme == .alsa && !isHeard) {
            throw ValidationError("Omit --reader: \(link) carries the sound of swipes, not the bytes of a reader.")
        }
        if reader?.carriers == [.audio], [.rfcomm, .ble, .tcp, .pty].contains(scheme) {
            throw ValidationError("Use --link alsa:NAME: this --reader is on a jack, and \(link) carries no sound.")
        }
        if family != nil, track != .any || gain != .auto || channel.index != nil || failures {
            throw ValidationError(
                "Omit --track, --gain, --channel and --failures: they apply to swipes in sound, not to a reader's.")
        }
        if isHeard, scheme == .alsa, record != nil || rate != nil {
            throw ValidationError("Omit --record and --rate: they apply to swipes in sound, not to a reader's.")
        }
        if profile != nil {
            guard let reader else { throw ValidationError("Give --reader with --profile.") }
            guard link.simulatedFamily == nil else {
                throw ValidationError(
                    "Use jackdaw simulate \(reader.name) --profile instead: \(link) takes no profile."
                )
            }
        }
        guard swipes ?? 1 > 0 else { throw ValidationError("--swipes must be at least 1.") }
        guard !once || swipes == nil else { throw ValidationError("Give either --once or --swipes.") }
        guard timeout.map({ $0 > 0 && $0 <= Self.longestTimeout }) ?? true else {
            throw ValidationError("--timeout must be more than 0 and at most \(Int(Self.longestTimeout)).")
        }
        if decryption.keyFile != nil {
            guard let family else { throw ValidationError("Give --reader with --key-file.") }
            guard KeyScheme.published(for: family.name) != nil else {
                throw ValidationError("Omit --key-file: the encryption of \(family.name) swipes is not published.")
            }
            guard decryption.keyFile != "-" || profile != "-" else {
                throw ValidationError("Only one of key and profile comes from standard input.")
            }
        }
        guard decryption.keyFile != nil || !testCards else {
            throw ValidationError("Give --key-file with --test-cards.")
        }
        if record == "-" { throw ValidationError("--record needs a file: the results go to standard output.") }
    }

    func run(on console: Console) throws(CommandError) -> ExitStatus {
        // A closed output pipe must not end the command before it has restored the levels.
        Interruption.ignoreClosedPipes()
        guard [.alsa, .wav].contains(link.scheme), reader == nil else {
            return try run(on: console, BluetoothSystem())
        }
        return try run(on: console, LiveSystem())
    }

    /// Runs the verb with the given system's sound devices.
    func run(on console: Console, _ system: LiveSystem) throws(CommandError) -> ExitStatus {
        var configuration = StreamConfiguration()
        configuration.sampleRate = rate
        // With one channel a device that converts would mix the tracks of a head.
        configuration.leastChannels = max(2, (channel.index ?? 0) + 1)
        let deadline = limit.map { system.now() + $0 }
        let isLate = { deadline.map { system.now() >= $0 } ?? false }
        guard let port = try open(configuration, system, console, isLate) else { return nothing(on: console) }
        if let record {
            console.message("\(record): will hold the sound of cards: anyone who has the file can read the cards")
        }
        var session = try LiveSession(live, port, system, console)
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

    /// The families of the audio jack: those without another carrier, which have no battery, or the others.
    private static func onJack(alone: Bool) -> [String] {
        ReaderFamily.all.filter { $0.carriers.contains(.audio) && ($0.carriers == [.audio]) == alone }.map(\.name)
    }

    /// Seconds, one week; a longer run needs no timeout.
    private static let longestTimeout = 604_800.0

    var live: LiveOptions {
        LiveOptions(
            link: link, channel: channel, track: track, most: most, followsLevel: gain == .auto, json: json,
            failures: failures, reveal: reveal, record: record)
    }

    /// The number of swipes after which to end; nil for no limit.
    var most: Int? { once ? 1 : swipes }

    /// The time after which to end; nil for no limit.
    private var limit: Duration? { timeout.map { .seconds($0) } }

    private func nothing(on console: Console) -> ExitStatus {
        console.message(lateness().message)
        return .nothingFound
    }

    /// The error if the timeout passed and no swipe was read, or no swipe with the given outcome.
    private func lateness(_ outcome: String = "") -> CommandError {
        CommandError(.nothingFound, "\(link): no swipe \(outcome)within \(fixed(timeout ?? 0, 1)) s")
    }

    /// Opens the port that captures sound; with `--keep-trying` until that succeeds.
    /// - Returns: nil if the timeout came first.
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
            // The pipe has sent no header in time, or until Ctrl-C.
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

    /// The link itself, without a transcript around it.
    private var carrier: LinkName { link.recording?.link ?? link }

    /// The family of the reader; nil if only its bytes are counted.
    private var family: ReaderFamily? { reader ?? link.simulatedFamily }

    /// The link that carries the bytes, or carried them when a transcript of it was recorded.
    private var recordedLink: LinkName {
        guard carrier.scheme == .replay else { return link }
        // A file that cannot be read is an error when the link is opened.
        let header = try? TranscriptHeader(contentsOf: carrier.address, link: link.description)
        return header.flatMap { try? LinkName(parsing: $0.link) } ?? link
    }

    /// The signals at the reader's jack; nil if the link carries bytes.
    private func jackSound(_ profile: ReaderProfile?) throws(CommandError) -> ReaderSound? {
        guard carrier.scheme == .alsa, let reader else { return nil }
        do throws(ReaderError) {
            return try reader.makeSound(profile)
        } catch {
            throw CommandError(.unavailable, "\(link): \(error)")
        }
    }

    /// Runs the verb with the given system's links.
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
        // Some simulated readers use synthetic values that differ from those of real ones.
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
        // The mask keeps the bytes that a playback of the transcript needs.
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

    /// Runs the work until it ends or the timeout passes.
    /// - Parameters:
    ///   - output: is finished after the work.
    ///   - console: writes the output.
    ///   - system: provides the clock.
    ///   - late: returns the error if the timeout has passed; nil if enough was read.
    ///   - work: the work.
    /// - Returns: the exit status.
    /// - Throws: ``CommandError``: the work's error, or one if the timeout passed without a swipe.
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

    /// A connector for a link that is opened only once; with `--keep-trying` it repeats failed attempts.
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

    /// The decryption of swipes, and the system whose simulated readers encrypt them with the same key.
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
        // A simulated reader or a playback has no live card.
        let isLive = link.simulatedFamily == nil && !link.isTranscript && !testCards
        let decryptor = try decryption.decryptor(key, isLive ? .live : .test)
        return (LiveDecryption(decryptor, isRevealed: reveal), system)
    }

    /// Rejects the transcript of a conversation: without a family the driver sends nothing, and a playback goes on only
    /// after the recorded requests are sent again.
    private func refuseConversations() throws(CommandError) {
        guard carrier.scheme == .replay else { return }
        do throws(LinkError) {
            let transcript = try Transcript(contentsOf: carrier.address, link: link.description)
            guard transcript.entries.contains(where: \.isSent) else { return }
        } catch {
            throw CommandError(error)
        }
        throw CommandError(
            .usage, "\(link): name the family with --reader: the transcript has requests to the reader")
    }

    /// The listener that keeps the link open.
    private func listener(
        _ service: GATTProfile?, _ persistence: KeptLink.Persistence, _ output: LiveOutput
    ) -> ReaderListener {
        ReaderListener(
            link: link, profile: service, route: route.route, persistence: persistence, output: output)
    }

    /// The GATT service of a Bluetooth Low Energy reader, from the command line or its profile; nil for other links.
    private func lowEnergy(_ profile: ReaderProfile) throws(CommandError) -> GATTProfile? {
        guard carrier.scheme == .ble, gatt.profile == nil else { return gatt.profile }
        do throws(ReaderError) {
            return try GATTProfile(profile)
        } catch {
            throw CommandError(.unavailable, "\(link): give --service and --notify: \(error)")
        }
    }

    /// The closure that opens the link.
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
    /// Whether the entry records sent bytes.
    fileprivate var isSent: Bool { if case .sent = event { true } else { false } }
}

/// The software that connects a reader over RFCOMM.
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

/// How to handle the capture gain.
enum GainChoice: String, ExpressibleByArgument, CaseIterable {
    case auto
    case keep
}
#endif
