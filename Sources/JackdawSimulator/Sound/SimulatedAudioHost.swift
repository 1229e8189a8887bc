public import JackdawDSP
public import JackdawTransport

/// Runs a simulated reader on a sound card: it hears there what a program plays, and plays what it says. It has no thread of its
/// own, and waits for sound: for a thread that may.
public struct SimulatedAudioHost: ~Copyable {
    private var reader: SimulatedAudioReader

    /// - Parameter reader: who hears and says.
    public init(_ reader: consuming SimulatedAudioReader) { self.reader = reader }

    /// The line that the reader speaks on, silent.
    /// - Parameter sampleRate: frames per second, 8,000 to 192,000 Hz.
    /// - Returns: a line of one channel.
    /// - Throws: `LineCodeError` with code `outOfRange`.
    public static func makeLine(sampleRate: Double) throws(LineCodeError) -> PoweredLine {
        try PoweredLine(Tone(1_000, channels: [.silent]), sampleRate: sampleRate, ramp: .none)
    }

    /// Hears and says until it is over, or the port has come to its end.
    /// - Parameters:
    ///   - port: where the program is heard.
    ///   - playback: where the reader is heard: a line of ``makeLine(sampleRate:)``.
    ///   - goesOn: whether it goes on; asked ten times a second at least.
    ///   - tell: gets each time that the reader gets power or loses it.
    /// - Throws: `LinkError` where the port is lost.
    public mutating func run(
        hearing port: some AudioPort, saying playback: some PlaybackPort<PoweredLine>, while goesOn: () -> Bool,
        _ tell: (Bool) -> Void = { _ in }
    ) throws(LinkError) {
        var isOver = false
        while goesOn(), !isOver {
            _ = try port.receive(within: .milliseconds(100)) { event, samples in
                switch event {
                case .sound:
                    let hadPower = reader.hasPower
                    reader.hear(samples, of: port.channelCount) { message in
                        playback.change { line in try? line.enqueue(message, .added) }
                    }
                    if reader.hasPower != hadPower { tell(reader.hasPower) }
                case .disconnected, .ended: isOver = true
                case .reconnected: break
                }
            }
        }
    }
}
