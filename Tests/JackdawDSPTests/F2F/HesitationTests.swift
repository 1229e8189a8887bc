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
        /// Inches per second.
        var speed = 15.0
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

    /// As above; on the usual clock alone these were read as other texts, most of them as a part of the message.
    private static let slips = [
        Stop(
            text: ";4111111111111111=73459877704467?", place: 0.3512421655110141, slowing: 0.006634098269027796,
            recovering: 0.03352245097703658, slowest: 0.3201731930577727, direction: .reverse,
            signalToNoise: 13.027916773082703, seed: 13_843_175_266_184_809_249),
        Stop(
            text: ";4111111111111111=07442922661622?", place: 0.45231391169880486, slowing: 0.04030679366612281,
            recovering: 0.07143119047195576, slowest: 0.33068028609600014, direction: .reverse,
            signalToNoise: 16.876109884167107, seed: 4_053_680_113_929_830_080),
        Stop(
            text: ";4111111111111111=25186869355420310748?", place: 0.5157320510139856, slowing: 0.008840298792008485,
            recovering: 0.028900375176948573, slowest: 0.3972520323540159, direction: .reverse,
            signalToNoise: 18.052647727070422, seed: 7_150_942_858_218_952_874),
        Stop(
            text: ";4111111111111111=393640950822798848798?", place: 0.6873543203973371, slowing: 0.00952382971711856,
            recovering: 0.026264996384412587, slowest: 0.35081332579201907, direction: .reverse,
            signalToNoise: 21.90384053074757, seed: 7_463_945_809_153_799_705),
        Stop(
            text: ";4111111111111111=191656315368824046715?", place: 0.6007966691544768, slowing: 0.032295545684664376,
            recovering: 0.03677716179941841, slowest: 0.15505133880325794, direction: .forward,
            signalToNoise: 10.435108658108875, seed: 6_411_986_393_630_022_852),
    ]

    /// These are still decoded as other texts.
    private static let openSlips = [
        Stop(
            text: ";4111111111111111=1903151626494234?", place: 0.4580903129890983, slowing: 0.028921905669708578,
            recovering: 0.03335734621488998, slowest: 0.16958374926178396, direction: .forward,
            signalToNoise: 14.199879003203637, seed: 1_495, speed: 23.72675153410351),
        Stop(
            text: ";4111111111111111=82170687242186?", place: 0.40920994180362896, slowing: 0.010405494163106493,
            recovering: 0.05971629438770594, slowest: 0.17464800326288657, direction: .forward,
            signalToNoise: 11.882665066012702, seed: 1_984, speed: 15.463986144634525),
        Stop(
            text: ";4111111111111111=119467707935?", place: 0.6897050883122153, slowing: 0.035676871619761984,
            recovering: 0.05789761410792561, slowest: 0.15796063586535883, direction: .forward,
            signalToNoise: 16.652203705721544, seed: 2_469, speed: 11.410284338884997),
    ]

    /// The level shows the speed at which the usual clock slips.
    private static let followed = [
        Stop(
            text: ";4111111111111111=0570955342557?", place: 0.6516398996305475, slowing: 0.04642831706864455,
            recovering: 0.07993151915333918, slowest: 0.31829019013533344, direction: .reverse,
            signalToNoise: 15.199931767222932, seed: 16_028_540_878_717_345_921),
        Stop(
            text: ";4111111111111111=546881624869711773?", place: 0.5589286650899411, slowing: 0.012150480278559824,
            recovering: 0.013102189233471619, slowest: 0.14629345621381318, direction: .forward,
            signalToNoise: 28.831108505978914, seed: 2_106_293_278_287_090),
        Stop(
            text: ";4111111111111111=794210323255040600?", place: 0.6084415665198855, slowing: 0.02391513695272668,
            recovering: 0.04234439201922445, slowest: 0.2842671949427244, direction: .forward,
            signalToNoise: 22.073087270324073, seed: 4_611_043_073_528_457_700),
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

    @Test(arguments: slips) func noClockSlipsAtAHesitation(stop: Stop) throws { try expectNothingWrong(stop) }

    @Test(arguments: openSlips) func aClockStillSlipsAtAHesitation(stop: Stop) {
        withKnownIssue("one in 1,000 such swipes is decoded as another text") { try expectNothingWrong(stop) }
    }

    @Test(arguments: followed) func theLevelShowsAHesitation(stop: Stop) throws {
        #expect(try Self.texts(stop) == [stop.text])
    }

    private func expectNothingWrong(_ stop: Stop) throws {
        let texts = try Self.texts(stop)
        #expect(texts.isEmpty || texts == [stop.text])
    }

    private static func texts(_ stop: Stop) throws -> [String] {
        let motion = SwipeMotion.points([
            .init(position: 0, speed: 1), .init(position: stop.place - stop.slowing, speed: 1),
            .init(position: stop.place, speed: stop.slowest),
            .init(position: stop.place + stop.recovering, speed: 1),
        ])
        let samples = try SwipeBench.samples(
            .two, text: stop.text,
            configuration: .init(
                sampleRate: 44_100, speed: stop.speed, motion: motion, direction: stop.direction,
                signalToNoise: stop.signalToNoise, seed: stop.seed))
        return SwipeBench.texts(try SwipeBench.events(samples, sampleRate: 44_100))
    }
}
