internal import JackdawALSA
internal import JackdawDSP
internal import JackdawReaders
internal import JackdawSimulator
internal import JackdawSystem
internal import JackdawTransport

/// An audio jack, real or simulated, at which a reader is opened or searched for.
protocol ReaderJack: Sendable {
    /// Opens the link to a reader of a family.
    /// - Returns: a session that has not started.
    /// - Throws: `LinkError` with the cause.
    func open(_ family: ReaderFamily) async throws(LinkError) -> ReaderSession

    /// Searches for readers of families, in this order.
    /// - Returns: the report of the search; the jack is free again.
    /// - Throws: `LinkError` with the cause, or `cancelled`.
    func search(
        _ families: [ReaderFamily], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport
}

/// The jack of a sound card.
struct SoundCardJack: ReaderJack {
    let link: LinkName
    /// The program's values for families, by their names.
    let profiles: [String: ReaderProfile]
    let clock: any Clock<Duration>

    func open(_ family: ReaderFamily) async throws(LinkError) -> ReaderSession {
        let profile = profiles[family.name]
        let dialect: any ReaderDialect
        let sound: ReaderSound
        do throws(ReaderError) {
            dialect = try family.makeDialect(family.withoutQuestions(profile))
            guard let known = try family.makeSound(profile) else {
                throw ReaderError(.unsupported, "\(family.name) readers are not on an audio jack")
            }
            sound = known
        } catch {
            throw LinkError(.unsupported, link: link.description, error.message, remedy: error.remedy)
        }
        return ReaderSession(try await LinuxDevices.connect(link, sound: sound), dialect, clock: clock)
    }

    func search(
        _ families: [ReaderFamily], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        let candidates = families.map { ReaderSearchCandidate($0, profile: profiles[$0.name]) }
        let stream = try await WorkerThread.run(name: "jackdaw-open", for: link) { [link] () throws(LinkError) in
            try LinuxDevices.onSoundCard(link) {
                let configuration = StreamConfiguration(device: link.address, reopens: false)
                return try DuplexStream(configuration, playbackChannels: ReaderSearch.channelCount) { format in
                    try ReaderSearch.makeLine(sampleRate: format.sampleRate)
                }
            }
        }
        let result: Result<ReaderSearchReport, LinkError>
        do throws(LinkError) {
            let run = SearchRun(link, stream, candidates)
            result = .success(try await run.report(isLive: true, mayPlayTones: mayPlayTones))
        } catch {
            result = .failure(error)
        }
        await WorkerThread.finish(name: "jackdaw-close") { stream.close() }
        return try result.get()
    }
}

/// A simulated jack, with a reader or a device that never answers.
struct SimulatedJack: ReaderJack {
    let link: LinkName
    /// The family of the reader; nil for headphones.
    let name: String?
    let profiles: [String: ReaderProfile]
    /// The reader's cipher for swipes; nil for a reader without a key.
    let cipher: (any SwipeCipher)?
    let clock: any Clock<Duration>

    func open(_ family: ReaderFamily) async throws(LinkError) -> ReaderSession {
        let dialect: any ReaderDialect
        do throws(ReaderError) {
            let own = family.withoutQuestions(profiles[family.name])
            let simulated = family.simulatedProfile
            let profile = try own.map { (own) throws(ReaderError) in try simulated.with(own) }
            dialect = try family.makeDialect(profile ?? simulated)
        } catch {
            throw LinkError(.unsupported, link: link.description, error.message, remedy: error.remedy)
        }
        let transport: any Transport
        if family.name == name {
            transport = try SimulatedLinks.open(link, cipher: cipher, clock: clock)
        } else {
            transport = SilentLink(link)
        }
        return ReaderSession(transport, dialect, clock: clock)
    }

    func search(
        _ families: [ReaderFamily], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport {
        let candidates = families.map {
            let own = $0.simulatedProfile
            return ReaderSearchCandidate($0, profile: profiles[$0.name].flatMap { try? own.with($0) } ?? own)
        }
        let port: SimulatedSoundPort
        do {
            port = try SimulatedSoundPort(name, name.flatMap { profiles[$0] })
        } catch {
            throw LinkError(.unsupported, link: link.description, "no such simulated reader", underlying: "\(error)")
        }
        let run = SearchRun(link, port, candidates, clock: clock)
        return try await run.report(isLive: false, mayPlayTones: mayPlayTones)
    }
}

extension ReaderFamily {
    /// The program's profile, by which the driver sends no requests to a reader that may accept none, such as an old
    /// UniMag: the reader counts as connected once it reports power.
    fileprivate func withoutQuestions(_ profile: ReaderProfile?) -> ReaderProfile? {
        guard self.profile[.takesCommands] != nil, profile?[.takesCommands] == nil else { return profile }
        var quiet = profile ?? ReaderProfile("\(name) without questions", of: name)
        quiet[.takesCommands] = ProfileEntry(
            "whether it accepts commands; if not, the driver sends no requests", .flag(false), .inferred,
            "a swipe controller sends no requests")
        return quiet
    }
}

/// A link whose other end never sends.
private struct SilentLink: PoweredTransport {
    let link: LinkName
    private let here: MemoryLink
    private let there: MemoryLink

    init(_ link: LinkName) {
        self.link = link
        (here, there) = MemoryLink.pair(link: link)
    }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await here.receive(take) }
    /// Does nothing: the other end does not receive.
    func send(_ bytes: [UInt8]) async throws(LinkError) {}
    func setPower(_ power: ReaderPower) async throws(LinkError) {}
    func endSending() async throws(LinkError) {}
    func close() async { await here.close() }
}
