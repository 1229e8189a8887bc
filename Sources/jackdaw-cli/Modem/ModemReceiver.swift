import JackdawBytes
import JackdawDSP
import JackdawSpectrum

/// Decodes the sound of one channel into characters, in a mode that is given or that it detects.
protocol ModemReceiver {
    /// Receives an event and the mode in which it was decoded.
    typealias Sink = (LineEvent, LineMode) -> Void

    /// Decodes the next samples and sends the events that they complete to the sink.
    mutating func receive(_ samples: Span<Int16>, _ sink: Sink)

    /// Decodes the next samples and sends the events that they complete to the sink.
    mutating func receive(_ samples: Span<Float>, _ sink: Sink)

    /// Ends the recording and sends the remaining events to the sink.
    mutating func finish(_ sink: Sink)

    /// The card swipes that were found instead of modem sound since the last call.
    mutating func takeSwipes() -> [SwipeSpan]
}

/// Decodes a mode that is given.
///
/// The bit cells of a card may also decode as characters. A burst is kept until it is certainly not a swipe, or the
/// swipe decoder has processed it.
struct KnownModeReceiver: ModemReceiver {
    /// The number of characters from which a burst of `leastConfidence` cannot be a swipe: of 345 swipes the longest
    /// had 37 characters, and the longest of such confidence 20.
    private static let many = 40
    /// The same number after a burst that was certainly a modem's. A swipe can reach it, but is not
    /// expected in the sound of a modem.
    private static let some = 8
    /// The least mean confidence of such a burst.
    private static let leastConfidence: Float = 0.85
    /// The signal-to-noise ratio in dB that a swipe does not reach as a burst of tones: its overtones count as noise.
    private static let clear = 8.0
    /// The longest swipe, the longest wait of a burst for the swipe decoder, and the margin of sound that is kept, in
    /// seconds.
    private static let longestSwipe = 2.5
    private static let longestWait = 4.0
    private static let slack = 1.0
    /// Seconds after a burst until the swipe decoder detects its end.
    private static let gateDelay = 0.1
    /// The largest delay of a decoder, in bits.
    private static let latestBits = 240.0
    /// Samples between two judgements, and in a burst that is certainly a modem's. They do not depend on the size of
    /// the blocks, so that the result does not, either.
    private static let step = 1_024
    private static let stepInBurst = 4_096

    private let mode: LineMode
    private let sampleRate: Double
    private var decoder: LineModeDecoder
    private var events: [LineEvent] = []
    /// The events of bursts that may be swipes.
    private var held: [LineEvent] = []
    private var swipeWatch: SwipeWatch
    /// The largest delay of the decoder, in samples.
    private let patience: Int
    private var position = 0
    /// The sample at which the events are judged next.
    private var nextJudgement = Self.step
    /// The verdict on the open burst.
    private var verdict = Verdict.none
    /// Whether any burst was certainly a modem's.
    private var isModem = false

    private enum Verdict {
        case none
        case burst
        case swipe
    }

    /// Creates a receiver of a mode.
    /// - Throws: `LineCodeError` with code `outOfRange` if the sample rate does not support the mode.
    init(_ mode: LineMode, sampleRate: Double) throws(LineCodeError) {
        self.mode = mode
        self.sampleRate = sampleRate
        decoder = try mode.decoder(sampleRate: sampleRate)
        let late = mode.keying.shift.map { Self.latestBits / $0.baud } ?? 0
        let seconds = max(Self.slack, late)
        patience = Int(seconds * sampleRate)
        swipeWatch = SwipeWatch(
            sampleRate: sampleRate, seconds: seconds + Self.longestSwipe + Self.longestWait + Self.slack)
    }

    mutating func receive(_ samples: Span<Int16>, _ sink: Sink) {
        forEachStep(of: samples.count) { receiver, range in
            receiver.swipeWatch.history.append(samples.extracting(range))
            receiver.decoder.receive(samples.extracting(range), into: &receiver.events)
            receiver.sort(sink)
        }
    }

    mutating func receive(_ samples: Span<Float>, _ sink: Sink) {
        forEachStep(of: samples.count) { receiver, range in
            receiver.swipeWatch.history.append(samples.extracting(range))
            receiver.decoder.receive(samples.extracting(range), into: &receiver.events)
            receiver.sort(sink)
        }
    }

    mutating func finish(_ sink: Sink) {
        decoder.finish(into: &events)
        sort(sink, isEnd: true)
        swipeWatch.finish()
    }

    mutating func takeSwipes() -> [SwipeSpan] { swipeWatch.takeSwipes() }

    private mutating func forEachStep(of count: Int, _ body: (inout Self, Range<Int>) -> Void) {
        var start = 0
        while start < count {
            let end = min(count, start + nextJudgement - position)
            position += end - start
            body(&self, start..<end)
            start = end
        }
    }

    /// Emits new events, or keeps them, and judges the kept events.
    private mutating func sort(_ sink: Sink, isEnd: Bool = false) {
        guard isEnd || position == nextJudgement else { return }
        for event in events {
            switch verdict {
            case .none:
                held.growWiping(toHold: held.count + 1)
                held.append(event)
            case .burst: sink(event, mode)
            case .swipe: break
            }
            if case .burst(let burst) = event, verdict != .none {
                if verdict == .burst { swipeWatch.skip(burstTo: burst.span.endSample) }
                verdict = .none
            }
        }
        events.wipe()
        while !held.isEmpty, let (count, isOver, verdict) = judge(isEnd: isEnd) {
            if verdict == .burst { for event in held[..<count] { sink(event, mode) } }
            for index in count..<held.count { held[index - count] = held[index] }
            held.wipe(from: held.count - count)
            self.verdict = isOver ? .none : verdict
        }
        if verdict == .burst {
            swipeWatch.skip(to: position - patience)
        } else if held.isEmpty {
            swipeWatch.look(until: position - patience)
        }
        nextJudgement = position + (verdict == .burst ? Self.stepInBurst : Self.step)
    }

    /// Judges the first kept burst.
    /// - Returns: the number of its events, whether it has ended, and the verdict; nil if the verdict is not known yet.
    private mutating func judge(isEnd: Bool) -> (count: Int, isOver: Bool, verdict: Verdict)? {
        var (sum, characters): (Float, Int) = (0, 0)
        var start = Double.infinity
        var last: LineBurst?
        var count = 0
        for event in held {
            count += 1
            switch event {
            case .character(let character):
                start = min(start, character.startSample)
                characters += 1
                sum += character.isFramed ? character.confidence : 0
            case .burst(let burst):
                last = burst
                start = min(start, Double(burst.span.startSample))
            }
            if last != nil { break }
        }
        // A mode that carries bits has ten events for each character of another mode.
        let unit = mode.carriesBits ? 10 : 1
        let isPlain = characters >= Self.some * unit && sum >= Self.leastConfidence * Float(characters)
        let isClear = last.map { $0.signalToNoise >= Self.clear || $0.check == .intact } ?? false
        if isPlain && (isModem || characters >= Self.many * unit) || isClear {
            swipeWatch.look(untilBurstAt: start)
        } else if let last {
            let end = Double(last.span.endSample)
            guard isEnd || Double(position) > end + Self.gateDelay * sampleRate else { return nil }
            swipeWatch.look(until: .max)
            guard isEnd || !swipeWatch.isInSwipe || Double(position) > end + Self.longestWait * sampleRate else {
                return nil
            }
            if swipeWatch.swipe(from: start, to: end) != nil { return (count, true, .swipe) }
        } else {
            guard isEnd || Double(position) > start + Self.longestSwipe * sampleRate else { return nil }
            if swipeWatch.swipe(from: start, to: Double(position)) != nil { return (count, false, .swipe) }
        }
        isModem = isModem || isPlain
        if let last { swipeWatch.skip(burstTo: last.span.endSample) }
        return (count, last != nil, .burst)
    }
}

/// Packs bits into bytes, the first bit into the most significant place.
struct BitPacker {
    private var byte: UInt8 = 0
    private var count = 0

    /// Adds a bit.
    /// - Returns: the byte that the bit completes.
    mutating func add(_ bit: UInt8) -> UInt8? {
        byte = byte << 1 | bit & 1
        count += 1
        return count == UInt8.bitWidth ? take() : nil
    }

    /// The incomplete byte, padded with zeros after its bits; nil if no bit is left.
    mutating func finish() -> UInt8? {
        guard count > 0 else { return nil }
        byte <<= UInt8(UInt8.bitWidth - count)
        return take()
    }

    private mutating func take() -> UInt8 {
        defer { (byte, count) = (0, 0) }
        return byte
    }
}

/// Surveys the sound of a channel, in parallel to its decoders, for the line codes that it resembles.
final class LineWatch {
    private var survey: LineCodeSurvey?
    private var last: [LineGuess] = []

    /// - Throws: `SpectrumError` if memory runs out or the sample rate is out of range.
    init(sampleRate: Double) throws(SpectrumError) {
        survey = try LineCodeSurvey(sampleRate: sampleRate, findsUnnamed: false)
    }

    /// The line codes found so far, up to one second before the last sample.
    var guesses: [LineGuess] { survey?.guesses ?? last }

    func receive(_ samples: Span<Int16>) { survey?.receive(samples) }

    func receive(_ samples: Span<Float>) { survey?.receive(samples) }

    /// Drops guesses that end before a sample.
    func dropGuesses(before sample: Int) { survey?.dropGuesses(before: sample) }

    /// Surveys the remaining sound. If that fails, the guesses stay as they were, because the race can do without the
    /// last ones.
    func finish() {
        last = guesses
        if let all = try? survey.take()?.finish() { last = all }
    }
}
