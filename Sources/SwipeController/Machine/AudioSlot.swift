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

    /// Takes it from whoever has it, or is about to: nobody gets it any more.
    /// - Returns: what is to be done for it; closing comes behind an opening that is under way.
    mutating func end() -> SwipeAction? {
        wanted = nil
        switch state {
        case .opening(let user), .open(let user):
            state = .closing(user)
            return .close(user)
        case .empty, .closing: return nil
        }
    }

    /// Whether somebody is opening it, or has it: what is told of it counts.
    func concerns(_ user: AudioUser) -> Bool {
        switch state {
        case .opening(user), .open(user): true
        // It is still to be told as closed.
        case .empty, .opening, .open, .closing: false
        }
    }

    /// Takes that it was opened, or could not be.
    mutating func opened(_ user: AudioUser, isOpen: Bool) -> SwipeAction? {
        guard concerns(user) else { return nil }
        state = isOpen ? .open(user) : .empty
        if !isOpen, wanted == user { wanted = nil }
        return settle()
    }

    /// Takes that it was closed.
    mutating func closed() -> SwipeAction? {
        state = .empty
        return settle()
    }

    /// Takes that somebody has let it go unasked. Where it is being closed already, that counts.
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
