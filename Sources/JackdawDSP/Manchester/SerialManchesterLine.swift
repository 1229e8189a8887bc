/// A UART whose bits go in Manchester code, each one turn of a sine: start bit 0, eight data bits, the least significant one
/// first, even parity, stop bit 1, and ones between characters. HiJack (University of Michigan) and FloJack (Flomio) talk in
/// it both ways.
///
/// Rates and idle bits are those of the published sources of either; none was checked on hardware: change what does not fit.
public struct SerialManchesterLine: Sendable, Hashable {
    /// Bits a second.
    public var baud: Double
    /// Ones on the line before the first character of a burst, 4 or more.
    public var onesBefore: Int
    /// Ones behind each character, its stop bit not counted, 8 or more.
    public var onesAfter: Int
    /// Whether a 1 falls in the middle of its bit: the sine's positive half first, the negative one after it.
    public var oneFalls: Bool

    /// A line.
    /// - Parameters:
    ///   - baud: bits a second, 300 to 9,600.
    ///   - onesBefore: ones before the first character, 4 to 1,000.
    ///   - onesAfter: ones behind each character, 8 to 1,000.
    ///   - oneFalls: whether a 1 falls in the middle of its bit, from the sine's positive half to the negative one; a decoder
    ///     hears either.
    public init(baud: Double, onesBefore: Int, onesAfter: Int, oneFalls: Bool = true) {
        self.baud = baud
        self.onesBefore = onesBefore
        self.onesAfter = onesAfter
        self.oneFalls = oneFalls
    }

    /// HiJack: 32 samples a bit at 44.1 kHz, at least a hundred ones between characters (HiJackMgr.mm).
    public static let hiJack = SerialManchesterLine(baud: 44_100 / 32, onesBefore: 100, onesAfter: 100)
    /// FloJack: 13 samples a bit, twenty stop bits and four ones before each character (FJNFCService.mm).
    public static let floJack = SerialManchesterLine(baud: 44_100 / 13, onesBefore: 4, onesAfter: 23)
}

extension SerialManchesterLine {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, NibbleLine.sampleRates, "Hz")
        try LineCodeError.check("baud", baud, 300...9_600, "bits a second")
        try LineCodeError.check("baud", baud, 0...sampleRate / 4, "bits a second at this sample rate")
        try LineCodeError.check("ones before", Double(onesBefore), 4...1_000, "bits")
        try LineCodeError.check("ones after", Double(onesAfter), 8...1_000, "bits")
    }
}
