internal import JackdawSystem
public import JackdawTransport
import Synchronization

/// The levels of a sound card: finds the volumes, switches and choices that matter to a reader by the names that drivers give
/// them, reads and sets them, and brings back what it has changed.
///
/// What a control was is saved to a file before it is changed for the first time. ``restore()`` brings it back and removes the
/// file; the end of the mixer does so as well. Where the process is killed before, the next mixer that is opened on this card
/// restores it first and says so in ``notice``. Levels that another living process has changed are read and not set.
///
/// It may be used by several threads; they wait for each other.
public final class Mixer: Sendable {
    /// The card's name, as it was given.
    public let card: String
    /// What matters to a reader on this card; within a role, the likeliest first. Names that are not known are left out, and
    /// never touched.
    public let controls: [MixerControl]
    /// What was found at the start and needs telling; nil where all is well.
    public let notice: MixerNotice?

    private let session: Mutex<MixerSession>

    /// Opens a card's mixer. The corresponding C functions are `snd_mixer_open`, `snd_mixer_attach`,
    /// `snd_mixer_selem_register` and `snd_mixer_load`.
    /// - Parameters:
    ///   - card: its name: `hw:1`, `hw:PCH`, `default`.
    ///   - stateDirectory: where levels are saved; nil for the usual place: `STATE_DIRECTORY` (which systemd sets),
    ///     `XDG_STATE_HOME/jackdaw`, `/var/lib/jackdaw` for root, or `~/.local/state/jackdaw`.
    /// - Throws: `LinkError` where there is no such card or it may not be opened.
    public convenience init(card: String, stateDirectory: String? = nil) throws(LinkError) {
        guard let directory = stateDirectory ?? StateDirectory.usualPath else {
            throw LinkError(
                .system, link: card, "there is no place to save its levels in",
                remedy: "set XDG_STATE_HOME to a directory that can be written")
        }
        try self.init(
            card: card, library: LibraryMixer(), storage: StateDirectory(directory), processes: .system)
    }

    init(
        card: String, library: sending any MixerLibrary, storage: any MixerStateStorage, processes: ProcessTable
    ) throws(LinkError) {
        let opened = try MixerSession(card: card, library: library, storage: storage, processes: processes)
        self.card = card
        controls = opened.controls
        notice = opened.notice
        session = Mutex(opened)
    }

    deinit { session.withLock { $0.end() } }

    /// The controls of a role, the likeliest first.
    public func controls(_ role: MixerControl.Role) -> [MixerControl] { controls.filter { $0.role == role } }

    /// What was changed so far, as it was before.
    public var changed: MixerState { session.withLock { $0.keeper.state } }

    /// Brings back everything that was changed. What fails is tried again with the next call, at the end of the mixer and at
    /// the next start.
    /// - Throws: `LinkError`: the first failure, after all was tried.
    public func restore() throws(LinkError) {
        try session.withLock { session throws(LinkError) in try session.restore() }
    }

    /// Does something with the mixer while nobody else does.
    func locked<Result: Sendable>(
        _ body: (MixerSession) throws(LinkError) -> Result
    ) throws(LinkError) -> Result {
        try session.withLock { session throws(LinkError) in try body(session) }
    }
}
