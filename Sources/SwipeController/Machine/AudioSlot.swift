/// The users of the sound card.
enum AudioUser: Sendable, Hashable {
    case reader(ReaderKind)
    /// The search for the attached reader, in this order.
    case search([ReaderKind])
}

/// The sound card's allocation: it has one user at a time, and the next one gets it after the previous one has released
/// it.
struct AudioSlot {
    private enum State {
        case empty
        case opening(AudioUser)
        case open(AudioUser)
        case closing(AudioUser)
    }

    private var state = State.empty
    /// The user that should have the sound card.
    private(set) var wanted: AudioUser?

    /// Whether this user has the sound card, and should keep it.
    func has(_ user: AudioUser) -> Bool {
        if case .open(user) = state { wanted == user } else { false }
    }

    /// Assigns the sound card to a user, or to no one.
    /// - Returns: the effect for it now.
    mutating func give(to user: AudioUser?) -> SwipeEffect? {
        wanted = user
        return settle()
    }

    /// Revokes the slot from its current or pending user; no one can claim it afterwards.
    /// - Returns: the effect for it; the operator closes after an opening that is in progress.
    mutating func end() -> SwipeEffect? {
        wanted = nil
        switch state {
        case .opening(let user), .open(let user):
            state = .closing(user)
            return .close(user)
        case .empty, .closing: return nil
        }
    }

    /// Whether this user has the sound card or is opening it, so that its reports count.
    func concerns(_ user: AudioUser) -> Bool {
        switch state {
        case .opening(user), .open(user): true
        // The report of its closing is still pending.
        case .empty, .opening, .open, .closing: false
        }
    }

    /// Notes that the sound card was opened, or could not be.
    mutating func opened(_ user: AudioUser, isOpen: Bool) -> SwipeEffect? {
        guard concerns(user) else { return nil }
        state = isOpen ? .open(user) : .empty
        if !isOpen, wanted == user { wanted = nil }
        return settle()
    }

    /// Notes that the sound card was closed.
    mutating func closed() -> SwipeEffect? {
        state = .empty
        return settle()
    }

    /// Notes that a user has released the sound card by itself. If it is already being closed, the closing counts.
    mutating func ended(_ user: AudioUser) {
        guard case .open(user) = state else { return }
        state = .empty
        if wanted == user { wanted = nil }
    }

    private mutating func settle() -> SwipeEffect? {
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
