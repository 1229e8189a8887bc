import JackdawReaders
import JackdawTestSupport
import Testing

/// What a driver does as time passes.
struct ReaderTimesTests {
    /// What follows of letting time pass up to a moment, each with when it happens (ms).
    static func effects(_ driver: inout ReaderDriver, until end: Duration) -> [String] {
        var effects: [String] = []
        while let next = driver.nextDeadline, next <= end {
            let outputs = driver.advance(to: next)
            effects += ReaderDriverTests.effects(outputs).map { "\(next / .milliseconds(1)) \($0)" }
        }
        return effects
    }

    @Test func powerIsGivenFiveTimes() {
        var driver = ReaderDriverTests.driver(in: .poweringUp)
        let effects = Self.effects(&driver, until: .seconds(60))
        let times: [Double] = [2600, 5200, 7800, 10400]
        let again: [String] = times.flatMap { time -> [String] in ["\(time) power off", "\(time) power connecting"] }
        let end = ["13000.0 power off", "13000.0 failed: noAnswer 5"]
        #expect(effects == again + end)
        #expect(driver.state == .off)
        #expect(driver.nextDeadline == nil)
    }

    @Test func aRequestIsSentThreeTimes() {
        var driver = ReaderDriverTests.driver(in: .asking)
        let effects = Self.effects(&driver, until: .seconds(60))
        #expect(
            effects == [
                "4000.0 > Q", "8000.0 > Q", "12000.0 failed: noAnswer (ask, asked 3 times)",
                "12000.0 ready",
            ])
        #expect(driver.state == .ready)
    }

    /// Each time that a request was sent may be answered: what comes late must not be taken for the answer to the next.
    @Test func anAnswerToAnEarlierAttemptIsNotTheNextAnswer() {
        var driver = ReaderDriverTests.driver(in: .asking)
        _ = driver.advance(to: .seconds(4))
        let answered = driver.receive(Array("d".utf8).span, at: .seconds(5))
        #expect(ReaderDriverTests.effects(answered) == ["firmware: firmware 1.0", "ready"])
        let next = driver.perform(.requestSwipe(within: .seconds(10)), at: .milliseconds(5100))
        #expect(ReaderDriverTests.effects(next) == [])
        let late = driver.receive(Array("d".utf8).span, at: .milliseconds(5200))
        #expect(ReaderDriverTests.effects(late) == ["dropped: unsolicitedAnswer"])
        #expect(ReaderDriverTests.effects(driver.advance(to: .milliseconds(5500))) == ["> A"])
        #expect(driver.state == .arming)
    }

    /// Answers that come together: the second cannot answer what was sent only after the first.
    @Test func framesAfterAnAnswerDoNotAnswerTheNextRequest() {
        var driver = ReaderDriverTests.driver(in: .armed)
        let outputs = driver.receive(Array("wdd".utf8).span, at: .seconds(1))
        #expect(
            ReaderDriverTests.effects(outputs) == [
                "swipe: scripted 411111******1111", "> D", "dropped: unsolicitedAnswer",
                "dropped: unsolicitedAnswer",
            ])
        #expect(driver.state == .disarming)
    }

    /// A reader that was not waited for may still answer.
    @Test func anAnswerToACancelledRequestIsNotTheNextAnswer() {
        var driver = ReaderDriver(MagTekDialect())
        _ = driver.perform(.connect, at: .zero)
        let cancelled = driver.perform(.cancel, at: .milliseconds(100))
        #expect(ReaderDriverTests.effects(cancelled) == ["power off", "cancelled"])
        #expect(ReaderDriverTests.effects(driver.perform(.connect, at: .milliseconds(200))) == [])
        let late = driver.receive(Array("000141\r".utf8).span, at: .milliseconds(300))
        #expect(ReaderDriverTests.effects(late) == ["dropped: an answer"])
        #expect(ReaderDriverTests.effects(driver.advance(to: .milliseconds(600))) == ["> 000100\r"])
    }

    @Test func aSwipeBeforeTheAnswerToArmingLeavesNoAnswerOver() {
        var driver = ReaderDriverTests.driver(in: .arming)
        _ = driver.receive(Array("w".utf8).span, at: .milliseconds(10))
        let armed = driver.receive(Array("d".utf8).span, at: .milliseconds(20))
        #expect(ReaderDriverTests.effects(armed) == ["dropped: unsolicitedAnswer"])
        #expect(ReaderDriverTests.effects(driver.advance(to: .milliseconds(510))) == ["> D"])
        let disarmed = driver.receive(Array("d".utf8).span, at: .milliseconds(520))
        #expect(ReaderDriverTests.effects(disarmed) == ["ready"])
    }

    /// It may wait for a card and have been unable to say so.
    @Test func aReaderThatDoesNotAnswerArmingIsDisarmed() {
        var driver = ReaderDriverTests.driver(in: .arming)
        let effects = Self.effects(&driver, until: .milliseconds(12_600))
        #expect(
            effects == [
                "4000.0 > A", "8000.0 > A", "12000.0 failed: noAnswer (arm, asked 3 times)",
                "12500.0 > D",
            ])
        let disarmed = driver.receive(Array("d".utf8).span, at: .seconds(13))
        #expect(ReaderDriverTests.effects(disarmed) == ["ready"])
    }

    @Test(arguments: ["d", "r", "w", "time"])
    func aWaitThatIsCancelledBeforeItBeganEndsOnce(next: String) {
        var driver = ReaderDriverTests.driver(in: .arming)
        _ = driver.take("cancel")
        var effects = ReaderDriverTests.effects(driver.take(next))
        for _ in 0..<20 where driver.state != .ready { effects += ReaderDriverTests.effects(driver.take("time")) }
        #expect(effects.filter { $0 == "cancelled" } == ["cancelled"])
        #expect(effects.filter { $0 == "ready" } == ["ready"])
        #expect(!effects.contains("waiting for a card"))
    }

    /// What has no checks is no frame after noise, and noise ends with a silence.
    @Test func framesAfterNoiseAreRead() {
        var driver = ReaderDriver(IDTechDialect())
        _ = driver.perform(.connect, at: .zero)
        for answer in ["06024a03" + "4b", "06024e014103" + "0f"] { _ = driver.receive(hex(answer).span, at: .zero) }
        #expect(driver.state == .ready)
        #expect(driver.receive([0xFF].span, at: .seconds(1)).isEmpty)
        let reported = driver.advance(to: .seconds(2))
        #expect(ReaderDriverTests.effects(reported) == ["dropped: noise 1 start 0 FF"])
        _ = driver.perform(.set(ReaderSetting(0x4C, [0x31])), at: .seconds(3))
        let answered = driver.receive([0x06].span, at: .seconds(4))
        #expect(ReaderDriverTests.effects(answered) == ["setting 76 was set", "ready"])
    }

    /// A program that was suspended for long has not received the answers.
    @Test func timeThatPassesAtOnceIsOneTry() {
        var driver = ReaderDriverTests.driver(in: .asking)
        #expect(ReaderDriverTests.effects(driver.advance(to: .seconds(60))) == ["> Q"])
        #expect(driver.nextDeadline == .seconds(64))
    }

    @Test func aPartOfAnAnswerGivesMoreTime() {
        var driver = ReaderDriverTests.driver(in: .asking)
        for second in [3, 6, 9] { _ = driver.receive(Array("m".utf8).span, at: .seconds(second)) }
        #expect(driver.nextDeadline == .seconds(13))
    }

    @Test func theWaitForACardIsAsLongAsWanted() {
        for (wanted, isAllowed) in [(2999, false), (3000, true), (20_000, true), (20_001, false)] {
            var driver = ReaderDriverTests.driver(in: .ready)
            let outputs = driver.perform(.requestSwipe(within: .milliseconds(wanted)), at: .zero)
            #expect(ReaderDriverTests.effects(outputs).first?.hasPrefix("failed") == !isAllowed)
            #expect(driver.state == (isAllowed ? .arming : .ready))
        }
    }

    @Test func aReaderThatIsStillThereIsNotTalkedAbout() {
        var dialect = ScriptedDialect()
        dialect.keepAlive = ReaderRequest("keep alive", Array("K".utf8))
        var driver = ReaderDriverTests.driver(in: .ready, dialect)
        #expect(ReaderDriverTests.effects(driver.advance(to: .seconds(30))) == ["> K"])
        let answered = driver.receive(Array("d".utf8).span, at: .seconds(31))
        #expect(ReaderDriverTests.effects(answered) == [])
        #expect(driver.state == .ready)
        let effects = Self.effects(&driver, until: .seconds(100))
        #expect(
            effects == [
                "61000.0 > K", "65000.0 > K", "69000.0 > K", "73000.0 power off",
                "73000.0 failed: noAnswer (keep alive, asked 3 times)",
            ])
        #expect(driver.state == .off)
    }

    /// Whatever is wanted while the reader is asked whether it is there comes first, and a refusal is an answer.
    @Test func aReaderThatIsAskedWhetherItIsThereIsNotBusy() {
        var dialect = ScriptedDialect()
        dialect.keepAlive = ReaderRequest("keep alive", Array("K".utf8))
        var driver = ReaderDriverTests.driver(in: .ready, dialect)
        _ = driver.advance(to: .seconds(30))
        #expect(driver.state == .ready)
        #expect(ReaderDriverTests.effects(driver.receive(Array("r".utf8).span, at: .seconds(31))) == [])
        #expect(driver.state == .ready)
        _ = driver.advance(to: .seconds(61))
        #expect(ReaderDriverTests.effects(driver.perform(.ask(.firmware), at: .seconds(61))) == [])
        #expect(driver.state == .asking)
        #expect(ReaderDriverTests.effects(driver.advance(to: .milliseconds(61_500))) == ["> Q"])
    }

    /// What cannot be done changes nothing: the reader is looked for on and on.
    @Test func aRefusedCommandDoesNotEndTheLookForTheReader() {
        var dialect = ScriptedDialect()
        dialect.keepAlive = ReaderRequest("keep alive", Array("K".utf8))
        var driver = ReaderDriverTests.driver(in: .ready, dialect)
        _ = driver.advance(to: .seconds(30))
        let refused = ReaderDriverTests.effects(driver.perform(.cancel, at: .seconds(31)))
        #expect(refused == ["failed: nothingToCancel"])
        #expect(Self.effects(&driver, until: .seconds(62)) == ["61000.0 > K"])
    }

    @Test func swipesOfAnAlwaysArmedReaderNeedNoRequest() {
        var dialect = ScriptedDialect()
        dialect.isAlwaysArmed = true
        var driver = ReaderDriverTests.driver(in: .ready, dialect)
        let outputs = driver.receive(Array("w".utf8).span, at: .zero)
        #expect(ReaderDriverTests.effects(outputs) == ["swipe: scripted 411111******1111"])
        #expect(driver.state == .ready)
    }

    @Test func noiseIsReportedOnce() {
        var driver = ReaderDriverTests.driver(in: .ready)
        let outputs = driver.receive(Array("###t".utf8).span, at: .zero)
        #expect(
            ReaderDriverTests.effects(outputs) == [
                "dropped: noise 3 start 0", "status well",
            ])
    }

    @Test func aFrameThatStandsStillIsNone() {
        var driver = ReaderDriver(MiuraDialect())
        _ = driver.receive([0x01, 0x40, 0x06].span, at: .seconds(1))
        #expect(driver.nextDeadline == .milliseconds(1500))
        let outputs = driver.advance(to: .milliseconds(1500))
        #expect(
            ReaderDriverTests.effects(outputs) == [
                "dropped: noise 3 truncated 3 3 10"
            ])
        // No frame has come on this link: 5 s later its bytes are reported as another protocol's.
        #expect(driver.nextDeadline == .milliseconds(6500))
        _ = driver.advance(to: .milliseconds(6500))
        #expect(driver.nextDeadline == nil)
    }

    /// Commands, bytes and time at random: nothing traps, deadlines are ahead, and each wait ends once.
    @Test func anythingInAnyOrderLeavesADefinedState() {
        var random = SeededRandom(seed: 31)
        let inputs = ReaderDriverTests.inputs.filter { $0 != "lost" }
        for _ in 0..<200 {
            var driver = ReaderDriverTests.driver(in: .off)
            var isWaiting = false
            for _ in 0..<200 {
                let outputs = driver.take(inputs.randomElement(using: &random) ?? "time")
                for effect in ReaderDriverTests.effects(outputs) {
                    // A wait is over before the next begins.
                    if effect == "waiting for a card" {
                        #expect(!isWaiting)
                        isWaiting = true
                    }
                    if ["ready", "powered down", "failed: restarted"].contains(effect) { isWaiting = false }
                }
            }
            let states: Set = Set(ReaderState.allCases).subtracting([.lost])
            #expect(states.contains(driver.state))
            // Left alone it comes to rest.
            _ = Self.effects(&driver, until: .seconds(1_000_000))
            #expect([.off, .ready].contains(driver.state))
            #expect(driver.nextDeadline == nil)
        }
    }
}
