package import JackdawDSP

/// Finds out which of several readers is connected to an audio jack. The search first listens without playing anything.
/// If that does not find a reader, it asks for permission to play tones. Then it tries one family after the other: it
/// plays the sound that the family's readers answer, and listens for all families at once, so that an answer counts in
/// any family's turn. It repeats a test whose answer had only a few bytes, as such an answer may be noise.
///
/// A state machine without a clock and without a sound card: its time is that of the sound that it receives.
package struct ReaderSearch: ~Copyable {
    /// An action that the caller must take.
    package enum Output: Sendable {
        /// Apply the change to a line from `ReaderSearch/makeLine(sampleRate:)`.
        case play(ReaderModulator.Change)
        /// Listening did not suffice: the search waits for `ReaderSearch/allowTones(_:)`.
        case needsTones
        /// The search has ended; no output follows.
        case finished(ReaderSearchReport)
    }

    /// The number of samples in a sample frame of playback.
    package static let channelCount = 2

    private enum Step {
        case listening, waiting
        /// The test of the family with this index is in progress.
        case testing(Int)
        /// Nothing is played until the next test, or until the end.
        case pausing(next: Int?)
        case finished
    }

    private struct Entry {
        let ear: SearchProbe?
        var attempt: ReaderSearchReport.Attempt
        var firstTest: Double?
        var lastTest = 0.0
        var unknownByteCount = 0
        /// The time of an answer that must be confirmed, and its delay from the test, in seconds.
        var answer: (time: Double, after: Double)?
    }

    private let times: ReaderSearchTimes
    private let captureRate: Double
    private let hop: Int
    private var entries: [Entry] = []
    private var step = Step.listening
    /// The end of the step, in seconds.
    private var deadline: Double
    /// The number of samples received, except during `waiting`.
    private var heardCount = 0
    private var last: Int?
    private var powered: Int?
    private var meter = LevelMeter()
    private var quiet = LevelMeter()
    private var outputs: [Output] = []

    /// Creates a search that has not received any sound.
    /// - Parameters:
    ///   - candidates: the families, in the order in which they are tried.
    ///   - playbackRate: sample frames per second of the playback (Hz).
    ///   - captureRate: samples per second of the capture (Hz).
    ///   - times: the durations of the search's steps.
    package init(
        _ candidates: [ReaderSearchCandidate], playbackRate: Double, captureRate: Double,
        times: ReaderSearchTimes = ReaderSearchTimes()
    ) {
        self.times = times
        self.captureRate = captureRate
        hop = max(1, Int(captureRate / 100))
        deadline = times.listening.seconds
        entries = candidates.map { candidate in
            do throws(ReaderError) {
                let (dialect, sound, test) = try candidate.means.get()
                guard sound.commandGains.count == Self.channelCount else {
                    throw ReaderError(.unsupported, "its commands use other channels")
                }
                let ear: SearchProbe
                do throws(LineCodeError) {
                    ear = try SearchProbe(dialect, sound, test, playbackRate: playbackRate, captureRate: captureRate)
                } catch {
                    throw ReaderError(.unsupported, error.message)
                }
                return Entry(ear: ear, attempt: ReaderSearchReport.Attempt(candidate.family, .notReached))
            } catch {
                return Entry(ear: nil, attempt: ReaderSearchReport.Attempt(candidate.family, .notTried(error.message)))
            }
        }
    }

    /// Creates a silent line for the playback.
    /// - Parameter sampleRate: sample frames per second, 8,000 to 192,000 Hz.
    /// - Returns: the line.
    /// - Throws: `LineCodeError` with code `outOfRange`.
    package static func makeLine(sampleRate: Double) throws(LineCodeError) -> PoweredLine {
        let channels = [Tone.Channel](repeating: .silent, count: channelCount)
        return try PoweredLine(Tone(1_000, channels: channels), sampleRate: sampleRate, ramp: .none)
    }

    /// Handles captured sound.
    /// - Parameter samples: one channel, full scale -1 to 1.
    /// - Returns: the actions to take, in order.
    package mutating func hear(_ samples: Span<Float>) -> [Output] {
        var start = 0
        while start < samples.count, !isFinished {
            let end = min(start + hop, samples.count)
            take(samples.extracting(start..<end))
            start = end
        }
        return takeOutputs()
    }

    /// Discards partial messages, for example after lost sound.
    package mutating func reset() { for entry in entries { entry.ear?.reset() } }

    /// Receives the permission to play tones, or its refusal.
    /// - Parameter isAllowed: if false, the search ends.
    /// - Returns: the actions to take, in order.
    package mutating func allowTones(_ isAllowed: Bool) -> [Output] {
        guard case .waiting = step else { return [] }
        if isAllowed { testNext() } else { finish(nil) }
        return takeOutputs()
    }

    private var isFinished: Bool { if case .finished = step { true } else { false } }

    private var now: Double { Double(heardCount) / captureRate }

    private mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    private mutating func take(_ samples: Span<Float>) {
        let isWaiting = if case .waiting = step { true } else { false }
        if !isWaiting { heardCount += samples.count }
        meter.take(samples)
        if case .listening = step { quiet.take(samples) }
        var signs: [(Int, SearchProbe.Sign)] = []
        for index in entries.indices { entries[index].ear?.hear(samples) { signs.append((index, $0)) } }
        for (index, sign) in signs where !isFinished { take(sign, of: index) }
        if !isFinished, !isWaiting, now >= deadline { meetDeadline() }
    }

    private mutating func take(_ sign: SearchProbe.Sign, of index: Int) {
        switch sign {
        case .unknown(let byteCount): entries[index].unknownByteCount += byteCount
        case .unasked: found(index)
        case .answer(let byteCount):
            // An answer of this length is not noise, and needs no confirmation.
            guard byteCount < Self.certainByteCount else { return found(index) }
            guard entries[index].firstTest != nil else { return entries[index].unknownByteCount += byteCount }
            guard let answer = entries[index].answer else {
                // A second answer confirms only if its test directly follows the first answer.
                for other in entries.indices { entries[other].answer = nil }
                entries[index].answer = (now, now - entries[index].lastTest)
                return test(index)
            }
            if entries[index].lastTest >= answer.time { found(index) }
        }
    }

    /// The shortest turn of a family that needs power; a shorter one is not worth its noise.
    private static let leastPower = Duration.seconds(1)
    /// An answer of at least this many bytes cannot be noise.
    private static let certainByteCount = 6

    private mutating func meetDeadline() {
        switch step {
        case .listening:
            guard entries.contains(where: { $0.ear != nil }) else { return finish(nil) }
            step = .waiting
            outputs.append(.needsTones)
        case .testing(let index):
            noteLevel()
            // An answer that was not confirmed does not count.
            if let answer = entries[index].answer {
                entries[index].attempt.outcome = .answeredOnce(after: .seconds(answer.after))
                entries[index].answer = nil
            }
            testNext()
        case .pausing(let next?): begin(next)
        case .pausing(nil): finish(nil)
        case .waiting, .finished: break
        }
    }

    /// The end of a family's tests; nil before its first test.
    private func end(of index: Int) -> Double? { entries[index].firstTest.map { $0 + times.window.seconds } }

    private mutating func testNext() {
        let begun = last.map { $0 + 1 } ?? 0
        let next = (Array(begun..<entries.count) + Array(0..<begun)).first { index in
            guard let ear = entries[index].ear else { return false }
            // The remaining time must suffice for an answer.
            let least = ear.isPowered ? max(times.turn, Self.leastPower) : times.turn
            return now + least.seconds <= end(of: index) ?? .infinity
        }
        if let next { return test(next) }
        stopPower()
        deadline = entries.indices.compactMap { end(of: $0) }.max() ?? now
        step = .pausing(next: nil)
        if now >= deadline { finish(nil) }
    }

    /// Tests a family after the pause that the reader before it needs.
    private mutating func test(_ index: Int) {
        last = index
        let before = powered
        stopPower()
        guard let before, let ear = entries[before].ear else { return begin(index) }
        // A reader must lose its power before it is powered up again.
        deadline = now + (before == index ? ear.sound.pause : times.gap.seconds)
        step = .pausing(next: index)
    }

    private mutating func begin(_ index: Int) {
        guard let ear = entries[index].ear else { return }
        let (change, seconds) = ear.begin()
        outputs.append(.play(change))
        if ear.isPowered { powered = index }
        entries[index].firstTest = entries[index].firstTest ?? now
        entries[index].lastTest = now
        entries[index].attempt.testCount += 1
        meter = LevelMeter()
        let turn = ear.isPowered ? max(ear.powerUp, times.turn).seconds : seconds + times.turn.seconds
        deadline = min(now + turn, end(of: index) ?? .infinity)
        step = .testing(index)
    }

    private mutating func stopPower() {
        guard let index = powered, let ear = entries[index].ear else { return }
        outputs.append(.play(ear.end()))
        powered = nil
    }

    private mutating func noteLevel() {
        guard case .testing(let index) = step else { return }
        entries[index].attempt.level = meter.loudest
    }

    private mutating func found(_ index: Int) {
        let entry = entries[index]
        if entry.firstTest != nil {
            entries[index].attempt.outcome = .answered(after: .seconds(now - entry.lastTest))
        } else {
            entries[index].attempt.outcome = .heard
        }
        noteLevel()
        finish(index)
    }

    private mutating func finish(_ found: Int?) {
        stopPower()
        for index in entries.indices where index != found && entries[index].attempt.outcome == .notReached {
            if entries[index].unknownByteCount > 0 {
                entries[index].attempt.outcome = .unknown(byteCount: entries[index].unknownByteCount)
            } else if entries[index].firstTest != nil {
                entries[index].attempt.outcome = .silent
            }
        }
        step = .finished
        outputs.append(
            .finished(
                ReaderSearchReport(
                    found: found.map { entries[$0].attempt.family }, quietLevel: quiet.loudest,
                    duration: .seconds(now), attempts: entries.map(\.attempt))))
    }
}

/// Measures the level of the loudest block.
private struct LevelMeter {
    private var greatest: Float = 0

    mutating func take(_ samples: Span<Float>) {
        var sum: Float = 0
        for index in samples.indices { sum += samples[index] * samples[index] }
        if !samples.isEmpty { greatest = max(greatest, sum / Float(samples.count)) }
    }

    /// The root mean square in decibels below full scale, at least -120.
    var loudest: Double { max(-120, Numerics.decibels(power: Double(greatest))) }
}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}
