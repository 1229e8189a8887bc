import Glibc
package import JackdawTransport

/// A link over a connected socket or terminal, of any kind. The loop's thread reads ahead while there is room; if the
/// program does not receive, flow control stops the device. The caller's own thread sends as long as the system accepts
/// bytes.
package final class SocketLink: Transport {
    package let link: LinkName
    package let executor: (any TaskExecutor)?
    private let format: SocketFormat
    private let loop: EventLoop
    private let calls: any StreamCalls
    private let failures: SocketFailures
    package let state: Lock<SocketLinkState>

    /// - Parameters:
    ///   - descriptor: a connected, non-blocking socket, which the link closes.
    ///   - link: the link's name.
    ///   - format: how the socket carries bytes.
    ///   - failures: turns the system's failures into errors.
    ///   - loop: watches the socket.
    ///   - calls: the system calls.
    /// - Throws: `LinkError` if the socket cannot be watched; it is then closed.
    package convenience init(
        _ descriptor: Int32, link: LinkName, format: SocketFormat, failures: SocketFailures, loop: EventLoop,
        calls: any StreamCalls = SystemSocketCalls()
    ) throws(LinkError) {
        do throws(SystemFailure) {
            try self.init(
                watching: descriptor, link: link, format: format, failures: failures, loop: loop, calls: calls)
        } catch {
            throw .system(error, link: link.description, "cannot be added to the event loop")
        }
    }

    /// Creates a link as the other initializer does, but throws the system's failure.
    /// - Throws: ``SystemFailure`` if the socket cannot be watched; it is then closed.
    package init(
        watching descriptor: Int32, link: LinkName, format: SocketFormat, failures: SocketFailures, loop: EventLoop,
        calls: any StreamCalls = SystemSocketCalls()
    ) throws(SystemFailure) {
        self.link = link
        self.format = format
        self.loop = loop
        executor = LoopTaskExecutor(loop)
        self.calls = calls
        self.failures = failures
        state = Lock(SocketLinkState(descriptor, format))
        let end = state.withLock { state in
            rewatch(&state)
            return state.end
        }
        if case .lost(let failure) = end {
            shut()
            throw failure
        }
    }

    deinit { shut() }

    package func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        while true {
            guard !Task.isCancelled else { throw .cancelled(link.description) }
            switch state.withLock({ next(&$0) }) {
            case .bytes(let buffer):
                buffer.handOver(take)
                state.withLock { state in
                    state.draining = buffer
                    if state.descriptor == nil { buffer.wipe() }
                }
                return true
            case .nothing:
                // On the loop's own thread, the receiver polls for bytes itself.
                if await !turn() { await wait(.receiver) }
            case .end: return false
            case .lost(let failure): throw failures.lost(failure, link.description, 0)
            case .closed: throw .closed(link.description)
            }
        }
    }

    package func send(_ bytes: [UInt8]) async throws(LinkError) {
        if let size = format.packetSize, bytes.count > size {
            throw LinkError(
                .unsupported, link: link.description, "a packet of \(bytes.count) bytes; the maximum is \(size)",
                undelivered: bytes.count)
        }
        var sent = 0
        while sent < bytes.count {
            let left = bytes.count - sent
            guard !Task.isCancelled else { throw .cancelled(link.description, undelivered: left) }
            switch state.withLock({ send(bytes.span.extracting(sent...), &$0) }) {
            case .sent(let count): sent += count
            case .full: await wait(.sender)
            case .lost(let failure): throw failures.lost(failure, link.description, left)
            case .closed: throw .closed(link.description, undelivered: left)
            }
        }
    }

    package func endSending() async throws(LinkError) {
        let failure: SystemFailure? = state.withLock { state in
            guard let descriptor = state.descriptor, !state.hasEndedSending else { return nil }
            state.hasEndedSending = true
            // Shutting the socket down would end the device's direction, too.
            guard format != .indivisible else { return nil }
            do throws(SystemFailure) {
                try calls.endSending(descriptor)
                return nil
            } catch {
                return state.loss ?? error
            }
        }
        if let failure { throw failures.lost(failure, link.description, 0) }
    }

    package func close() async { shut() }
}

extension SocketLink {
    private enum Received {
        case bytes(ReadAhead)
        case nothing
        case end
        case lost(SystemFailure)
        case closed
    }

    private enum Sent {
        case sent(Int)
        case full
        case lost(SystemFailure)
        case closed
    }

    private func next(_ state: inout SocketLinkState) -> Received {
        state.isTurning = false
        guard state.descriptor != nil else { return .closed }
        guard var buffer = state.draining else { preconditionFailure("two tasks receive from one link") }
        if buffer.isEmpty, !state.filling.isEmpty {
            swap(&buffer, &state.filling)
            rewatch(&state)
        }
        guard buffer.isEmpty else {
            state.draining = nil
            return .bytes(buffer)
        }
        state.draining = buffer
        return switch state.end {
        case nil: nothing(&state)
        case .inOrder: .end
        case .lost(let failure): .lost(failure)
        }
    }

    private func nothing(_ state: inout SocketLinkState) -> Received {
        // From here on, ``shut()`` must wake the loop.
        state.isTurning = true
        return .nothing
    }

    private func turn() async -> Bool {
        await withTaskCancellationHandler {
            loop.turn()
        } onCancel: {
            loop.wake()
        }
    }

    private func send(_ bytes: Span<UInt8>, _ state: inout SocketLinkState) -> Sent {
        guard let descriptor = state.descriptor else { return .closed }
        guard !state.hasEndedSending else { return .lost(SystemFailure(code: EPIPE)) }
        do throws(SystemFailure) {
            return .sent(try calls.send(descriptor, bytes))
        } catch {
            // A lost link will not have room again.
            guard error.code != EAGAIN || state.loss != nil else { return .full }
            // After `EPIPE` the device may have ended in order after its last bytes; the receiver finds that out.
            if error.code != EPIPE, state.loss == nil { state.loss = error }
            return .lost(state.loss ?? error)
        }
    }

    /// Waits until this side can go on, or the task is cancelled. May return spuriously.
    private func wait(_ side: SocketLinkState.Side) async {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                let waits = state.withLock { state in
                    // If the task is cancelled later, `onCancel` finds its continuation.
                    guard !Task.isCancelled, side == .sender ? state.descriptor != nil : !state.hasNews else {
                        return false
                    }
                    if side == .receiver { state.isTurning = false }
                    unsafe state.wait(side, continuation)
                    rewatch(&state)
                    return true
                }
                if !waits { unsafe continuation.resume() }
            }
        } onCancel: {
            let waiting = unsafe state.withLock { state in
                defer { rewatch(&state) }
                return unsafe state.take(side)
            }
            unsafe waiting?.resume()
        }
    }

    /// The loop calls this when the socket is ready.
    private func ready(_ readiness: Readiness) {
        let (receiver, sender) = unsafe state.withLock { state in
            if readiness.contains(.reading), state.wanted.contains(.reading) { read(&state) }
            defer { rewatch(&state) }
            return unsafe (
                state.hasNews ? state.take(.receiver) : nil,
                readiness.contains(.writing) || state.end != nil ? state.take(.sender) : nil
            )
        }
        unsafe receiver?.resume()
        unsafe sender?.resume()
    }

    private func read(_ state: inout SocketLinkState) {
        guard let descriptor = state.descriptor else { return }
        do throws(SystemFailure) {
            // One call reads all the bytes that a stream has, or one packet.
            repeat {
                let count = try state.filling.fill { bytes, room throws(SystemFailure) in
                    try calls.receive(descriptor, into: &bytes, room)
                }
                if count == 0, format.packetSize == nil ? true : try calls.hasEnded(descriptor) {
                    state.end = state.loss.map { .lost($0) } ?? .inOrder
                    return
                }
            } while format.packetSize != nil && state.filling.hasRoom
        } catch {
            guard error.code != EAGAIN else { return }
            let loss = state.loss ?? error
            state.loss = loss
            state.end = .lost(loss)
        }
    }

    /// Makes the loop watch for the readiness that is wanted now.
    private func rewatch(_ state: inout SocketLinkState) {
        let wanted = state.wanted
        guard wanted != state.interest else { return }
        state.interest = wanted
        if let watch = state.watch {
            guard wanted.isEmpty else {
                loop.change(watch, to: wanted)
                return
            }
            loop.unwatch(watch)
            state.watch = nil
            return
        }
        guard let descriptor = state.descriptor else { return }
        do throws(SystemFailure) {
            state.watch = try loop.watch(descriptor, for: wanted) { [weak self] readiness in self?.ready(readiness) }
        } catch {
            state.loss = error
            state.end = .lost(error)
            state.interest = []
            // Nothing else would resume them.
            unsafe state.take(.receiver)?.resume()
            unsafe state.take(.sender)?.resume()
        }
    }

    private func shut() {
        let (descriptor, receiver, sender) = unsafe state.withLock { state in
            guard let descriptor = state.descriptor else {
                return unsafe (
                    Int32?.none, UnsafeContinuation<Void, Never>?.none, UnsafeContinuation<Void, Never>?.none
                )
            }
            state.descriptor = nil
            // The watch must end before another socket can get the same number.
            rewatch(&state)
            if state.isTurning { loop.wake() }
            state.filling.wipe()
            state.draining?.wipe()
            return unsafe (descriptor, state.take(.receiver), state.take(.sender))
        }
        unsafe receiver?.resume()
        unsafe sender?.resume()
        // Closing a terminal may block until its bytes are sent: not with the lock held, which the loop may need.
        if let descriptor { calls.close(descriptor) }
    }
}

/// The state of a ``SocketLink``, under its lock.
@safe package struct SocketLinkState {
    /// How the device's direction ended.
    enum End {
        case inOrder
        case lost(SystemFailure)
    }

    /// The side that waits: for bytes, or for room to send.
    package enum Side {
        case receiver
        case sender
    }

    /// The socket; nil after it was closed.
    var descriptor: Int32?
    /// The buffer that the loop reads into.
    package var filling: ReadAhead
    /// The buffer to hand over next; nil while the receiver holds it.
    var draining: ReadAhead?
    var end: End?
    /// The failure of the call that found the link broken. The system reports it once, and after that only the link's
    /// end.
    var loss: SystemFailure?
    var hasEndedSending = false
    /// The loop's watch of the socket; nil if nothing is watched for.
    var watch: Watch?
    package var interest: Readiness = []
    /// Whether the receiver waits in a ``EventLoop/turn()``.
    var isTurning = false
    private var receiver: UnsafeContinuation<Void, Never>?
    private var sender: UnsafeContinuation<Void, Never>?

    init(_ descriptor: Int32, _ format: SocketFormat) {
        self.descriptor = descriptor
        filling = ReadAhead(format)
        draining = ReadAhead(format)
    }

    /// The readiness to watch for: empty if there is no room, and after the end, since the system would report an end
    /// again and again.
    var wanted: Readiness {
        guard descriptor != nil else { return [] }
        var wanted: Readiness = []
        if end == nil, filling.hasRoom { wanted.insert(.reading) }
        if unsafe sender != nil { wanted.insert(.writing) }
        return wanted
    }

    /// Whether a receiver can go on without waiting.
    var hasNews: Bool { descriptor == nil || end != nil || !filling.isEmpty || draining?.isEmpty == false }

    /// Whether a task waits on this side.
    package func waits(_ side: Side) -> Bool {
        switch side {
        case .receiver: unsafe receiver != nil || isTurning
        case .sender: unsafe sender != nil
        }
    }

    /// Stores the continuation of a task that waits. Each side has one task.
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

    /// Removes and returns the continuation of the task that waits.
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
