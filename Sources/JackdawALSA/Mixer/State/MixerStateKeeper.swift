import JackdawSystem
import JackdawTransport

/// Keeps the settings of a card before their changes, in memory and in storage, so that they are restored even if this
/// process is killed.
///
/// One process at a time: a process that finds the record of another living process changes nothing. A record whose
/// writer has ended is restored by the next process that opens the card.
final class MixerStateKeeper {
    private let name: String
    private let storage: any MixerStateStorage
    private let processes: ProcessTable
    /// The settings that this process has changed, before the changes.
    private(set) var state = MixerState()
    /// Whether this process may have saved a record.
    private var isOurs = false

    /// - Parameters:
    ///   - card: the card that has the levels.
    ///   - storage: stores the record.
    ///   - processes: shows which writers are alive.
    init(card: CardIdentity, storage: any MixerStateStorage, processes: ProcessTable) {
        // A card's number changes as others are connected and disconnected. Its id and its name are the most stable.
        name = "mixer-\(StateDirectory.word(card.id))-\(StateDirectory.word(card.name))"
        self.storage = storage
        self.processes = processes
    }

    /// Restores the levels that an ended process left changed.
    /// - Parameter apply: sets the levels.
    /// - Returns: the notice for the user; nil if there was no record.
    /// - Throws: `LinkError` if they could not be restored; the record then remains.
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

    /// Saves the setting of a control before it is changed for the first time.
    /// - Parameters:
    ///   - setting: the control's setting, as it was last read.
    ///   - current: reads it again.
    ///   - apply: sets levels that an ended process left changed.
    /// - Returns: the number of the process that holds the levels, in which case nothing was saved; otherwise nil.
    /// - Throws: `LinkError` if the setting could not be saved, or earlier changes could not be restored before.
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
                // Another process may have opened and closed the card since the start; the levels that it left are not
                // those to restore.
                if case .held(let process) = try recoverLocked(apply) { return process }
                grown.settings.append(try current())
            }
            guard let writer = processes.current() else {
                throw LinkError(
                    .system, link: name,
                    "the levels cannot be saved, because the system does not identify this process",
                    remedy: "mount /proc")
            }
            // If saving fails halfway, the record may exist nevertheless.
            isOurs = true
            try storage.save(MixerStateRecord(writer: writer, state: grown).bytes, as: name)
            state = grown
            return nil
        }
    }

    /// Restores the changed settings, and removes the record.
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
        // If that fails too, the record is found after this process has ended.
        try? storage.locked { () throws(LinkError) in
            try storage.save(MixerStateRecord(writer: nil, state: state).bytes, as: name)
        }
    }
}

/// Stores saved levels from one run to the next: in files, or in a test's memory.
protocol MixerStateStorage: Sendable {
    /// Runs `body` while holding the inter-process lock.
    func locked<Result>(_ body: () throws(LinkError) -> Result) throws(LinkError) -> Result
    /// Loads the bytes that were saved under a name, or nil; for a longer file than any record, at least one byte more
    /// than the limit.
    func load(_ name: String) throws(LinkError) -> [UInt8]?
    /// Saves bytes atomically, so that they survive a loss of power.
    func save(_ bytes: [UInt8], as name: String) throws(LinkError)
    func remove(_ name: String) throws(LinkError)
    /// Renames saved bytes that are unreadable.
    /// - Returns: the new path.
    func setAside(_ name: String) throws(LinkError) -> String
}

extension StateDirectory: MixerStateStorage {}
