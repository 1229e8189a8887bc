/// Who has the sound card.
enum AudioUser: Sendable, Hashable {
    case reader(ReaderKind)
    /// The search for the reader that is there, in this order.
    case search([ReaderKind])
}

/// The sound card, which one has at a time: the next one gets it when the one before has let it go.
struct AudioSlot {
    private enum State {
        case empty
        case opening(AudioUser)
        case open(AudioUser)
        case closing(AudioUser)
    }

    private var state = State.empty
    /// Who is to have it.
    private(set) var wanted: AudioUser?

    /// Whether somebody has it, and is to have it.
    func has(_ user: AudioUser) -> Bool {
        if case .open(user) = state { wanted == user } else { false }
    }

    /// Gives it to somebody, or to nobody.
    /// - Returns: what is to be done for it now.
    mutating func give(to user: AudioUser?) -> SwipeAction? {
        wanted = user
        return settle()
    }

    /// Takes that it was opened, or could not be.
    mutating func opened(_ user: AudioUser, isOpen: Bool) -> SwipeAction? {
        switch state {
        case .opening(user), .open(user): break
        // It is still to be told as closed.
        case .empty, .opening, .open, .closing: return nil
        }
        state = isOpen ? .open(user) : .empty
        if !isOpen, wanted == user { wanted = nil }
        return settle()
    }

    /// Takes that it was closed.
    mutating func closed() -> SwipeAction? {
        state = .empty
        return settle()
    }

    /// Takes that somebody has let it go unasked. Where that was asked for meanwhile, it is still to be told as closed.
    mutating func ended(_ user: AudioUser) {
        guard case .open(user) = state else { return }
        state = .empty
        if wanted == user { wanted = nil }
    }

    private mutating func settle() -> SwipeAction? {
        switch state {
        case .empty:
            guard let wanted else { return nil }
            state = .opening(wanted)
            return .open(wanted)
        case .open(let user) where user != wanted:
            state = .closing(user)
            return .close(user)
        case .open, .opening, .closing: return nil
        }
    }
}
