import JackdawReaders

/// Does what a controller's machine wants done, one thing after the other.
actor SwipeOperator {
    private let environment: any SwipeEnvironment
    private let interaction: any SwipeInteraction
    private let tell: @Sendable (SwipeInput) -> Void
    private var sessions: [ReaderKind: (session: ReaderSession, events: Task<Void, Never>)] = [:]
    /// What a person or the program is being asked or shown.
    private var talk: Task<Void, Never>?

    init(
        _ environment: any SwipeEnvironment, _ interaction: any SwipeInteraction,
        _ tell: @escaping @Sendable (SwipeInput) -> Void
    ) {
        self.environment = environment
        self.interaction = interaction
        self.tell = tell
    }

    /// Takes an iDynamo that was attached; where there is one already, the new one is in its place.
    func adopt(_ session: ReaderSession) async {
        await close(.iDynamo)
        keep(session, .iDynamo)
        tell(.opened(.iDynamo))
    }

    func run(_ action: SwipeAction) async {
        switch action {
        case .open(let reader, let isTested):
            guard let type = reader.type, let session = try? await environment.open(type, isTested: isTested) else {
                return tell(.openFailed(reader))
            }
            keep(session, reader)
            tell(.opened(reader))
        case .close(let reader):
            await close(reader)
            tell(.closed(reader))
        case .perform(let reader, let command): await sessions[reader]?.session.perform(command)
        case .readVolume: tell(.volume(isFull: await environment.isVolumeFull()))
        case .raiseVolume: tell(.volume(isFull: await environment.raiseVolume()))
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
        case .told, .autodetectStarted, .autodetectComplete, .typeChanged, .warned: break
        }
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
        // The last event of a session is that it is lost.
        await open.events.value
    }
}
