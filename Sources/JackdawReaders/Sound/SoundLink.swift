public import JackdawDSP
public import JackdawTransport
internal import Synchronization

/// A link to a reader on an audio jack: bytes and power go out as changes of what is played, and come in from what is captured.
/// ``ReaderSession`` runs over it as over any other.
///
/// It has no thread of its own: whoever has the port gives it what is captured, by ``capture(from:channel:)`` on a thread that
/// may wait.
///
/// ```swift
/// let link = try SoundLink(name, sound, playback: port, captureRate: port.sampleRate)
/// let session = ReaderSession(link, dialect)
/// link.capture(from: port)
/// ```
package final class SoundLink: PoweredTransport {
    private struct State: ~Copyable {
        var demodulator: ReaderDemodulator
        var modulator: ReaderModulator
        /// In the order in which they came.
        var messages: [ReaderBytes] = []
        var end: End?
        /// Whoever waits for a message; ended when there is one.
        var bell: AsyncStream<Never>.Continuation?
    }

    private enum End {
        /// The port has come to its end.
        case ended
        case lost(LinkError)
        case closed
    }

    /// Messages that wait to be received at most: sound cannot be held back, and what is more is lost.
    private static let mostMessages = 64

    /// The name of the port.
    package let link: LinkName
    private let state: Mutex<State>
    private let change: @Sendable (ReaderModulator.Change) -> Void
    private let closePort: @Sendable () async -> Void

    /// A link to a reader without power.
    /// - Parameters:
    ///   - link: the name of the port.
    ///   - sound: what goes through the jack.
    ///   - playback: where the sound is played; its source is a line of ``ReaderModulator/makeLine()``.
    ///   - captureRate: samples per second of what is captured (Hz).
    ///   - closePort: closes the port; called once, when the link is closed.
    /// - Throws: `LineCodeError` with code `outOfRange` where a rate does not hold the sound.
    package init<Port: PlaybackPort>(
        _ link: LinkName, _ sound: ReaderSound, playback: Port, captureRate: Double,
        closePort: @escaping @Sendable () async -> Void = {}
    ) throws(LineCodeError) where Port.Source == PoweredLine {
        let modulator = try ReaderModulator(sound, sampleRate: playback.sampleRate)
        let demodulator = try ReaderDemodulator(sound, sampleRate: captureRate)
        self.link = link
        self.closePort = closePort
        state = Mutex(State(demodulator: demodulator, modulator: modulator))
        change = { change in playback.change { line in change.apply(to: &line) } }
    }

    /// Messages that nobody has received yet.
    package var waitingCount: Int { state.withLock { $0.messages.count } }

    /// Gives the link what a port captures, until the link or the port has come to its end. It waits for the sound: for a thread
    /// of its own.
    /// - Parameters:
    ///   - port: where the reader is heard.
    ///   - channel: the channel that it is on, from 0 on.
    package func capture(from port: some AudioPort, channel: Int = 0) {
        do throws(LinkError) {
            while state.withLock({ $0.end == nil }) {
                _ = try port.receive(within: .milliseconds(100)) { event, samples in
                    hear(event, samples, channel: channel, of: port.channelCount)
                }
            }
        } catch {
            finish(.lost(error))
        }
    }

    /// Takes what was captured.
    /// - Parameters:
    ///   - event: what happened.
    ///   - samples: the sound, where it is that; full scale -1 to 1, channels interleaved.
    ///   - channel: the channel that the reader is on, from 0 on.
    ///   - channelCount: samples of a frame.
    package func hear(_ event: CaptureEvent, _ samples: Span<Float>, channel: Int = 0, of channelCount: Int = 1) {
        precondition((0..<channelCount).contains(channel), "a frame has a sample of the channel")
        switch event {
        case .sound(let block):
            state.withLock { state in
                guard state.end == nil else { return }
                // A message with a hole in it is none.
                if block.lostBefore > 0 { state.demodulator.reset() }
                var mono = stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
                var messages: [ReaderBytes] = []
                state.demodulator.receive(mono.span) { messages.append(ReaderBytes(copying: $0)) }
                mono.wipe()
                guard !messages.isEmpty else { return }
                state.messages += messages.prefix(max(0, Self.mostMessages - state.messages.count))
                state.bell?.finish()
            }
        case .disconnected:
            finish(
                .lost(
                    LinkError(
                        .disconnected, link: link.description, "the sound card has gone", remedy: "plug it in again")))
        case .reconnected: break
        case .ended: finish(.ended)
        }
    }

    /// Waits for what the reader sends next: a burst where its line code has those.
    package func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        while true {
            let (silence, bell) = AsyncStream<Never>.makeStream()
            let (message, end) = state.withLock { state -> (ReaderBytes?, End?) in
                guard state.messages.isEmpty else { return (state.messages.removeFirst(), nil) }
                state.bell = bell
                return (nil, state.end)
            }
            if let message {
                message.withBytes(take)
                return true
            }
            switch end {
            case .ended: return false
            case .lost(let error): throw error
            case .closed: throw LinkError(.disconnected, link: link.description, "the link is closed")
            case nil: break
            }
            for await _ in silence {}
            guard !Task.isCancelled else { throw LinkError(.cancelled, link: link.description, "given up") }
        }
    }

    /// Sends a command: it is played when what is under way has ended.
    package func send(_ bytes: [UInt8]) async throws(LinkError) {
        try play { modulator in modulator.change(sending: bytes.span) }
    }

    /// Gives the reader power, or takes it away.
    package func setPower(_ power: ReaderPower) async throws(LinkError) {
        try play { modulator in modulator.change(to: power) }
    }

    /// Does nothing: the reader is not told.
    package func endSending() async throws(LinkError) {}

    /// Ends the power, and closes the port.
    package func close() async {
        let isFirst = state.withLock { state in
            if case .closed = state.end { return false }
            // Whatever was lost: what is played may be another card.
            change(state.modulator.change(to: .off))
            state.end = .closed
            state.bell?.finish()
            return true
        }
        if isFirst { await closePort() }
    }

    private func play(_ make: (inout ReaderModulator) -> ReaderModulator.Change) throws(LinkError) {
        let end = state.withLock { state in
            // In the order in which they are made; a change never waits for the sound.
            if state.end == nil { change(make(&state.modulator)) }
            return state.end
        }
        switch end {
        case nil: break
        case .lost(let error): throw error
        case .ended, .closed: throw LinkError(.disconnected, link: link.description, "the link is closed")
        }
    }

    private func finish(_ end: End) {
        state.withLock { state in
            if state.end == nil { state.end = end }
            state.bell?.finish()
        }
    }
}
