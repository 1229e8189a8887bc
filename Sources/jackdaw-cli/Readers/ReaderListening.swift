import JackdawBluetooth
import JackdawCryptography
import JackdawLinux
import JackdawReaders
import JackdawSystem
import JackdawTransport

/// The options of `listen` for a reader.
struct ReaderListenOptions: Sendable {
    let link: LinkName
    /// The reader's family from the command line; nil if it was not given.
    let reader: ReaderFamily?
    /// The path of the profile; nil for the family's own values.
    let profile: String?
    let key: KeyOptions
    /// Whether a key that is published for tests is allowed.
    let allowsTestKey: Bool
    /// The number of swipes after which to end; nil for no limit.
    let most: Int?
    /// The time after which to end; nil for no limit.
    let limit: Duration?
    /// Whether to retry if the link cannot be opened.
    let keepsTrying: Bool
    /// The service of a reader over Bluetooth Low Energy from the command line; nil if it was not given.
    let service: GATTProfile?
    /// The software that connects a reader over RFCOMM.
    let route: SerialRoute
    let isJSON: Bool
    /// Whether card data shows in clear.
    let isRevealed: Bool

    /// The family of the reader; nil if only its bytes are counted.
    var family: ReaderFamily? { reader ?? link.simulatedFamily }
}

/// Listens to a reader until its link ends for good, or a limit is reached.
struct ReaderListening {
    private let options: ReaderListenOptions
    private let environment: CommandEnvironment
    private let console: Console
    private let output: LiveOutput

    /// - Throws: `CommandError` if the process has no free file descriptor.
    init(
        _ options: ReaderListenOptions, on console: Console, in environment: CommandEnvironment
    ) throws(CommandError) {
        self.options = options
        self.environment = environment
        self.console = console
        output = LiveOutput(
            options.link, isJSON: options.isJSON, try Conversation(), clock: environment.clock,
            wallClock: environment.wallClock)
    }

    /// - Returns: the exit status.
    /// - Throws: `CommandError`.
    func run() throws(CommandError) -> ExitStatus {
        guard let family = options.family else { return try countBytes() }
        return try readCards(of: family)
    }

    /// Counts the bytes of a reader of unknown family.
    private func countBytes() throws(CommandError) -> ExitStatus {
        try refuseConversations()
        let listener = listener(options.service)
        let connect = connector(environment, options.service, sound: nil)
        let teller = ByteTeller(
            output, isRevealed: options.isRevealed, most: options.most, clock: environment.clock)
        let lateness = lateness()
        return try run(late: { teller.hasReceived ? nil : lateness }) {
            [link = options.link, output, environment] () throws(CommandError) in
            if link.canComeBack {
                try await listener.run(environment) { session in await teller.receive(session) }
            } else {
                try await teller.run(connect)
            }
            if teller.hasReceived { return .done }
            if !Task.isCancelled { output.message("\(link): nothing was read") }
            return .nothingFound
        }
    }

    /// Requests swipes from a reader of a family.
    private func readCards(of family: ReaderFamily) throws(CommandError) -> ExitStatus {
        // Some simulated readers use synthetic values that differ from those of real ones.
        let own = recordedLink.simulatedFamily == nil ? family.profile : family.simulatedProfile
        let profile = try options.profile.map { (path) throws(CommandError) in
            try ProfileFile.read(path, over: own, of: family)
        }
        let sound = try jackSound(profile)
        let (decryption, links) = try decryption(of: family)
        let service = try lowEnergy(profile ?? own)
        let cards = try CardListener(
            link: options.link, family: family, profile: profile ?? own, output: output,
            isRevealed: options.isRevealed, most: options.most, clock: environment.clock, decryption: decryption)
        // The mask keeps the bytes that a playback of the transcript needs.
        let environment = (try? family.makeMask(profile ?? own)).map(links.recording) ?? links
        let listener = listener(service)
        let connect = persistent(connector(environment, service, sound: sound))
        let (unread, undecrypted) = (lateness(), lateness("was decrypted "))
        let isReconnected = options.link.canComeBack && sound == nil
        return try run(late: { cards.hasRead ? nil : cards.hasSwipe ? undecrypted : unread }) {
            () throws(CommandError) in
            isReconnected ? try await cards.run(listener, environment) : try await cards.run(connect)
        }
    }

    /// Runs the work until it ends or the timeout passes, and finishes the output.
    /// - Parameters:
    ///   - late: returns the error if the timeout has passed; nil if enough was read.
    ///   - work: the work.
    /// - Returns: the exit status.
    /// - Throws: `CommandError`: the work's error, or one if the timeout passed without a swipe.
    private func run(
        late: @escaping @Sendable () -> CommandError?,
        _ work: @escaping @Sendable () async throws(CommandError) -> ExitStatus
    ) throws(CommandError) -> ExitStatus {
        let end = lateness()
        return try output.conversation.run(on: console, isInterrupted: environment.isInterrupted) {
            [output, limit = options.limit, clock = environment.clock] () async throws(CommandError) in
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

    /// The error if the timeout has passed and no swipe was read, or no swipe with the given outcome.
    private func lateness(_ outcome: String = "") -> CommandError {
        CommandError(timeout: options.limit, link: options.link, outcome: outcome)
    }

    // MARK: The link

    /// The listener that keeps the link open.
    private func listener(_ service: GATTProfile?) -> ReaderConnection {
        let persistence: KeptLink.Persistence =
            options.keepsTrying ? .always : console.isWatched ? .onceFound : .whileItMayPass
        return ReaderConnection(
            link: options.link, profile: service, route: options.route, persistence: persistence, output: output)
    }

    /// The closure that opens the link.
    private func connector(
        _ environment: CommandEnvironment, _ service: GATTProfile?, sound: ReaderSound?
    ) -> @Sendable () async throws(LinkError) -> any Transport {
        { [link = options.link, route = options.route] () async throws(LinkError) in
            if let sound {
                return try await environment.connectJack(link, sound, environment.secrecy)
            }
            return try await environment.connect(link, service, route)
        }
    }

    /// A connector for a link that is opened only once; with ``ReaderListenOptions/keepsTrying`` it repeats failed
    /// attempts.
    private func persistent(
        _ connect: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) -> @Sendable () async throws(LinkError) -> any Transport {
        { [options, output, clock = environment.clock] () async throws(LinkError) in
            var retry = OpeningRetry(options.link, isWanted: options.keepsTrying)
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

    /// The link that carries the bytes, or carried them when a transcript of it was recorded.
    private var recordedLink: LinkName {
        let (link, carrier) = (options.link, options.link.carrier)
        guard carrier.scheme == .replay else { return link }
        // A file that cannot be read is an error when the link is opened.
        let header = try? TranscriptHeader(contentsOf: carrier.address, link: link.description)
        return header.flatMap { try? LinkName(parsing: $0.link) } ?? link
    }

    /// Rejects the transcript of a conversation: without a family the driver sends nothing, and a playback goes on only
    /// after the recorded requests are sent again.
    private func refuseConversations() throws(CommandError) {
        let carrier = options.link.carrier
        guard carrier.scheme == .replay else { return }
        do throws(LinkError) {
            let transcript = try Transcript(contentsOf: carrier.address, link: carrier.description)
            guard transcript.entries.contains(where: \.isSent) else { return }
        } catch {
            throw CommandError(opening: error)
        }
        throw CommandError(
            .usage, "\(options.link): name the family with --reader: the transcript has requests to the reader")
    }

    // MARK: The reader

    /// The signals at the reader's jack; nil if the link carries bytes.
    private func jackSound(_ profile: ReaderProfile?) throws(CommandError) -> ReaderSound? {
        guard options.link.carrier.scheme == .alsa, let reader = options.reader else { return nil }
        do throws(ReaderError) {
            return try reader.makeSound(profile)
        } catch {
            throw CommandError(.unavailable, "\(options.link): \(error)")
        }
    }

    /// The GATT service of a Bluetooth Low Energy reader, from the command line or its profile; nil for other links.
    private func lowEnergy(_ profile: ReaderProfile) throws(CommandError) -> GATTProfile? {
        guard options.link.carrier.scheme == .ble, options.service == nil else { return options.service }
        do throws(ReaderError) {
            return try GATTProfile(profile)
        } catch {
            throw CommandError(.unavailable, "\(options.link): give --service and --notify: \(error)")
        }
    }

    /// The decryption of swipes, and the environment whose simulated readers encrypt them with the same key.
    private func decryption(
        of family: ReaderFamily
    ) throws(CommandError) -> (LiveDecryption?, CommandEnvironment) {
        guard let path = options.key.file else { return (nil, environment) }
        let link = options.link
        let key = try environment.key(path, console)
        var environment = environment
        if link.simulatedFamily != nil {
            let encryptor = try SwipeEncryptor.forReader(of: family.name, key, options.key.scheme, from: path)
            environment = environment.encrypting(with: encryptor)
        }
        // A simulated reader or a playback has no live card.
        let isLive = link.simulatedFamily == nil && !link.isTranscript && !options.allowsTestKey
        let decryptor = try options.key.decryptor(key, isLive ? .live : .test)
        return (LiveDecryption(decryptor, isRevealed: options.isRevealed), environment)
    }
}

extension TranscriptEntry {
    /// Whether the entry records sent bytes.
    fileprivate var isSent: Bool { if case .sent = event { true } else { false } }
}
