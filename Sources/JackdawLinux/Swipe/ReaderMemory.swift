internal import JackdawReaders
internal import JackdawSystem
internal import JackdawTransport

/// Where it is remembered which reader was found at a sound card, so that it is looked for first.
public enum SwipeMemory: Sendable, Hashable {
    /// Among the state of this user's programs: in `STATE_DIRECTORY`, which systemd sets, `XDG_STATE_HOME/jackdaw`,
    /// `/var/lib/jackdaw` for root, or `~/.local/state/jackdaw`.
    case standard
    /// In a directory, by its absolute path; it is made when it is needed.
    case directory(String)
    /// Nowhere.
    case none
}

/// Remembers the family of the reader that was found at a sound card, in a small file for each card. All of it waits for files.
struct ReaderMemory: Sendable {
    private let directory: StateDirectory
    private let card: @Sendable () -> String

    /// Bytes of a card's name that count at most.
    private static let greatestName = 512

    /// - Parameters:
    ///   - place: where it is kept.
    ///   - card: tells who the card is, whatever its number.
    init?(_ place: SwipeMemory, card: @escaping @Sendable () -> String) {
        switch place {
        case .none: return nil
        case .directory(let path): directory = StateDirectory(path)
        case .standard:
            guard let path = StateDirectory.usualPath else { return nil }
            directory = StateDirectory(path)
        }
        self.card = card
    }

    /// The family that was found last; nil where nothing of use is remembered.
    func family() -> String? {
        let card = card()
        // It is put in place as a whole: who reads needs no lock, and makes no directory.
        guard let bytes = try? directory.load(Self.name(card)) else { return nil }
        // A file is either the very one that was written for this card, or none.
        return ReaderFamily.all.first { Self.record($0.name, card) == bytes }?.name
    }

    /// Remembers a family. Where that fails, the next search takes longer.
    func remember(_ family: String) {
        let card = card()
        try? directory.locked { () throws(LinkError) in
            try directory.save(Self.record(family, card), as: Self.name(card))
        }
    }

    private static func name(_ card: String) -> String { "reader-\(StateDirectory.word(card))" }

    private static func record(_ family: String, _ card: String) -> [UInt8] {
        Array("jackdaw reader 1\n\(family)\n".utf8) + card.utf8.prefix(greatestName) + "\n".utf8
    }
}
