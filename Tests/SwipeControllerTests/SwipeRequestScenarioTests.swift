import JackdawReaders
import Testing

@testable import SwipeController

/// Whole logs of the announcements about requested swipes, on virtual time.
@Suite struct SwipeRequestScenarioTests {
    @Test func S0_37_S0_70_aSwipeRefreshesTheRequest() async {
        var world = MachineWorld.ready()
        world.swipe(.uniMag)
        world.run()
        #expect(world.log == ["uniMag swiped well", "uniMag unready refreshing", "uniMag ready"])
        await world.verify()
    }

    @Test func S0_83_aTimeOutRefreshesTheRequest() async {
        var world = MachineWorld.ready()
        world.run(.seconds(41))
        #expect(
            world.log == ["uniMag unready refreshing", "uniMag ready", "uniMag unready refreshing", "uniMag ready"])
        await world.verify()
    }

    @Test(arguments: [true, false]) func S0_32_aBadSwipeHasNoCard(isRenewed: Bool) async {
        var world = MachineWorld.ready(isRenewed ? MachineWorld.unprompted : MachineWorld.onRequest)
        if !isRenewed {
            world.call(.requestSwipe)
            world.run()
            world.log = []
        }
        world.swipe(.uniMag, isRead: false)
        world.run()
        #expect(
            world.log
                == ["uniMag swiped badly"]
                + (isRenewed ? ["uniMag unready refreshing", "uniMag ready"] : ["uniMag unready swipeDone"]))
        await world.verify()
    }

    @Test func S0_71_S0_78_aRequestIsMadeAndEnds() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        #expect(world.told[.uniMag]?.isReadyForSwipe == false)
        world.call(.requestSwipe)
        world.run()
        #expect(world.log == ["uniMag ready"])
        world.swipe(.uniMag)
        world.run()
        #expect(world.log.suffix(2) == ["uniMag swiped well", "uniMag unready swipeDone"])
        world.call(.requestSwipe)
        world.run(.seconds(21))
        #expect(world.log.suffix(2) == ["uniMag ready", "uniMag unready timedOut"])
        await world.verify()
    }

    @Test func S0_81_aRequestIsCancelled() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.call(.cancelSwipeRequest)
        world.run()
        #expect(world.log == ["uniMag ready", "uniMag unready canceled"])
        await world.verify()
    }

    @Test func S0_72_requestsAreNotMadeTwice() async {
        var world = MachineWorld.ready()
        world.call(.requestSwipe)
        world.call(.cancelSwipeRequest)
        world.run()
        #expect(world.log == ["warning callIgnored uniMag", "warning callIgnored uniMag"])
        await world.verify()
    }

    @Test func S0_82_theTimeOutIsTheProgrammes() {
        var world = MachineWorld.ready {
            $0.options.activateReaderWithoutPromptingUser = true
            $0.alwaysAcceptSwipe = false
            $0.swipeTimeout = 3
        }
        world.call(.requestSwipe)
        world.run(.seconds(4))
        #expect(world.log == ["uniMag ready", "uniMag unready timedOut"])
    }

    @Test func aReaderThatRestartsIsWaitedForAgain() async {
        var world = MachineWorld.ready()
        world.restart()
        world.run()
        #expect(world.log == ["uniMag unready refreshing", "uniMag ready"])
        #expect(world.waiting == [.uniMag])
        var manual = MachineWorld.ready(MachineWorld.onRequest)
        manual.call(.requestSwipe)
        manual.run()
        manual.restart()
        manual.run()
        #expect(manual.log == ["uniMag ready", "uniMag unready timedOut"])
        await world.verify()
        await manual.verify()
    }

    @Test func S0_69_swipesThatAreToBeAlwaysAcceptedAreRequestedAtOnce() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        #expect(world.waiting.isEmpty)
        world.call(.configure { $0.alwaysAcceptSwipe = true })
        world.run()
        #expect(world.log == ["uniMag ready"])
        #expect(world.waiting == [.uniMag])
        await world.verify()
    }

    /// The card came before the reader had heard that it is not to wait any more.
    @Test func S0_34_aSwipeThatCrossesItsCancellationIsReported() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.call(.cancelSwipeRequest)
        world.swipe(.uniMag, isLate: true)
        world.run()
        #expect(world.log == ["uniMag ready", "uniMag swiped well", "uniMag unready swipeDone"])
        #expect(world.told[.uniMag]?.isReadyForSwipe == false)
        world.call(.requestSwipe)
        world.run()
        #expect(world.log.last == "uniMag ready")
        await world.verify()
    }

    /// As a delegate does it, before the reader is through with the last one.
    @Test func S0_79_aSwipeMayBeRequestedRightAfterAnUnreadyOne() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.receive(.reader(.uniMag, .timedOut))
        #expect(world.log.last == "uniMag unready timedOut")
        world.call(.requestSwipe)
        #expect(world.log.last == "uniMag unready timedOut")
        world.receive(.reader(.uniMag, .ready))
        world.run(.seconds(1))
        #expect(world.log.last == "uniMag ready")
        await world.verify()
    }

    /// As a delegate does it: the reader still ends the wait for the card that could not be read.
    @Test func S0_79_aSwipeMayBeRequestedAtOnceAfterAnUnreadableOne() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.swipe(.uniMag, isRead: false)
        world.call(.requestSwipe)
        world.run()
        #expect(world.log == ["uniMag ready", "uniMag swiped badly", "uniMag unready swipeDone", "uniMag ready"])
        #expect(world.waiting == [.uniMag])
        await world.verify()
    }

    @Test func S0_79_aSwipeMayBeRequestedAtOnceAfterACancellation() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.call(.cancelSwipeRequest)
        world.call(.requestSwipe)
        world.run()
        #expect(world.log == ["uniMag ready", "uniMag unready canceled", "uniMag ready"])
        #expect(world.waiting == [.uniMag])
        // The new request lasts as long as any.
        world.run(.seconds(20))
        #expect(world.log.last == "uniMag unready timedOut")
        await world.verify()
    }

    /// The wait ended by itself while it was cancelled: the reader refuses the cancellation after
    /// the next request has begun.
    @Test func S0_79_aCancellationThatComesTooLateIsNoRefusalOfTheNextRequest() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.cancelsLate = true
        world.call(.cancelSwipeRequest)
        world.call(.requestSwipe)
        world.run()
        #expect(world.log == ["uniMag ready", "uniMag unready timedOut", "uniMag ready"])
        #expect(world.waiting == [.uniMag])
        await world.verify()
    }

    /// The reader never waited for a card when the first request was cancelled.
    @Test func S0_79_aSwipeMayBeRequestedAtOnceAfterACancellationBeforeTheReaderWaits() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.call(.cancelSwipeRequest)
        world.call(.requestSwipe)
        world.run()
        #expect(world.log == ["warning requestCanceled uniMag", "uniMag ready"])
        #expect(world.waiting == [.uniMag])
        await world.verify()
    }

    @Test func S0_81_aRequestThatIsStoredIsCancelled() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        for call in [SwipeInput.cancelSwipeRequest, .requestSwipe, .cancelSwipeRequest] { world.call(call) }
        world.run()
        #expect(world.log == ["uniMag ready", "warning requestCanceled uniMag", "uniMag unready canceled"])
        #expect(world.waiting.isEmpty)
        await world.verify()
    }

    /// It is not the next reader's.
    @Test func aRequestThatIsStoredEndsWithItsReader() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.run()
        world.call(.cancelSwipeRequest)
        world.call(.requestSwipe)
        world.detach()
        world.attach(.uniMag)
        world.run()
        #expect(world.log.last == "uniMag activation success")
        #expect(world.waiting.isEmpty)
        await world.verify()
    }

    @Test func aReaderThatRefusesToWaitIsReported() async {
        var world = MachineWorld(.unimag)
        world.call(.configure(MachineWorld.unprompted))
        world.refusesToWait = true
        world.attach(.uniMag)
        world.run(.seconds(60))
        #expect(world.log == ["uniMag connected", "uniMag activation success", "warning readerRefuses uniMag"])
        await world.verify()
    }

    /// It gets no second request to wait by itself.
    @Test func aRefusedRequestIsReportedAtOnce() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.refusesToWait = true
        world.call(.requestSwipe)
        world.run(.seconds(60))
        #expect(world.log == ["warning readerRefuses uniMag"])
        world.refusesToWait = false
        world.call(.requestSwipe)
        world.run()
        #expect(world.log.last == "uniMag ready")
        await world.verify()
    }

    /// It was never ready for one, so that it is not reported as unready.
    @Test func aRequestThatIsCancelledBeforeTheReaderWaitsIsReported() async {
        var world = MachineWorld.ready(MachineWorld.onRequest)
        world.call(.requestSwipe)
        world.call(.cancelSwipeRequest)
        world.run()
        #expect(world.log == ["warning requestCanceled uniMag"])
        world.call(.cancelSwipeRequest)
        world.run()
        #expect(world.log.count == 1)
        await world.verify()
    }
}
