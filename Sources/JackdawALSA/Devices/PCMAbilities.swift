/// What a PCM device can do, as its driver says while nobody has it.
public struct PCMAbilities: Sendable, Hashable {
    /// The lowest and the highest rate (Hz).
    public let rates: ClosedRange<Int>
    /// Those of the usual rates that it can, from low to high (Hz).
    public let usualRates: [Int]
    /// The fewest and the most channels.
    public let channels: ClosedRange<Int>
    /// The sample formats by their ALSA names, the ones that this module uses: `S16_LE`.
    public let formats: [String]

    /// Rates that recordings are made at (Hz).
    static let usualRates = [
        8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
    ]
}
