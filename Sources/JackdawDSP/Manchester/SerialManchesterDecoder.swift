/// Turns the sound of a Manchester UART into characters, each found by itself among the ones around it.
///
/// Either polarity and a clock up to 5 % off are found. A character whose parity is wrong is given as not framed.
public typealias SerialManchesterDecoder = BasebandDecoder<SerialManchesterLine>

extension BasebandDecoder where Line == SerialManchesterLine {
    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates and idle bits.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 4 for a bit at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ line: SerialManchesterLine = .hiJack, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.init(line, sampleRate: sampleRate, SerialManchesterReceiver(line: line, sampleRate: sampleRate))
    }
}
