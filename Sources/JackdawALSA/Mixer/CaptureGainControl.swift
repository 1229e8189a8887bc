/// Finds the capture gain at which swipes are read, from the decoder's results, and gives advice about other faults.
///
/// A stripe decoder tolerates much: it follows the level through a swipe, reads at 3 dB above white noise, and reads
/// pulses of up to ten times full scale. So the gain changes only if a swipe was lost or nearly lost because of it,
/// once per swipe; in a wide range of levels it does not change. Without a mixer there is only advice.
package struct CaptureGainControl: Sendable {
    /// A swipe that peaks below this level (dBFS) is too quiet even if it was read: pulses are as loud as the card is
    /// fast, and a hand six times slower is 16 dB quieter. That is at -61 dBFS, a few dB above the noise of a plain
    /// sound card.
    package static let quietestPeak = -45.0
    /// If a swipe was too weak for the decoder and peaks below this level (dBFS), more gain may lift it above the noise
    /// of the converter; above this level the noise comes from before the gain, and grows with it.
    package static let highestWeakPeak = -20.0
    /// The peak (dBFS) that a raised gain would have given the last swipe: a hand four times as fast reaches full
    /// scale.
    package static let aimedPeak = -12.0
    /// The share of a swipe's samples at full scale, in runs, from which it counts as clipped: its pulses then exceed
    /// full scale by about a third. Pulses of ten times full scale can still be read, but not under hum, and the next
    /// hand may be faster.
    package static let maxClippedShare = 0.05
    /// The most that the gain is raised by at once, in dB. It is less than the 33 dB from ``quietestPeak`` up to
    /// ``aimedPeak``, so that no step leads from too quiet to clipping.
    package static let largestRaise = 12.0
    /// The decrease of the gain after clipping, in dB: a clipped swipe does not show how loud it would have been.
    package static let lowering = 6.0
    /// Smaller steps than this, in dB, are not made.
    package static let smallestStep = 0.5
    /// After this many turns from raising to lowering or back the gain does not change any more: swipes differ by more
    /// than a gain can correct. Each turn halves the steps that follow.
    package static let maxTurns = 3
    /// Hum this far over the signal, in dB, is reported: from 6 dB on swipes are lost, and at 12 dB nearly all.
    package static let loudHum = 6.0
    /// Reported hum counts until it is below this level, in dB over the signal.
    package static let quietHum = 3.0
    /// A signal less far above its noise than this, in dB, is nearly lost: track 1 is at 3 dB.
    package static let leastSignalToNoise = 6.0
    /// Hum is reported again after it has changed by this much, in dB.
    package static let humChange = 6.0
    /// How far above ``quietestPeak`` a swipe must peak, in dB, to end the state of too quiet swipes.
    package static let quietRelief = 6.0
    /// The share of a swipe's samples at full scale below which clipping is over.
    package static let clippingRelief = 0.025
    /// How long clipping without any swipe must last until it is reported, or be absent until it is over: a plug or a
    /// knock clips for less.
    package static let patience = Duration.seconds(2)
    /// Sound that is received until this long after a change was recorded before it: the longest capture buffer, and
    /// the card's own ramp.
    package static let settlingTime = Duration.milliseconds(500)

    /// The gain as far as it is known, in dB; nil without a mixer.
    package private(set) var gain: Double?
    /// Whether the gain turned up and down so often that it does not change any more.
    package var isSettled: Bool { turns >= Self.maxTurns }

    private var range = 0.0...0.0
    /// The last step, until its effect is known.
    private var step: CaptureGainStep?
    private var lastChange = 0.0
    private var turns = 0
    private var changedAt: Duration?
    private var isQuiet = false
    private var isClipping = false
    private var isNoisy = false
    private var hum: Double?
    private var idleClipping = IdleClipping()
    private var lastAdvice = CaptureAdvice.good

    /// A control that starts from the current gain.
    /// - Parameter gain: the gain of the card's input, as ``Mixer/captureGain()`` returns it; nil for advice alone.
    package init(_ gain: CaptureGain?) {
        self.gain = gain?.decibels
        if let gain { range = gain.range }
    }

    /// Updates the gain after a change: by a step of this control, as far as the card allows, or by hand.
    /// - Parameter gain: the gain now; nil if it can no longer be changed.
    package mutating func gainChanged(to gain: CaptureGain?) {
        defer { step = nil }
        guard let gain else { return self.gain = nil }
        range = gain.range
        // A card that does not follow a step has reached its limit, whatever its range is.
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

    /// Processes an observation of the decoder.
    /// - Parameters:
    ///   - observation: the observation.
    ///   - time: when it ended, from any fixed origin; never decreasing.
    /// - Returns: the actions to take, at most one step and one advice, each only if it is new.
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
            lastAdvice = advice
            outputs.append(.advice(advice))
        }
        return outputs
    }
}

// MARK: - Faults

extension CaptureGainControl {
    private mutating func judge(_ observation: CaptureObservation, at time: Duration) {
        if let over = observation.humOverSignal, over.isFinite {
            if over >= Self.loudHum || (hum != nil && over >= Self.quietHum) { hum = over } else { hum = nil }
        }
        guard let swipe = observation.swipe else {
            idleClipping.receive(observation.clippedShare >= Self.maxClippedShare, at: time, patience: Self.patience)
            return
        }
        let maxClipped = isClipping ? Self.clippingRelief : Self.maxClippedShare
        isClipping = swipe == .clipped || observation.clippedShare >= maxClipped
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
            // Without a swipe this control does not change the gain, but the user or another program may have set it
            // too high.
            if idleClipping.isOn { return .clipping }
        }
        return isNoisy ? .noise : .good
    }

    /// Whether an advice differs from the last one by more than a small change of hum.
    private func isNew(_ advice: CaptureAdvice) -> Bool {
        if case .hum(let now) = advice, case .hum(let before) = lastAdvice {
            return Double((now - before).magnitude) >= Self.humChange
        }
        return advice != lastAdvice
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
        // Silence has no level; it needs the largest raise in any case.
        let missing = observation.peak.isFinite ? Self.aimedPeak - observation.peak : Self.largestRaise
        let size = isClipping ? -Self.lowering : min(Self.largestRaise, missing)
        let target = min(max(gain + size * share, range.lowerBound), range.upperBound)
        guard (target - gain).magnitude >= Self.smallestStep else { return nil }
        return CaptureGainStep(reason: isClipping ? .clipping : .tooQuiet, decibels: target, change: target - gain)
    }
}

/// Clipping outside swipes, after it has lasted.
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

/// Advice to the user about the sound of a reader, in plain words.
package enum CaptureAdvice: Sendable, Hashable, CustomStringConvertible {
    /// All reported faults are over.
    case good
    /// Swipes are too weak, and there is no mixer to raise the gain.
    case tooQuiet
    /// Swipes are too weak with the gain at its highest.
    case tooQuietAtMostGain
    /// Swipes clip, and there is no mixer to lower the gain.
    case clipping
    /// Swipes clip with the gain at its lowest.
    case clippingAtLeastGain
    /// Some swipes clip and others are too weak, at any gain.
    case uneven
    /// Hum is this far over the signal, in dB.
    case hum(decibels: Int)
    /// The signal is hardly above the noise, which is loud itself, so that another gain does not help.
    case noise

    /// A message of one line for the user.
    package var description: String {
        switch self {
        case .good: "the level is good now"
        case .tooQuiet: "too quiet: raise the capture gain"
        case .tooQuietAtMostGain: "too quiet, and the capture gain is at its maximum: swipe faster, or clean the head"
        case .clipping: "clipping: lower the capture gain"
        case .clippingAtLeastGain:
            "clipping, and the capture gain is at its minimum: turn boosts off, or use a line input"
        case .uneven: "some swipes clip and others are too quiet: swipe at an even speed"
        case .hum(let decibels): "hum \(decibels) dB above the signal: check the ground"
        case .noise: "noise covers the signal, and another gain does not help: check the cable and the plug"
        }
    }
}

/// A step of the capture gain.
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
    /// The new gain, in dB.
    package let decibels: Double
    /// The difference to the gain before, in dB.
    package let change: Double

    /// A message of one line for the user.
    package var description: String {
        let size = Int(change.magnitude.rounded())
        return switch reason {
        case .tooQuiet: "too quiet: raising the capture gain by \(size) dB"
        case .clipping: "clipping: lowering the capture gain by \(size) dB"
        }
    }
}

/// An action that ``CaptureGainControl`` requests.
package enum CaptureGainOutput: Sendable, Hashable {
    /// Change the capture gain, then report the resulting gain to `CaptureGainControl/gainChanged(to:)`.
    case step(CaptureGainStep)
    /// Show an advice to the user.
    case advice(CaptureAdvice)
}

/// The decoder's measurements of a stretch of sound that show whether the level is right.
package struct CaptureObservation: Sendable, Hashable {
    /// The result of a swipe.
    package enum Swipe: Sendable, Hashable {
        /// The swipe was read.
        case read
        /// It was not read, since it is hardly above the noise.
        case tooWeak
        /// It was not read, and clipped.
        case clipped
        /// It was not read for another reason.
        case failed
    }

    /// The result of the swipe in it; nil if there was no swipe.
    package var swipe: Swipe?
    /// The highest level in it, in dBFS: 0 is full scale.
    package var peak: Double
    /// The share of its samples that are at full scale in runs, 0...1.
    package var clippedShare: Double
    /// How far the signal is above the noise, in dB; nil if that was not measured.
    package var signalToNoise: Double?
    /// How far hum is above the signal, in dB, negative if it is below; nil if that was not measured.
    package var humOverSignal: Double?

    /// An observation of a stretch of sound.
    /// - Parameters:
    ///   - swipe: the result of the swipe in it; nil if there was no swipe.
    ///   - peak: the highest level in it, in dBFS.
    ///   - clippedShare: the share of its samples that are at full scale in runs, 0...1.
    ///   - signalToNoise: how far the signal is above the noise, in dB.
    ///   - humOverSignal: how far hum is above the signal, in dB.
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
