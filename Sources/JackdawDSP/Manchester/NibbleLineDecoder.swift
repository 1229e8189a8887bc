/// Turns the sound of a nibble line into characters: sync by correlation, then the best path through the burst.
///
/// Either polarity, a clock up to 5 % off, a standing offset and hum are found and followed. Characters come when their burst
/// is over, since its check may turn bits of them over.
public typealias NibbleLineDecoder = BasebandDecoder<NibbleLine>

extension BasebandDecoder where Line == NibbleLine {
    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates, sync and checks.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a chip at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ line: NibbleLine = .uniMag, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.init(line, sampleRate: sampleRate, NibbleReceiver(format: line, sampleRate: sampleRate))
    }
}
