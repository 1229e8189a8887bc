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

    /// As above, with a clock that ran on at nearly its speed where the hand was slow.
    private static let overruns = [
        Stop(
            text: ";4111111111111111=6672507909098258542?", place: 0.3948312275540869, slowing: 0.01767807633371401,
            recovering: 0.07869949729909115, slowest: 0.3256480182531071, direction: .reverse,
            signalToNoise: 13.012382772926681, seed: 33),
        Stop(
            text: ";4111111111111111=421860407375?", place: 0.43449890922613854, slowing: 0.010037814323389327,
            recovering: 0.08244711022835964, slowest: 0.2762137197977964, direction: .forward,
            signalToNoise: 15.157974371274367, seed: 126),
        Stop(
            text: ";4111111111111111=0470769334029691?", place: 0.41850811210082606, slowing: 0.030851061875817022,
            recovering: 0.09604689144214044, slowest: 0.24985780605223873, direction: .forward,
            signalToNoise: 13.923226494728574, seed: 328),
        Stop(
            text: ";4111111111111111=08255530465?", place: 0.35007151556797317, slowing: 0.027143271862215428,
            recovering: 0.04151687585035684, slowest: 0.20916768389414858, direction: .reverse,
            signalToNoise: 22.05819296271572, seed: 449),
        Stop(
            text: ";4111111111111111=7543483664087?", place: 0.4533339757741046, slowing: 0.027859697659068074,
            recovering: 0.09789258544108699, slowest: 0.3787501995788093, direction: .forward,
            signalToNoise: 21.687143989733883, seed: 784),
        Stop(
            text: ";4111111111111111=8856716133328?", place: 0.5427732801686513, slowing: 0.016776923999213805,
            recovering: 0.08189595928483416, slowest: 0.28617093450323056, direction: .reverse,
            signalToNoise: 12.92544567446596, seed: 1289),
    ]

    /// Where the hand slows down there is less to hear, but no silence, and the card goes on after it: what comes
    /// before is not the whole message.
    @Test(arguments: stops) func aMessageDoesNotEndAtAHesitation(stop: Stop) throws {
        try expectNothingWrong(stop)
    }

    /// A clock that runs on finds bits there that are none of the card's.
    @Test(arguments: overruns) func aClockDoesNotRunThroughAHesitation(stop: Stop) throws {
        try expectNothingWrong(stop)
    }

    private func expectNothingWrong(_ stop: Stop) throws {
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
