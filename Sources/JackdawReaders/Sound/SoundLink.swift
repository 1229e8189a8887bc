import JackdawBytes
package import JackdawDSP
package import JackdawTransport

/// A link to a reader on an audio jack: sends bytes and power as changes of the playback, and decodes bytes from the
/// capture. ``ReaderSession`` uses it as any other link.
///
/// The link has no thread of its own: the owner of the port passes the captured sound, with ``capture(from:channel:)``
/// on a thread that may block.
package final class SoundLink: PoweredTransport {
    private struct State: ~Copyable {
        var demodulator: ReaderDemodulator
        var modulator: ReaderModulator
        /// The messages received, in order.
        var messages: [ReaderBytes] = []
        var end: End?
    }

    private enum End {
        /// The port has ended, as a file does.
        case ended
        case lost(LinkError)
        case closed
    }

    /// The most messages that wait to be received. Sound cannot be held back, so further messages are lost.
    private static let maxMessages = 64

    /// The name of the port, such as `alsa:hw:1`.
    package let link: LinkName
    private let state: Lock<State>
    /// Sent when there is a message, or the link has ended.
    private let change = AsyncSignal()
    private let play: @Sendable (ReaderModulator.Change) -> Void
    private let closePort: @Sendable () async -> Void

    /// Creates a link to a reader without power.
    /// - Parameters:
    ///   - link: the name of the port.
    ///   - sound: the tones and line codes of the reader.
    ///   - playback: the port for playback; its source is a line from ``ReaderModulator/makeLine()``.
    ///   - captureRate: samples per second of the capture (Hz).
    ///   - closePort: closes the port; called once, when the link is closed.
    /// - Throws: `LineCodeError` with code `outOfRange` if a rate is too low for the sound.
    package init<Port: PlaybackPort>(
        _ link: LinkName, _ sound: ReaderSound, playback: Port, captureRate: Double,
        closePort: @escaping @Sendable () async -> Void = {}
    ) throws(LineCodeError) where Port.Source == PoweredLine {
        let modulator = try ReaderModulator(sound, sampleRate: playback.sampleRate)
        let demodulator = try ReaderDemodulator(sound, sampleRate: captureRate)
        self.link = link
        self.closePort = closePort
        state = Lock(State(demodulator: demodulator, modulator: modulator))
        play = { change in playback.change { line in change.apply(to: &line) } }
    }

    /// The number of messages that no task has received yet.
    package var waitingCount: Int { state.withLock { $0.messages.count } }

    /// Passes the sound that a port captures to the link, until the link or the port ends. Blocks, so it needs its own
    /// thread.
    /// - Parameters:
    ///   - port: the port that captures the reader's sound.
    ///   - channel: the reader's channel, from 0.
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

    /// Handles captured sound or another event of the capture.
    /// - Parameters:
    ///   - event: the event of the capture.
    ///   - samples: the sound, if the event has any; full scale -1 to 1, channels interleaved.
    ///   - channel: the reader's channel, from 0.
    ///   - channelCount: the number of samples in a sample frame.
    package func hear(_ event: CaptureEvent, _ samples: Span<Float>, channel: Int = 0, of channelCount: Int = 1) {
        precondition((0..<channelCount).contains(channel), "a frame has a sample of the channel")
        switch event {
        case .sound(let block):
            state.withLock { state in
                guard state.end == nil else { return }
                // A message with a gap is invalid.
                if block.lostBefore > 0 { state.demodulator.reset() }
                var mono = stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
                var messages: [ReaderBytes] = []
                state.demodulator.receive(mono.span) { messages.append(ReaderBytes(copying: $0)) }
                mono.wipe()
                guard !messages.isEmpty else { return }
                state.messages += messages.prefix(max(0, Self.maxMessages - state.messages.count))
                change.send()
            }
        case .disconnected:
            finish(
                .lost(
                    LinkError(
                        .disconnected, link: link.description, "the sound card was removed",
                        remedy: "plug it in again")))
        case .reconnected: break
        case .ended: finish(.ended)
        }
    }

    /// Waits for the reader's next bytes: a burst, if its line code has bursts.
    package func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        while true {
            let seen = change.count
            let (message, end) = state.withLock { state -> (ReaderBytes?, End?) in
                state.messages.isEmpty ? (nil, state.end) : (state.messages.removeFirst(), nil)
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
            await change.wait(after: seen)
            guard !Task.isCancelled else { throw LinkError(.cancelled, link: link.description, "cancelled") }
        }
    }

    /// Sends a command; it is played when the current sound has ended.
    package func send(_ bytes: [UInt8]) async throws(LinkError) {
        try play { modulator in modulator.change(sending: bytes.span) }
    }

    /// Supplies power to the reader, or removes it.
    package func setPower(_ power: ReaderPower) async throws(LinkError) {
        try play { modulator in modulator.change(to: power) }
    }

    /// Does nothing, as an audio reader cannot be informed.
    package func endSending() async throws(LinkError) {}

    /// Removes the power, and closes the port.
    package func close() async {
        let isFirst = state.withLock { state in
            if case .closed = state.end { return false }
            // Remove the power even after the link was lost: playback may go to another sound card than capture.
            play(state.modulator.change(to: .off))
            state.end = .closed
            change.send()
            return true
        }
        if isFirst { await closePort() }
    }

    private func play(_ make: (inout ReaderModulator) -> ReaderModulator.Change) throws(LinkError) {
        let end = state.withLock { state in
            // Under the lock, so that changes are played in the order in which they were made; a change never waits for
            // the sound.
            if state.end == nil { play(make(&state.modulator)) }
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
        }
        change.send()
    }
}
