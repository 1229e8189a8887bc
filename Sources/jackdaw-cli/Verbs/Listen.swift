#if Command
    import ArgumentParser
    import JackdawALSA
    import JackdawDSP
    import JackdawLinux
    import JackdawTransport

    struct Listen: Verb {
        static let configuration = CommandConfiguration(
            abstract: "Read card swipes live, from a sound card, or the bytes of a Bluetooth reader.",
            discussion: """
                Each swipe is printed when it is read, within a blink; a swipe that could not be read gives one line on \
                standard error that says why. On a terminal a line shows the level. The capture gain follows what \
                is heard, and all levels are put back at the end. A card that is unplugged is waited for. \
                Account numbers and names are masked.

                A Bluetooth reader is connected, and connected again whenever it is lost, until interrupted. What it sends \
                is counted; --reveal prints it as hexadecimal digits. A reader over ble: needs its service and \
                characteristics. Where programs may not use Bluetooth sockets, --route bluetoothd lets bluetoothd \
                connect one over rfcomm:. A reader on a network (tcp:) or a serial line (pty:) is kept connected as well.

                EXIT CODES
                  0   a file that stands in for a card (wav:) is over, and something was read
                  1   such a file is over, and nothing was read
                  64  usage; no name of a link; no such channel
                  69  the device is missing, busy, or may not be opened
                  74  I/O error
                  130 interrupted

                EXAMPLES
                  jackdaw listen
                  jackdaw listen --link alsa:hw:1,0 --json
                  jackdaw listen --link wav:captures/speed_t2_05.wav
                  jackdaw listen --link rfcomm:AA:BB:CC:DD:EE:FF
                """)

        @Option(
            help: ArgumentHelp(
                """
                The sound card: alsa:NAME, as jackdaw devices lists them (default: alsa:default), or wav:FILE in its \
                place; or a reader: rfcomm:ADDRESS, ble:ADDRESS, tcp:HOST:PORT or pty:PATH. record:FILE,LINK keeps a \
                transcript of a reader's link, masked, and replay:FILE plays it back.
                """,
                valueName: "link"),
            transform: LinkArgument.read)
        var link = LinkName(.alsa, "default")

        @Option(help: "Channel to decode: a number from 1, or all.")
        var channel: ChannelChoice = .all

        @Option(help: "Track to report: any, 1, 2 or 3.")
        var track: TrackChoice = .any

        @Option(help: ArgumentHelp("Frames per second; the card's own where it is not told.", valueName: "Hz"))
        var rate: Double?

        @Option(help: "What to do with the capture gain: auto follows the swipes, keep leaves it alone.")
        var gain = GainChoice.auto

        @Flag(help: "Print one JSON object a track, as decode does.")
        var json = false

        @Flag(help: "Report swipes that could not be read on standard output, in between the tracks.")
        var failures = false

        @Flag(help: "Print account numbers and track data in clear.")
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
        var gatt: GATTArguments

        func validate() throws {
            if ![.alsa, .wav].contains(link.scheme), record != nil || rate != nil {
                throw ValidationError("--record and --rate are for sound, and \(link) has none")
            }
            if route == .bluetoothd, link.scheme != .rfcomm || link.address.contains("/") {
                throw ValidationError("--route bluetoothd takes --link rfcomm:ADDRESS, without a channel")
            }
            if record == "-" { throw ValidationError("--record needs a file: standard output has the cards") }
        }

        func run(on console: Console) throws(CommandError) -> ExitStatus {
            // A reader of its output that has gone must not keep it from putting the levels back.
            Interruption.ignoreClosedPipes()
            guard [.alsa, .wav].contains(link.scheme) else { return try run(on: console, BluetoothSystem()) }
            return try run(on: console, LiveSystem())
        }

        /// Does the work on a system's devices.
        func run(on console: Console, _ system: LiveSystem) throws(CommandError) -> ExitStatus {
            var configuration = StreamConfiguration()
            configuration.sampleRate = rate
            // A device that converts would mix the tracks of a head into one channel.
            configuration.leastChannels = max(2, (channel.index ?? 0) + 1)
            let port: any AudioPort
            do throws(LinkError) {
                port = try system.capture(link, configuration)
            } catch {
                throw CommandError(error)
            }
            if let record {
                console.message("\(record): will hold the sound of cards, which anyone can read who has it")
            }
            var session = try LiveSession(self, port, system, console)
            do throws(CommandError) {
                while try session.receive(), !console.hasFailed {
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
                console.message("nothing was read")
                return .nothingFound
            }
            return .done
        }

        /// Listens to a reader by a system's Bluetooth.
        func run(on console: Console, _ system: BluetoothSystem) throws(CommandError) -> ExitStatus {
            _ = try LinkArgument.device(link)
            let conversation = try Conversation()
            let listener = ReaderListener(
                link: link, profile: gatt.profile, route: route.route, isJSON: json,
                isRevealed: reveal, conversation: conversation)
            try conversation.run(on: console) { () throws(CommandError) in try await listener.run(system) }
            return .done
        }
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
