/// Turns bytes into the sound of a line code. One shape for FSK, Manchester and NRZ.
///
/// What is encoded in parts sounds the same as in one go: phase and position in the bit go on from call to call, and a line
/// that sends packets keeps back what it cannot send before it knows what follows. ``finish(into:)`` ends that, and so does an
/// idle line. Where the samples outgrow their array, what they leave behind is overwritten.
public protocol LineEncoder: Sendable {
    /// Appends the sound of some bytes, full scale -1 to 1.
    mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float])

    /// Ends a message: appends the sound of what was kept back, if anything.
    mutating func finish(into samples: inout [Float])

    /// Ends a message and appends the idle line (a held mark, a running power tone, silence).
    /// - Parameters:
    ///   - seconds: for how long, 0 to 600. What is longer counts as 600; what is negative, not a number or without end, as 0.
    ///   - samples: what is appended to.
    mutating func idle(seconds: Double, into samples: inout [Float])

    /// Starts anew.
    mutating func reset()
}

extension LineEncoder {
    /// Does nothing: a line keeps nothing back unless it sends packets.
    public mutating func finish(into samples: inout [Float]) {}
}
