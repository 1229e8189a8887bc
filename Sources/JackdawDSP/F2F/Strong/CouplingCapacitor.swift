/// The coupling capacitor of a sound input, which is a high-pass of first order. Of a slow swipe it passes little more
/// than the edges of the pulses: each is followed by one of the other polarity.
enum CouplingCapacitor {
    /// The assumed corner, in Hz. Inputs differ; from 200 to 450 Hz, nearly the same swipes are decoded.
    private static let corner = 300.0
    /// The sound is restored down to this frequency, in Hz. Below it are only drift and the rest of the hum.
    private static let lowest = 50.0
    /// The longest bit cell, in seconds, at which the restored sound is not clearer.
    private static let slowCell = 0.0008

    /// Whether the capacitor changes pulses so much, at this bit cell in seconds, that the restored sound is worth a
    /// search.
    static func distorts(cell: Double) -> Bool { cell > slowCell }

    /// Restores the low frequencies of a sound in place.
    static func compensate(_ samples: inout [Float], sampleRate: Double) {
        // (s + corner) / (s + lowest), by the bilinear transform.
        let zero = Double.pi * corner / sampleRate
        let pole = Double.pi * lowest / sampleRate
        let (direct, before, feedback) = (
            Float((1 + zero) / (1 + pole)), Float((zero - 1) / (1 + pole)), Float((1 - pole) / (1 + pole))
        )
        var input: Float = 0
        var output: Float = 0
        for index in samples.indices {
            output = direct * samples[index] + before * input + feedback * output
            input = samples[index]
            samples[index] = output
        }
    }
}
