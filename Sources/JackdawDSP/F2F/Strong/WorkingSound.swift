/// A segment at the sample rate that a search works at.
struct WorkingSound {
    let samples: [Float]
    /// Sample rate as a power of two of the original one.
    let step: Int
    /// At the original rate: where samples were lost at the rail, its sign there and 0 elsewhere.
    private let lost: [Int8]?

    init(samples: [Float], step: Int, lost: [Int8]?) {
        self.samples = samples
        self.step = step
        self.lost = lost
    }

    /// Original samples a working one.
    var scale: Float { Float(sign: .plus, exponent: -step, significand: 1) }

    /// Sign of the rail at which the sound around a working sample was lost, or 0. A pulse of that sign may hide there.
    func lostSign(at time: Float) -> Int8 {
        guard let lost else { return 0 }
        let index = Int((time * scale).rounded())
        return lost.indices.contains(index) ? lost[index] : 0
    }

    var hasLosses: Bool { lost != nil }
}
