/// The searches for another sender that found no signal. Noise in a part of the band opens the squelch time and again,
/// and each of these searches takes as long as ten others.
///
/// Sound that is as loud as the one that failed, with tones as strong, is passed over without a search for longer, as
/// more searches fail. A signal that begins in noise makes it louder, or its tones stronger.
struct Failures: Sendable {
    /// What the squelch measures of a stretch.
    struct Sound {
        /// The power of the tones over the one at which the squelch opens.
        var strength: Float
        /// The power of the sound in its loudest part.
        var power: Float
    }

    private var count = 0
    /// Sound to pass over before the next search, in quarters of a stretch; a stretch of other sound counts in full.
    private var pause = 0
    /// Stretches of noise since the squelch closed.
    private var closed = 0
    /// The sound that failed: the largest strength, and the usual sound of late.
    private var strength: Float = 0
    private var usual = Sound(strength: 0, power: 0)

    /// The largest number of stretches to pass over, if they do not resemble those that failed.
    private static let maxPause = 16
    /// Failures before the first pause: a burst may begin with a few of them.
    private static let freeFailures = 3
    /// Failures from which on similar sound is not searched at all.
    private static let certainFailures = 6
    /// The factor of the strength from which on the sound is another.
    private static let otherStrength: Float = 1.5
    /// The strength and the power of similar sound, over the usual ones: of noise, nine stretches in ten are within.
    private static let similarStrength: ClosedRange<Float> = 0.6...1.5
    private static let similarPower: ClosedRange<Float> = 0.7...1.4
    /// Gain with which the usual sound is followed.
    private static let gain: Float = 0.25
    /// Stretches of noise after which the failures no longer count.
    private static let longNoise = 4

    /// What to do with a stretch with an open squelch.
    enum Choice {
        /// Pass over the whole stretch.
        case pass
        /// Search with the nominal sender.
        case search
        /// Search for another sender, too.
        case settle
    }

    /// Notes a stretch with the squelch closed.
    mutating func noteNoise() {
        closed += 1
        if closed >= Self.longNoise { self = Failures() }
    }

    /// Chooses what to do with a stretch with an open squelch.
    mutating func choose(_ sound: Sound) -> Choice {
        closed = 0
        let isSimilar = isUsual(sound)
        guard pause > 0, sound.strength < Self.otherStrength * strength else { return .settle }
        pause = max(0, pause - (isSimilar ? 1 : 4))
        return isSimilar && count >= Self.certainFailures ? .pass : .search
    }

    private func isUsual(_ sound: Sound) -> Bool {
        Self.similarStrength.contains(sound.strength / usual.strength)
            && Self.similarPower.contains(sound.power / usual.power)
    }

    /// Notes a search and its result.
    mutating func note(_ sound: Sound, isSignal: Bool) {
        guard !isSignal else {
            self = Failures()
            return
        }
        if isUsual(sound) {
            usual.strength += Self.gain * (sound.strength - usual.strength)
            usual.power += Self.gain * (sound.power - usual.power)
        } else {
            usual = sound
        }
        count = min(count + 1, Self.maxPause)
        pause = 4 * (min(1 << max(0, count - Self.freeFailures), Self.maxPause) - 1)
        strength = count > 1 ? max(strength, sound.strength) : sound.strength
    }
}
