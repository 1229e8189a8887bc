/// What a ``SocketLink`` keeps behind its lock.
@safe package struct SocketLinkState {
    /// How the device's direction ended.
    enum End {
        case inOrder
        case lost(SystemFailure)
    }

    /// Who waits: for bytes, or for room to send.
    package enum Side {
        case receiver
        case sender
    }

    /// The socket; nil once it is closed.
    var descriptor: Int32?
    /// What the loop reads into.
    package var filling: ReadAhead
    /// What is handed over next; nil while it is in the receiver's hands.
    var draining: ReadAhead?
    var end: End?
    /// What a call said that found the link broken. The system says it once, and then only that the link has ended.
    var loss: SystemFailure?
    var hasEndedSending = false
    /// What the loop watches the socket by; nil where it watches for nothing.
    var watch: Watch?
    package var interest: Readiness = []
    /// Whether the receiver waits in a turn of the loop.
    var isTurning = false
    private var receiver: UnsafeContinuation<Void, Never>?
    private var sender: UnsafeContinuation<Void, Never>?

    init(_ descriptor: Int32, _ format: SocketFormat) {
        self.descriptor = descriptor
        filling = ReadAhead(format)
        draining = ReadAhead(format)
    }

    /// What the loop is to watch for: nothing at all where there is no room, and after the end, since the system would tell of
    /// an end again and again.
    var wanted: Readiness {
        guard descriptor != nil else { return [] }
        var wanted: Readiness = []
        if end == nil, filling.hasRoom { wanted.insert(.reading) }
        if unsafe sender != nil { wanted.insert(.writing) }
        return wanted
    }

    /// Whether a receiver need not wait.
    var hasNews: Bool { descriptor == nil || end != nil || !filling.isEmpty || draining?.isEmpty == false }

    /// Whether someone waits.
    package func waits(_ side: Side) -> Bool {
        switch side {
        case .receiver: unsafe receiver != nil || isTurning
        case .sender: unsafe sender != nil
        }
    }

    /// Lets someone wait. Each side has one task.
    mutating func wait(_ side: Side, _ continuation: UnsafeContinuation<Void, Never>) {
        switch side {
        case .receiver:
            unsafe precondition(receiver == nil, "two tasks receive from one link")
            unsafe receiver = continuation
        case .sender:
            unsafe precondition(sender == nil, "two tasks send over one link")
            unsafe sender = continuation
        }
    }

    /// Who waits, no longer.
    mutating func take(_ side: Side) -> UnsafeContinuation<Void, Never>? {
        switch side {
        case .receiver:
            defer { unsafe receiver = nil }
            return unsafe receiver
        case .sender:
            defer { unsafe sender = nil }
            return unsafe sender
        }
    }
}
