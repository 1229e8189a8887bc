import JackdawSystem
import JackdawTransport

/// Keeps what was changed on a card, here and in storage, so that it is brought back even where this process is killed.
///
/// One process at a time: who finds the record of another that is alive changes nothing. A record whose writer is gone is
/// restored by whoever comes next.
final class MixerStateKeeper {
    private let name: String
    private let storage: any MixerStateStorage
    private let processes: ProcessTable
    /// What was changed by this process, as it was before.
    private(set) var state = MixerState()
    /// Whether there may be a record of ours.
    private var isOurs = false

    /// - Parameters:
    ///   - card: whose levels they are.
    ///   - storage: where they are kept.
    ///   - processes: who tells which writers are alive.
    init(card: CardIdentity, storage: any MixerStateStorage, processes: ProcessTable) {
        // A card's number changes as others come and go. Its word and its kind stay, as far as anything does.
        name = "mixer-\(StateDirectory.word(card.id))-\(StateDirectory.word(card.name))"
        self.storage = storage
        self.processes = processes
    }

    /// Restores what an ended process has left.
    /// - Parameter apply: sets the levels.
    /// - Returns: what was found; nil for nothing.
    /// - Throws: `LinkError` where it could not be restored; it is left to be.
    func recover(_ apply: (MixerState) throws(LinkError) -> Void) throws(LinkError) -> MixerNotice? {
        try storage.locked { () throws(LinkError) in try recoverLocked(apply) }
    }

    private func recoverLocked(_ apply: (MixerState) throws(LinkError) -> Void) throws(LinkError) -> MixerNotice? {
        guard let bytes = try storage.load(name) else { return nil }
        let record: MixerStateRecord
        do throws(MixerStateError) {
            record = try MixerStateRecord(parsing: bytes)
        } catch {
            return .unreadable(error, path: try storage.setAside(name))
        }
        if let writer = record.writer, processes.isAlive(writer) { return .held(process: Int(writer.process)) }
        try apply(record.state)
        try storage.remove(name)
        return record.state.isEmpty ? nil : .restored(record.state)
    }

    /// Saves what a control is before it is changed for the first time.
    /// - Parameters:
    ///   - setting: the control, as it was read last.
    ///   - current: reads it again.
    ///   - apply: sets levels that an ended process has left.
    /// - Returns: the number of the process that holds the levels, where there is one, and nothing was saved.
    /// - Throws: `LinkError` where it was not saved, or not restored what had to be before.
    func keep(
        _ setting: MixerState.Setting, current: () throws(LinkError) -> MixerState.Setting,
        recovering apply: (MixerState) throws(LinkError) -> Void
    ) throws(LinkError) -> Int? {
        guard !state.settings.contains(where: setting.isOf) else { return nil }
        return try storage.locked { () throws(LinkError) in
            var grown = state
            if isOurs {
                grown.settings.append(setting)
            } else {
                // Another process may have come and gone since the start; what it has left is not what to bring back.
                if case .held(let process) = try recoverLocked(apply) { return process }
                grown.settings.append(try current())
            }
            guard let writer = processes.current() else {
                throw LinkError(
                    .system, link: name,
                    "the levels cannot be saved, since the system does not tell who this process is",
                    remedy: "mount /proc")
            }
            // Where saving fails halfway the record may be there all the same.
            isOurs = true
            try storage.save(MixerStateRecord(writer: writer, state: grown).bytes, as: name)
            state = grown
            return nil
        }
    }

    /// Restores what was changed, and removes the record.
    func release(_ apply: (MixerState) throws(LinkError) -> Void) throws(LinkError) {
        guard isOurs else { return }
        try storage.locked { () throws(LinkError) in
            try apply(state)
            try storage.remove(name)
            state = MixerState()
            isOurs = false
        }
    }

    /// Leaves the record to the next start, of this process or another.
    func abandon() {
        guard isOurs else { return }
        isOurs = false
        // Where even that fails, the record is found once this process has ended.
        try? storage.locked { () throws(LinkError) in
            try storage.save(MixerStateRecord(writer: nil, state: state).bytes, as: name)
        }
    }
}

/// Where saved levels are kept from one run to the next: files, or a test's memory.
protocol MixerStateStorage: Sendable {
    /// Does something while no other process does the like.
    func locked<Result>(_ body: () throws(LinkError) -> Result) throws(LinkError) -> Result
    /// What was saved under a name, or nil; one byte more than the most a record can have, at most.
    func load(_ name: String) throws(LinkError) -> [UInt8]?
    /// Saves, all of it or nothing, and so that it outlasts a loss of power.
    func save(_ bytes: [UInt8], as name: String) throws(LinkError)
    /// Removes what was saved.
    func remove(_ name: String) throws(LinkError)
    /// Puts what was saved out of the way.
    /// - Returns: where to.
    func setAside(_ name: String) throws(LinkError) -> String
}

extension StateDirectory: MixerStateStorage {}
