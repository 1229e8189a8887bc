/// Finds the capture gain at which swipes are read, from what the decoder says of them, and says what else is wrong.
///
/// A stripe decoder needs little: it follows the level through a swipe, reads 3 dB above white noise, and reads pulses that
/// reach ten times over full scale. So the gain is changed only where a swipe was lost to it or nearly so, once for a swipe,
/// and there is a wide range of levels in which nothing is done. Where there is no mixer it gives advice alone.
package struct CaptureGainControl: Sendable {
    /// A swipe that peaks below this level (dBFS) is too quiet even if it was read: pulses are as loud as the card is fast,
    /// and a hand six times slower is 16 dB quieter. That is at -61 dBFS, a few dB above the noise of a plain sound card.
    package static let quietestPeak = -45.0
    /// A swipe that was too weak for the decoder and peaks below this level (dBFS) may be lifted from the noise of the
    /// converter by more gain; above it the noise comes from before the gain, and grows with it.
    package static let highestWeakPeak = -20.0
    /// The peak (dBFS) that a raised gain would have given the last swipe: a hand four times as fast reaches full scale.
    package static let aimedPeak = -12.0
    /// The share of a swipe's samples at full scale, in runs, from which it counts as clipped: pulses then stand about a
    /// third over full scale. Ten times over is still read, but not under hum, nor is any hand sure to be no faster.
    package static let mostClippedShare = 0.05
    /// The most that the gain is raised by at once, in dB. It is less than the 33 dB from ``quietestPeak`` up to
    /// ``aimedPeak``, so that no step leads from too quiet to clipping.
    package static let largestRaise = 12.0
    /// What the gain is lowered by, in dB: a clipped swipe does not tell how loud it would have been.
    package static let lowering = 6.0
    /// A step below this size, in dB, is not worth a change.
    package static let smallestStep = 0.5
    /// After this many turns from raising to lowering or back the gain stays: swipes differ by more than a gain can settle.
    /// Each turn halves the steps that follow.
    package static let mostTurns = 3
    /// Hum this far over the signal, in dB, is told of: from 6 dB on swipes are lost, and at 12 dB nearly all.
    package static let loudHum = 6.0
    /// Hum that was told of counts until it is below this level, in dB over the signal.
    package static let quietHum = 3.0
    /// A signal less far above its noise than this, in dB, is about to be lost: track 1 is at 3 dB.
    package static let leastSignalToNoise = 6.0
    /// Hum that has changed by this much since it was told of, in dB, is told of again.
    package static let humChange = 6.0
    /// How far above ``quietestPeak`` a swipe must peak, in dB, for too quiet ones to be over.
    package static let quietRelief = 6.0
    /// The share of a swipe's samples below which clipping is over.
    package static let clippingRelief = 0.025
    /// How long clipping without any swipe must last until it is told of, or be gone until that is over: a plug or a knock
    /// clips for less.
    package static let patience = Duration.seconds(2)
    /// What was heard until so long after a change was recorded before it: the longest buffer of a capture, and the card's
    /// own ramp.
    package static let settlingTime = Duration.milliseconds(500)

    /// The gain as far as it is known, in dB; nil where there is no mixer.
    package private(set) var gain: Double?
    /// Whether the gain was turned up and down so often that it stays as it is.
    package var isSettled: Bool { turns >= Self.mostTurns }

    private var range = 0.0...0.0
    /// The last step, until it is known what became of it.
    private var step: CaptureGainStep?
    private var lastChange = 0.0
    private var turns = 0
    private var changedAt: Duration?
    private var isQuiet = false
    private var isClipping = false
    private var isNoisy = false
    private var hum: Double?
    private var idleClipping = IdleClipping()
    private var told = CaptureAdvice.good

    /// A control.
    /// - Parameter gain: the gain of the card's input, as ``Mixer/captureGain()`` tells it; nil for advice alone.
    package init(_ gain: CaptureGain?) {
        self.gain = gain?.decibels
        if let gain { range = gain.range }
    }

    /// The gain was changed: as a step asked for, as far as the card can, or by hand.
    /// - Parameter gain: the gain now; nil where it can no longer be changed.
    package mutating func gainChanged(to gain: CaptureGain?) {
        defer { step = nil }
        guard let gain else { return self.gain = nil }
        range = gain.range
        // A card that does not follow has come to its end, whatever its range says.
        if let step {
            let moved = gain.decibels - (step.decibels - step.change)
            if step.change > 0 && moved < Self.smallestStep {
                range = min(range.lowerBound, gain.decibels)...gain.decibels
            } else if step.change < 0 && moved > -Self.smallestStep {
                range = gain.decibels...max(range.upperBound, gain.decibels)
            }
        }
        self.gain = gain.decibels
    }

    /// Takes what was heard.
    /// - Parameters:
    ///   - observation: what was heard.
    ///   - time: when that ended, since any one moment; never going back.
    /// - Returns: what to do, at most one step and one advice, either only when it is new.
    package mutating func receive(_ observation: CaptureObservation, at time: Duration) -> [CaptureGainOutput] {
        if let changedAt, time < changedAt + Self.settlingTime { return [] }
        judge(observation, at: time)
        let next = observation.swipe == nil ? nil : nextStep(after: observation)
        var outputs: [CaptureGainOutput] = []
        if let next {
            step = next
            gain = next.decibels
            lastChange = next.change
            changedAt = time
            outputs.append(.step(next))
        }
        let advice = advice(hasStepped: next != nil)
        if isNew(advice) {
            told = advice
            outputs.append(.advice(advice))
        }
        return outputs
    }
}

// MARK: - What is wrong

extension CaptureGainControl {
    private mutating func judge(_ observation: CaptureObservation, at time: Duration) {
        if let over = observation.humOverSignal, over.isFinite {
            if over >= Self.loudHum || (hum != nil && over >= Self.quietHum) { hum = over } else { hum = nil }
        }
        guard let swipe = observation.swipe else {
            idleClipping.receive(observation.clippedShare >= Self.mostClippedShare, at: time, patience: Self.patience)
            return
        }
        let mostClipped = isClipping ? Self.clippingRelief : Self.mostClippedShare
        isClipping = swipe == .clipped || observation.clippedShare >= mostClipped
        let quietest = Self.quietestPeak + (isQuiet ? Self.quietRelief : 0)
        isQuiet =
            !isClipping
            && (observation.peak < quietest || (swipe == .tooWeak && observation.peak < Self.highestWeakPeak))
        let isNearNoise = observation.signalToNoise.map { $0 < Self.leastSignalToNoise } ?? false
        isNoisy = !isClipping && !isQuiet && (swipe == .tooWeak || isNearNoise)
    }

    private func advice(hasStepped: Bool) -> CaptureAdvice {
        if let hum { return .hum(decibels: Int(min(hum, 200).rounded())) }
        if !hasStepped {
            if gain != nil && isSettled && (isClipping || isQuiet) { return .uneven }
            if isClipping { return gain == nil ? .clipping : .clippingAtLeastGain }
            if isQuiet { return gain == nil ? .tooQuiet : .tooQuietAtMostGain }
            // Between swipes the gain is not changed here, but somebody may have left it too high.
            if idleClipping.isOn { return .clipping }
        }
        return isNoisy ? .noise : .good
    }

    /// Whether an advice differs from the last one by more than a little hum.
    private func isNew(_ advice: CaptureAdvice) -> Bool {
        if case .hum(let now) = advice, case .hum(let before) = told {
            return Double((now - before).magnitude) >= Self.humChange
        }
        return advice != told
    }
}

// MARK: - The next step

extension CaptureGainControl {
    private mutating func nextStep(after observation: CaptureObservation) -> CaptureGainStep? {
        guard let gain, isClipping || isQuiet, !isSettled else { return nil }
        // Hum grows with the gain as the signal does.
        guard isClipping || hum == nil else { return nil }
        let isTurn = (isClipping && lastChange > 0) || (isQuiet && lastChange < 0)
        if isTurn { turns += 1 }
        guard !isSettled else { return nil }
        let share = 1 / Double(1 << turns)
        // Silence has no level; it is far from the aim in any case.
        let missing = observation.peak.isFinite ? Self.aimedPeak - observation.peak : Self.largestRaise
        let size = isClipping ? -Self.lowering : min(Self.largestRaise, missing)
        let target = min(max(gain + size * share, range.lowerBound), range.upperBound)
        guard (target - gain).magnitude >= Self.smallestStep else { return nil }
        return CaptureGainStep(reason: isClipping ? .clipping : .tooQuiet, decibels: target, change: target - gain)
    }
}

/// Clipping where nobody swipes, once it has lasted.
private struct IdleClipping: Sendable {
    private(set) var isOn = false
    private var differsSince: Duration?

    mutating func receive(_ clips: Bool, at time: Duration, patience: Duration) {
        guard clips != isOn else { return differsSince = nil }
        let since = differsSince ?? time
        differsSince = since
        if time - since >= patience {
            isOn = clips
            differsSince = nil
        }
    }
}

/// What a person can do about the sound of a reader, in plain words.
package enum CaptureAdvice: Sendable, Hashable, CustomStringConvertible {
    /// What was wrong is over.
    case good
    /// Swipes are too weak, and nothing here can raise the gain.
    case tooQuiet
    /// Swipes are too weak with the gain at its highest.
    case tooQuietAtMostGain
    /// Swipes clip, and nothing here can lower the gain.
    case clipping
    /// Swipes clip with the gain at its lowest.
    case clippingAtLeastGain
    /// Some swipes clip and others are too weak, whatever the gain.
    case uneven
    /// Hum stands this far over the signal, in dB.
    case hum(decibels: Int)
    /// The signal is hardly above a noise that is loud itself, so that another gain does not help.
    case noise

    /// One line for a person.
    package var description: String {
        switch self {
        case .good: "the level is good now"
        case .tooQuiet: "too quiet: raise the capture gain"
        case .tooQuietAtMostGain: "too quiet, and the capture gain is at its highest: swipe faster, or clean the head"
        case .clipping: "clipping: lower the capture gain"
        case .clippingAtLeastGain:
            "clipping, and the capture gain is at its lowest: turn boosts off, or use a line input"
        case .uneven: "some swipes clip and others are too quiet: swipe at an even speed"
        case .hum(let decibels): "hum \(decibels) dB over the signal: check the ground"
        case .noise: "noise covers the signal, and another gain does not help: check cable and plug"
        }
    }
}

/// A change of the capture gain.
package struct CaptureGainStep: Sendable, Hashable, CustomStringConvertible {
    /// Why the gain is changed.
    package enum Reason: Sendable, Hashable {
        /// The last swipe was too weak.
        case tooQuiet
        /// The last swipe clipped.
        case clipping
    }

    /// Why the gain is changed.
    package let reason: Reason
    /// What it is to be, in dB.
    package let decibels: Double
    /// By how much that is more than before, in dB.
    package let change: Double

    /// One line for a person.
    package var description: String {
        let size = Int(change.magnitude.rounded())
        return switch reason {
        case .tooQuiet: "too quiet: raising the capture gain by \(size) dB"
        case .clipping: "clipping: lowering the capture gain by \(size) dB"
        }
    }
}

/// What ``CaptureGainControl`` wants.
package enum CaptureGainOutput: Sendable, Hashable {
    /// The capture gain is to be changed. Whoever does it says what became of it:
    /// ``CaptureGainControl/gainChanged(to:)``.
    case step(CaptureGainStep)
    /// A person is to be told.
    case advice(CaptureAdvice)
}

/// What a decoder has heard of a stretch of sound, as far as it tells whether the level is right.
package struct CaptureObservation: Sendable, Hashable {
    /// What became of a swipe.
    package enum Swipe: Sendable, Hashable {
        /// It was read.
        case read
        /// It was not read, being hardly above the noise.
        case tooWeak
        /// It was not read, and clipped.
        case clipped
        /// It was not read for another reason.
        case failed
    }

    /// What became of the swipe in it; nil where there was none.
    package var swipe: Swipe?
    /// The highest level in it, in dBFS: 0 is full scale.
    package var peak: Double
    /// The share of its samples that are at full scale in runs, 0...1.
    package var clippedShare: Double
    /// How far the signal stands above the noise, in dB; nil where that was not measured.
    package var signalToNoise: Double?
    /// How far hum stands above the signal, in dB, negative where it is below; nil where that was not measured.
    package var humOverSignal: Double?

    /// An observation.
    /// - Parameters:
    ///   - swipe: what became of the swipe in it; nil where there was none.
    ///   - peak: the highest level in it, in dBFS.
    ///   - clippedShare: the share of its samples that are at full scale in runs, 0...1.
    ///   - signalToNoise: how far the signal stands above the noise, in dB.
    ///   - humOverSignal: how far hum stands above the signal, in dB.
    package init(
        swipe: Swipe? = nil, peak: Double, clippedShare: Double = 0, signalToNoise: Double? = nil,
        humOverSignal: Double? = nil
    ) {
        self.swipe = swipe
        self.peak = peak
        self.clippedShare = clippedShare
        self.signalToNoise = signalToNoise
        self.humOverSignal = humOverSignal
    }
}
