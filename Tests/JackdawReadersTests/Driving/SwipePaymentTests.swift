@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// Payments at a reader that only swipes cards: a UniMag, whose bursts are those of `UniMagDialectTests`.
@Suite struct SwipePaymentTests {
    private typealias Bench = ReaderPaymentBench<SwipePayment, Void>

    private static let powerUp = Array("SPPMSR".utf8)

    private static func swipe(serviceCode: String) -> [UInt8] {
        [0x03] + Array(";4111111111111111=2812\(serviceCode)?".utf8) + [0x0D]
    }

    private func bench() throws -> Bench {
        let family = try #require(ReaderFamily.named("unimag"))
        var profile = family.profile
        // Without commands the reader is ready as soon as it has power.
        profile[.takesCommands] = ProfileEntry("whether it takes commands", .flag(false), .inferred, "this test")
        let payment = SwipePayment(try SwipePaymentSettings(family.makeDialect(profile)))
        return Bench(payment, ()) { hexadecimal($0) }
    }

    /// A reader that waits for a card: the effects 1 and 2.
    private func waiting() throws -> Bench {
        var bench = try bench()
        bench.carryOut(.prepare)
        bench.receive(Self.powerUp)
        bench.carryOut(.acceptCard)
        bench.takeLog()
        return bench
    }

    @Test func aReaderWithPowerIsPrepared() throws {
        var bench = try bench()
        bench.carryOut(.prepare)
        #expect(bench.takeLog() == ["power connecting"])
        bench.receive(Self.powerUp)
        #expect(bench.takeLog() == ["power connected", "prepare_ok 1"])
    }

    @Test(arguments: [("101", "swipe_plain 2"), ("201", "swipe_chip_card 2"), ("601", "swipe_chip_card 2")])
    func theServiceCodeSaysWhetherTheCardHasAChip(code: String, event: String) throws {
        var bench = try waiting()
        bench.receive(Self.swipe(serviceCode: code))
        #expect(bench.takeLog() == [event])
        let swipe = bench.payment.swipe
        #expect(swipe?.hasChip == (code != "101"))
        // A second swipe is none of the payment, until it asks again.
        bench.receive(Self.swipe(serviceCode: code))
        #expect(bench.takeLog() == [])
        bench.carryOut(.acceptCard)
        bench.receive(Self.swipe(serviceCode: "101"))
        #expect(bench.takeLog() == ["swipe_plain 3"])
    }

    @Test func aDamagedSwipeIsUnreadable() throws {
        var bench = try waiting()
        bench.receive(Self.swipe(serviceCode: "101").dropLast(3) + [0x0D])
        #expect(bench.takeLog() == ["swipe_bad 2"])
        let hasSwipe = bench.payment.swipe != nil
        #expect(!hasSwipe)
    }

    /// The reader waits for 20 s at most; the payment's own limit is another.
    @Test func theReaderIsAskedAgain() throws {
        var bench = try waiting()
        bench.wait(.seconds(30))
        let isAwaiting = bench.payment.isAwaitingSwipe
        #expect(isAwaiting)
        bench.receive(Self.swipe(serviceCode: "101"))
        #expect(bench.takeLog() == ["swipe_plain 2"])
    }

    @Test func aReaderWithoutPowerIsNotPrepared() throws {
        var bench = try bench()
        bench.carryOut(.prepare)
        for _ in 0..<40 { bench.wait(.milliseconds(500)) }
        #expect(bench.takeLog().suffix(2) == ["power off", "prepare_fail 1"])
        let deadline = bench.payment.nextDeadline
        #expect(deadline == nil)
    }

    @Test func theEndSwitchesTheReaderOff() throws {
        var bench = try waiting()
        bench.carryOut(.stopReader)
        #expect(bench.takeLog() == ["power off"])
        bench.receive(Self.swipe(serviceCode: "101"))
        bench.lose()
        #expect(bench.takeLog() == [])
    }

    @Test func aLostLinkIsReportedOnce() throws {
        var bench = try waiting()
        bench.lose()
        bench.lose()
        #expect(bench.takeLog() == ["link_lost"])
    }
}
