/// Where data begin on a nibble line.
struct NibbleSync {
    /// Position of the first data nibble, in steps.
    var position: Double
    /// Length of a nibble, in steps.
    var period: Double
    /// +1 or -1: the sign that turns the line the right way up.
    var polarity: Float
    /// Amplitude of the chips, full scale 1.
    var level: Float
}
