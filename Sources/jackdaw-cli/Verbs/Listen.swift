#if Command
import ArgumentParser
import JackdawBluetooth
import JackdawCryptography
import JackdawLinux
import JackdawReaders
import JackdawSimulator
import JackdawTransport

struct Listen: Verb {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Read card swipes live, from a sound card or a reader.",
        discussion: """
            SOUND CARDS
            Each swipe is printed as soon as it is decoded; one that cannot be decoded prints a line with the reason \
            on standard error. On a terminal, a status line shows the level. The capture gain follows the level of the \
            swipes, and all levels are restored at the end. After a sound card is unplugged, listen waits until it is \
            back. Account numbers and names are masked; expiry and service code stay visible.

            READERS
            With --reader, listen identifies the reader and requests swipes again and again. Each event prints one \
            line; a swipe also prints a line with the fields of the card and one for each track, with --reveal in \
            clear and with the other parts of the swipe. If the family is unknown, omit --reader: the received bytes \
            are counted, and --reveal prints them as hexadecimal digits. sim:FAMILY, which needs no --reader, is a \
            simulated reader in this process, at which a few test cards are swiped. Some have names of their own: \
            \(String.words(SimulatedFamily.readers.map { "sim:\($0.name) (\($0.family))" }, "and")).

            A reader over Bluetooth (rfcomm:, ble:), on a network (tcp:) or on a serial line (pty:) is reconnected \
            whenever the link is lost. If it cannot be connected, the reason is printed at once and then once a \
            minute. On a terminal, an error that retrying cannot fix (no permission, no such device, no such service) \
            ends the command unless --keep-trying is given. A ble: reader of an unknown service needs --service and \
            --notify. If programs may not use Bluetooth sockets, --route bluetoothd connects an rfcomm: reader through \
            bluetoothd.

            A reader in the headphone jack of a sound card needs --link alsa:NAME and --reader. Readers of \
            \(String.words(Self.onJack(alone: true), "and")) get their power from the jack: set the volume to maximum \
            and unplug headphones first. Readers of \(String.words(Self.onJack(alone: false), "and")) have a battery, \
            and a line code that --profile must supply.

            With --key-file, listen decrypts swipes of \(String.words(KeyScheme.families, "and")), as frame \
            does. A key that is published for tests is refused for a real reader unless --test-cards is given. A \
            simulated reader (sim:) encrypts its test cards with the key, which must be a published one.

            READER FAMILIES
            \(String.listing(ReaderFamily.all.map { ($0.name, "\($0.title) (\($0.provenance.rawValue))") }))

            KEY SCHEMES
            \(KeyScheme.listing())

            EXIT CODES
              0   at least one swipe was read before the input (wav:, replay:) ended,
                  --swipes was reached or --timeout passed
              1   the input ended or --timeout passed, and no swipe was read; with
                  --key-file, --timeout passed and no swipe was decrypted
              64  usage; not the name of a link; no such channel
              65  the file (replay:) is no transcript, or one of another conversation;
                  the profile is invalid, or for another reader family; the key is
                  invalid, is published for tests, or decrypted no swipe
              66  the input (wav:, replay:), the profile or the key file is missing
                  or not readable, or other users can write the key file
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
        help: "Reader family, from the list above. A simulated reader (sim:) needs none.",
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
            "End after this many swipes. If only bytes are counted, those without a pause of 0.5 s count as one swipe.",
            valueName: "number"))
    var swipes: Int?

    @Flag(help: "End after one swipe.")
    var once = false

    @Option(help: ArgumentHelp("End after this time, with exit code 1 if no swipe was read.", valueName: "s"))
    var timeout: Double?

    @Flag(help: "If the sound card or the reader cannot be opened, retry after any error, as a service does.")
    var keepTrying = false

    @Option(help: "Channel to decode: a number from 1, or all.")
    var channel: ChannelChoice = .all

    @Option(help: "Track to report: any, 1, 2 or 3.")
    var track: TrackChoice = .any

    @Option(
        help: ArgumentHelp(
            "Sample rate of the sound card (default: 48000 if it offers a choice, else its own rate).", valueName: "Hz")
    )
    var rate: Double?

    @Option(help: "Capture gain of the sound card: auto follows the level of the swipes, keep does not change it.")
    var gain = GainChoice.auto

    @Flag(help: "Print one JSON object for each track, as decode --json does, or for each event of a reader.")
    var json = false

    @Flag(help: "Report failed swipes on standard output, between the tracks, and noise that is not a swipe.")
    var failures = false

    @Flag(help: "Print account numbers, names, track data and the bytes of a reader in clear.")
    var reveal = false

    @Option(
        help: ArgumentHelp(
            "Keep the sound of the swipes in a WAV or FLAC file: card data in clear. FILE.json lists their positions.",
            valueName: "file"),
        completion: .file(extensions: ["wav", "flac"]))
    var record: String?

    @Option(help: "Software that connects an rfcomm: reader; bluetoothd finds the channel itself.")
    var route = RouteChoice.kernel

    @OptionGroup
    var decryption: DecryptionArguments

    @Flag(help: "Allow a key that is published for tests, for a reader at which only test cards are swiped.")
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
        let scheme = link.carrier.scheme
        guard scheme != .pcsc else {
            throw ValidationError("\(link) is a chip card: it sends nothing by itself.")
        }
        let isHeard = reader?.carriers.contains(.audio) ?? false
        if reader != nil, scheme == .wav || (scheme == .alsa && !isHeard) {
            throw ValidationError("Omit --reader: \(link) carries the sound of swipes, not the bytes of a reader.")
        }
        if reader?.carriers == [.audio], [.rfcomm, .ble, .tcp, .pty].contains(scheme) {
            throw ValidationError("Use --link alsa:NAME: this --reader is on a jack, and \(link) carries no sound.")
        }
        let family = reader ?? link.simulatedFamily
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

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        // A closed output pipe must not end the command before it has restored the levels.
        Interruption.ignoreClosedPipes()
        guard [.alsa, .wav].contains(link.scheme), reader == nil else {
            if [.rfcomm, .ble].contains(link.scheme) { _ = try LinkArgument.device(link) }
            return try ReaderListening(conversation, on: console, in: environment).run()
        }
        return try SoundListening(live, on: console, in: environment).run()
    }

    /// The options for a sound card or a sound file.
    var live: LiveOptions {
        LiveOptions(
            link: link, channel: channel.index, tracks: track.tracks, sampleRate: rate, most: most, limit: limit,
            keepsTrying: keepTrying, followsLevel: gain == .auto, isJSON: json, showsFailures: failures,
            isRevealed: reveal, recording: record)
    }

    /// The options for a reader.
    private var conversation: ReaderListenOptions {
        ReaderListenOptions(
            link: link, reader: reader, profile: profile, key: decryption.options, allowsTestKey: testCards,
            most: most, limit: limit, keepsTrying: keepTrying, service: gatt.profile, route: route.route,
            isJSON: json, isRevealed: reveal)
    }

    /// The number of swipes after which to end; nil for no limit.
    private var most: Int? { once ? 1 : swipes }

    /// The time after which to end; nil for no limit.
    private var limit: Duration? { timeout.map { .seconds($0) } }

    /// The families of the audio jack: those without another carrier, which have no battery, or the others.
    private static func onJack(alone: Bool) -> [String] {
        ReaderFamily.all.filter { $0.carriers.contains(.audio) && ($0.carriers == [.audio]) == alone }.map(\.name)
    }

    /// Seconds, one week; a longer run needs no timeout.
    private static let longestTimeout = 604_800.0
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
