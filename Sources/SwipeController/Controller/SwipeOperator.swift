import JackdawReaders
import JackdawTransport

/// Performs the effects of a controller's state machine, one after the other.
actor SwipeOperator {
    private let environment: any SwipeEnvironment
    private let interaction: any SwipeInteraction
    private let tell: @Sendable (SwipeInput) -> Void
    private var sessions: [ReaderKind: (session: ReaderSession, events: Task<Void, Never>)] = [:]
    /// The task of the current question or message.
    private var talk: Task<Void, Never>?
    private var search: Task<Void, Never>?
    private var isSearchEnding = false
    private var isOver = false
    /// Receives whether the search may play tones; set while the search waits for that.
    private var permission: AsyncStream<Bool>.Continuation?

    init(
        _ environment: any SwipeEnvironment, _ interaction: any SwipeInteraction,
        _ tell: @escaping @Sendable (SwipeInput) -> Void
    ) {
        self.environment = environment
        self.interaction = interaction
        self.tell = tell
    }

    /// Takes a session with an iDynamo that was attached. It replaces an existing one.
    func adopt(_ session: ReaderSession) async {
        await close(.iDynamo)
        guard !isOver else { return await session.close() }
        keep(session, .iDynamo)
        tell(.opened(.reader(.iDynamo)))
    }

    func run(_ effect: SwipeEffect) async {
        switch effect {
        case .open(.reader(let reader)): await open(reader)
        case .open(.search(let readers)): beginSearch(readers)
        case .close(let user):
            switch user {
            case .reader(let reader): await close(reader)
            case .search: await endSearch()
            }
            tell(.closed(user))
        case .permitTones(let isAllowed): permit(isAllowed)
        case .perform(let reader, let command): await sessions[reader]?.session.perform(command)
        case .readVolume: tell(.volumeRead(isFull: await environment.isVolumeFull()))
        case .raiseVolume: tell(.volumeRaised(isFull: await environment.raiseVolume()))
        case .restoreVolume: await environment.restoreVolume()
        case .ask(let question):
            talk = Task { [interaction, tell] in
                let isYes = await interaction.confirm(question)
                if !Task.isCancelled { tell(.answered(isYes)) }
            }
        case .askForTones:
            talk = Task { [interaction, tell] in
                let isYes = await interaction.mayPlayLoudTones()
                if !Task.isCancelled { tell(.answered(isYes)) }
            }
        case .show(let text): talk = Task { [interaction] in await interaction.show(text) }
        case .dismiss:
            talk?.cancel()
            talk = nil
            await interaction.dismiss()
        case .end:
            isOver = true
            await close(.iDynamo)
        }
    }

    private func open(_ reader: ReaderKind) async {
        guard let type = reader.type else { return }
        do throws(LinkError) {
            keep(try await environment.open(type), reader)
            tell(.opened(.reader(reader)))
        } catch {
            tell(.openFailed(.reader(reader), "\(error)"))
        }
    }

    private func beginSearch(_ readers: [ReaderKind]) {
        tell(.opened(.search(readers)))
        search = Task { [environment, tell] in
            do throws(LinkError) {
                let report = try await environment.search(for: readers.compactMap(\.type)) {
                    await self.askForTones()
                }
                if !Task.isCancelled { tell(.searched(report)) }
            } catch {
                if !Task.isCancelled { tell(.openFailed(.search(readers), "\(error)")) }
            }
        }
    }

    private func askForTones() async -> Bool {
        guard !isSearchEnding else { return false }
        let (answers, permission) = AsyncStream<Bool>.makeStream()
        self.permission = permission
        tell(.tonesWanted)
        // The stream ends without an answer if the search is cancelled.
        for await isAllowed in answers { return isAllowed }
        return false
    }

    private func permit(_ isAllowed: Bool) {
        permission?.yield(isAllowed)
        permission?.finish()
        permission = nil
    }

    private func endSearch() async {
        isSearchEnding = true
        search?.cancel()
        permit(false)
        await search?.value
        search = nil
        isSearchEnding = false
    }

    private func keep(_ session: ReaderSession, _ reader: ReaderKind) {
        let events = Task { [tell] in
            for await event in session.events { tell(.reader(reader, event)) }
        }
        sessions[reader] = (session, events)
    }

    private func close(_ reader: ReaderKind) async {
        guard let open = sessions.removeValue(forKey: reader) else { return }
        await open.session.close()
        // The last event of a session is `lost`.
        await open.events.value
    }
}
