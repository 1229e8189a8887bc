/// What reads sound one stretch after the other.
protocol StretchReceiver {
    var stretches: SoundStretches { get set }

    /// Reads what begins in the stretch, and drops it.
    mutating func readStretch(into events: inout [LineEvent])
}

extension StretchReceiver {
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe take(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
        }
    }

    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe take(samples, into: &events) { Float($0) * (1 / 32_768) }
        }
    }

    /// Takes samples, up to the end of one stretch after the other.
    @inline(__always)
    private mutating func take<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, into events: inout [LineEvent], convert: (Sample) -> Float
    ) {
        var taken = 0
        while taken < samples.count {
            taken += unsafe stretches.take(samples, from: taken, convert: convert)
            if stretches.isComplete { readStretch(into: &events) }
        }
    }
}
