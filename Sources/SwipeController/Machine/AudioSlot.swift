/// The sound card, which one reader has at a time: the next one gets it when the one before has let it go.
struct AudioSlot {
    private enum State {
        case empty
        case opening(ReaderKind)
        case open(ReaderKind)
        case closing(ReaderKind)
    }

    private var state = State.empty
    /// Who is to have it.
    private(set) var wanted: ReaderKind?
    /// Whether it has to show that it is there.
    private var isTested = false

    /// Whether a reader has it, and is to have it.
    func has(_ reader: ReaderKind) -> Bool {
        if case .open(reader) = state { wanted == reader } else { false }
    }

    /// Gives it to a reader, or to nobody.
    /// - Returns: what is to be done for it now.
    mutating func give(to reader: ReaderKind?, isTested: Bool = false) -> SwipeAction? {
        wanted = reader
        self.isTested = isTested
        return settle()
    }

    /// Takes that the link was opened, or could not be.
    mutating func opened(_ reader: ReaderKind, isOpen: Bool) -> SwipeAction? {
        state = isOpen ? .open(reader) : .empty
        if !isOpen, wanted == reader { wanted = nil }
        return settle()
    }

    /// Takes that the link was closed.
    mutating func closed() -> SwipeAction? {
        state = .empty
        return settle()
    }

    private mutating func settle() -> SwipeAction? {
        switch state {
        case .empty:
            guard let wanted else { return nil }
            state = .opening(wanted)
            return .open(wanted, isTested: isTested)
        case .open(let reader) where reader != wanted:
            state = .closing(reader)
            return .close(reader)
        case .open, .opening, .closing: return nil
        }
    }
}
