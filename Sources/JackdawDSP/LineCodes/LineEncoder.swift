/// Turns bytes into the sound of a line code. One shape for FSK, Manchester and NRZ.
///
/// What is encoded in parts sounds the same as in one go: phase and position in the bit go on from call to call.
public protocol LineEncoder: Sendable {
    /// Appends the sound of some bytes, full scale -1 to 1.
    mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float])

    /// Appends the idle line (a held mark, a running power tone, silence) for so many seconds, 0 or more.
    mutating func idle(seconds: Double, into samples: inout [Float])

    /// Starts anew.
    mutating func reset()
}
