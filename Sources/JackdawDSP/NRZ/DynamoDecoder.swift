/// Turns the sound of a MagTek audio-jack reader into the data of its packets, or into whole packets.
///
/// Each nibble's chips are followed and decided together as on a ``NibbleLine``, which its UART frame makes it one of. Nothing
/// is given of a packet whose identifier, number and length do not fit; one whose checksum fails is given as it was heard, to
/// be asked for again.
public typealias DynamoDecoder = BasebandDecoder<DynamoLine>

extension BasebandDecoder where Line == DynamoLine {
    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - line: rates and identifiers.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and 2.1 for a line bit at least.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ line: DynamoLine = .reader, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.init(line, sampleRate: sampleRate, NibbleReceiver(format: line, sampleRate: sampleRate))
    }
}
