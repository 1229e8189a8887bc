import JackdawALSA
import JackdawDSP
import JackdawTransport

/// The options of `listen` for a sound card or a sound file.
struct LiveOptions {
    let link: LinkName
    /// The channel to decode, from 0; nil for all.
    let channel: Int?
    /// The tracks that are reported.
    let tracks: Set<TrackNumber>
    /// Frames per second (Hz); nil for the choice of the device.
    let sampleRate: Double?
    /// The number of swipes after which to end; nil for no limit.
    let most: Int?
    /// The time after which to end; nil for no limit.
    let limit: Duration?
    /// Whether to retry if the port cannot be opened.
    let keepsTrying: Bool
    /// Whether the capture gain follows the level of the swipes.
    let followsLevel: Bool
    let isJSON: Bool
    /// Whether failed swipes are reported on standard output.
    let showsFailures: Bool
    /// Whether card data shows in clear.
    let isRevealed: Bool
    /// The path of the file that keeps the sound of the swipes.
    let recording: String?

    /// The request to the device.
    fileprivate var configuration: StreamConfiguration {
        var configuration = StreamConfiguration()
        configuration.sampleRate = sampleRate
        // With one channel a device that converts would mix the tracks of a head.
        configuration.leastChannels = max(2, (channel ?? 0) + 1)
        return configuration
    }
}

/// Listens to a sound card or a sound file until it ends, or a limit is reached.
struct SoundListening {
    private let options: LiveOptions
    private let environment: CommandEnvironment
    private let console: Console
    /// The time at which to end.
    private let deadline: ContinuousClock.Instant?

    init(_ options: LiveOptions, on console: Console, in environment: CommandEnvironment) {
        self.options = options
        self.environment = environment
        self.console = console
        deadline = options.limit.map { environment.now() + $0 }
    }

    /// - Returns: the exit status.
    /// - Throws: `CommandError`.
    func run() throws(CommandError) -> ExitStatus {
        guard let port = try open() else { return late() }
        if let path = options.recording {
            console.message("\(path): will hold the sound of cards: anyone who has the file can read the cards")
        }
        var session = try LiveSession(options, port, environment, console)
        do throws(CommandError) {
            while try session.receive(), !console.hasFailed, !isLate() {
                try environment.checkInterruption()
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
            guard !isLate() else { return late() }
            console.message("nothing was read")
            return .nothingFound
        }
        return .done
    }

    /// Opens the port that captures sound; with ``LiveOptions/keepsTrying`` until that succeeds.
    /// - Returns: nil if the deadline came first.
    private func open() throws(CommandError) -> (any AudioPort)? {
        var retry = OpeningRetry(options.link, isWanted: options.keepsTrying)
        while true {
            let failure: LinkError
            do throws(LinkError) {
                return try environment.capture(options.link, options.configuration) {
                    !isLate() && !environment.isInterrupted()
                }
            } catch {
                failure = error
            }
            // The pipe has sent no header in time, or until Ctrl-C.
            if failure.code == .cancelled {
                guard isLate() else { throw .interrupted }
                return nil
            }
            guard let (wait, report) = retry.next(after: failure) else { throw CommandError(opening: failure) }
            if let report { print(report) }
            let end = environment.now() + wait
            while case let rest = end - environment.now(), rest > .zero {
                try environment.checkInterruption()
                if isLate() { return nil }
                environment.sleep(min(.milliseconds(200), rest))
            }
        }
    }

    private func print(_ report: WaitingReport) {
        if options.isJSON {
            var object = report.json
            object.add(time: environment.wallClock.now())
            console.result(object)
        }
        console.message(report.message)
    }

    private func isLate() -> Bool { deadline.map { environment.now() >= $0 } ?? false }

    private func late() -> ExitStatus {
        let lateness = CommandError(timeout: options.limit, link: options.link)
        console.message(lateness.message)
        return lateness.status
    }
}

extension CommandError {
    /// The error if the timeout has passed and no swipe was read.
    /// - Parameters:
    ///   - timeout: the time that has passed; nil for none.
    ///   - link: the source of the swipes.
    ///   - outcome: what should have happened to a swipe, with a blank at its end: `was decrypted `.
    init(timeout: Duration?, link: LinkName, outcome: String = "") {
        let seconds = fixed((timeout ?? .zero) / .seconds(1), 1)
        self.init(.nothingFound, "\(link): no swipe \(outcome)within \(seconds) s")
    }
}
