import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// Hands that nearly stop on the way.
@Suite struct HesitationTests {
    struct Stop: Sendable {
        let text: String
        /// Share of the way at which the hand is slowest, and those over which it slows down and speeds up again.
        let place: Double
        let slowing: Double
        let recovering: Double
        /// Slowest speed, as a share of the others.
        let slowest: Double
        let direction: SwipeDirection
        let signalToNoise: Double
        let seed: UInt64
    }

    private static let stops = [
        Stop(
            text: ";4111111111111111=2678165776356814587?", place: 0.4954634024847444, slowing: 0.023391398009659226,
            recovering: 0.09330924529159923, slowest: 0.20045463974506045, direction: .forward,
            signalToNoise: 14.246806719941185, seed: 138),
        Stop(
            text: ";4111111111111111=998362286089851771?", place: 0.43884248343900645, slowing: 0.029913813018327094,
            recovering: 0.04752591149154833, slowest: 0.26944913960161965, direction: .forward,
            signalToNoise: 14.312692810174964, seed: 168),
        Stop(
            text: ";4111111111111111=042862196282?", place: 0.4822416466353606, slowing: 0.022633503671524446,
            recovering: 0.08901236728008917, slowest: 0.18969130915902044, direction: .reverse,
            signalToNoise: 29.06552948686916, seed: 177),
        Stop(
            text: ";4111111111111111=140070665096?", place: 0.6803133973254573, slowing: 0.03568179795789097,
            recovering: 0.047288375333098556, slowest: 0.33397069547818775, direction: .forward,
            signalToNoise: 13.708884700111204, seed: 272),
        Stop(
            text: ";4111111111111111=05807858023?", place: 0.6779865486023581, slowing: 0.02547232165953274,
            recovering: 0.07547425425396079, slowest: 0.371871856862927, direction: .forward,
            signalToNoise: 17.025010402057084, seed: 280),
        Stop(
            text: ";4111111111111111=91282494610621408264?", place: 0.5408792864833828, slowing: 0.04079426779728234,
            recovering: 0.08217436290432033, slowest: 0.16161372898743076, direction: .reverse,
            signalToNoise: 20.186409558263158, seed: 441),
    ]

    /// Where the hand slows down there is less to hear, but no silence, and the card goes on behind it: what comes before is not
    /// the whole message.
    @Test(arguments: stops) func aMessageDoesNotEndWhereTheHandHesitates(stop: Stop) throws {
        let motion = SwipeMotion.points([
            .init(position: 0, speed: 1), .init(position: stop.place - stop.slowing, speed: 1),
            .init(position: stop.place, speed: stop.slowest),
            .init(position: stop.place + stop.recovering, speed: 1),
        ])
        let samples = try SwipeBench.samples(
            .two, text: stop.text,
            configuration: .init(
                sampleRate: 44_100, motion: motion, direction: stop.direction, signalToNoise: stop.signalToNoise,
                seed: stop.seed))
        let texts = SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100))
        #expect(texts.isEmpty || texts == [stop.text])
    }
}
