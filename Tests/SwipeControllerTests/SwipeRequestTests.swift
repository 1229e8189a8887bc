import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

@testable import SwipeController

/// Requests of single swipes by a delegate and by asynchronous functions, over simulated readers.
@Suite(.timeLimit(.minutes(30)))
struct SwipeRequestTests {
    /// A controller whose UniMag is activated, and waits for swipes by itself or not.
    private func activated(always: Bool) async -> (PGSwipeController, SimulatedEnvironment) {
        let environment = SimulatedEnvironment()
        let controller = PGSwipeController(
            environment, delegate: nil, executor: .immediate, clock: environment.clock)
        controller.uniMagReader.alwaysAcceptSwipe = always
        environment.attach(true)
        while !controller.uniMagReader.isActivated { await Task.yield() }
        return (controller, environment)
    }

    /// Requests the next swipe when the reader is unready, and writes down what it receives.
    private final class Requester: PGSwipeDelegate {
        let log = Shared<[String]>([])
        /// Whether the first request is cancelled when the reader is ready.
        let isCancelling: Bool

        init(isCancelling: Bool = false) { self.isCancelling = isCancelling }

        /// How often the reader was ready; nil after a warning.
        var readyCount: Int? {
            log.with { log in log.contains { $0.hasPrefix("warning") } ? nil : log.count { $0 == "ready" } }
        }

        private func request(_ device: PGSwipeDevice) { (device as? PGSwipeUniMag)?.requestSwipe() }

        func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) { request(device) }
        func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice) {
            log.with { $0.append(card == nil ? "swiped badly" : "swiped well") }
        }
        func deviceBecameReadyForSwipe(_ device: PGSwipeDevice) {
            let isFirst = log.with { log in
                log.append("ready")
                return log.count == 1
            }
            guard isFirst, isCancelling, let reader = device as? PGSwipeUniMag else { return }
            reader.cancelSwipeRequest()
            reader.requestSwipe()
        }
        func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
            log.with { $0.append("unready \(reason)") }
            if !isCancelling { request(device) }
        }
        func swipeControllerWarning(_ warning: PGSwipeWarning) {
            log.with { $0.append("warning \(warning.code.rawValue)") }
        }
    }

    @Test(arguments: [true, false])
    func S0_79_aDelegateRequestsTheNextSwipeAfterAnUnreadableOne(isImmediate: Bool) async throws {
        let environment = SimulatedEnvironment()
        let requester = Requester()
        let controller = PGSwipeController(
            environment, delegate: requester, executor: isImmediate ? .immediate : .main, clock: environment.clock)
        controller.uniMagReader.alwaysAcceptSwipe = false
        environment.attach(true)
        for count in 1...3 {
            while let ready = requester.readyCount, ready < count { await Task.yield() }
            await environment.present(Presentation(SimulatedCard.deck[0], .swipedInVain))
        }
        while let ready = requester.readyCount, ready < 4 { await Task.yield() }
        let once = ["ready", "swiped badly", "unready swipeDone"]
        #expect(requester.log.with { $0 } == once + once + once + ["ready"])
        controller.shutdown()
    }

    @Test(arguments: [true, false])
    func S0_79_aDelegateRequestsASwipeRightAfterACancellation(isImmediate: Bool) async throws {
        let environment = SimulatedEnvironment()
        let requester = Requester(isCancelling: true)
        let controller = PGSwipeController(
            environment, delegate: requester, executor: isImmediate ? .immediate : .main, clock: environment.clock)
        controller.uniMagReader.alwaysAcceptSwipe = false
        environment.attach(true)
        while let ready = requester.readyCount, ready < 2 { await Task.yield() }
        #expect(requester.log.with { $0 } == ["ready", "unready canceled", "ready"])
        controller.shutdown()
    }

    @Test(arguments: [true, false]) func aWaitForASwipeReturnsTheCard(always: Bool) async throws {
        let (controller, environment) = await activated(always: always)
        let reader = controller.uniMagReader
        // Until one comes after the program has begun to wait.
        let presenting = Task {
            while !Task.isCancelled {
                await environment.present(Presentation(SimulatedCard.deck[0]))
                await Task.yield()
            }
        }
        let card = try await reader.nextSwipe()
        #expect(card.maskedCardNumber == "4111110000001111")
        presenting.cancel()
        await presenting.value
        controller.shutdown()
    }

    /// It returns at once, and needs no `await`.
    @Test func S0_78_aSwipeIsRequestedFromAnAsynchronousFunction() async {
        let (controller, _) = await activated(always: false)
        let reader = controller.uniMagReader
        reader.requestSwipe()
        while !reader.isReadyForSwipe { await Task.yield() }
        reader.cancelSwipeRequest()
        while reader.isReadyForSwipe { await Task.yield() }
        controller.shutdown()
    }

    @Test func aWaitForASwipeEndsWithItsTask() async throws {
        let (controller, _) = await activated(always: false)
        let reader = controller.uniMagReader
        let waiting = Task { () throws(PGSwipeError) -> PGSwipedCard in try await reader.nextSwipe() }
        while !reader.isReadyForSwipe { await Task.yield() }
        waiting.cancel()
        switch await waiting.result {
        case .failure(let error as PGSwipeError): #expect(error.code == .canceled)
        default: Issue.record("it ended otherwise")
        }
        while reader.isReadyForSwipe { await Task.yield() }
        controller.shutdown()
        await #expect(throws: PGSwipeError.self) { _ = try await reader.nextSwipe() }
    }

    /// Two who wait: the second cannot, and the first gets its card all the same.
    @Test func aSecondRequestDoesNotEndTheFirst() async throws {
        let (controller, environment) = await activated(always: false)
        let reader = controller.uniMagReader
        let first = Task { () throws(PGSwipeError) -> PGSwipedCard in try await reader.nextSwipe() }
        while !reader.isReadyForSwipe { await Task.yield() }
        do throws(PGSwipeError) {
            _ = try await reader.nextSwipe()
            Issue.record("it was requested twice")
        } catch {
            #expect(error.code == .notReady)
        }
        await environment.present(Presentation(SimulatedCard.deck[0]))
        #expect(try await first.value.maskedCardNumber == "4111110000001111")
        controller.shutdown()
    }

    @Test func aSwipeIsNotAwaitedWithoutAReader() async {
        let environment = SimulatedEnvironment()
        let controller = PGSwipeController(environment, delegate: nil, executor: .immediate)
        do throws(PGSwipeError) {
            _ = try await controller.uniMagReader.nextSwipe()
            Issue.record("there is no reader")
        } catch {
            #expect(error.code == .notReady)
        }
    }
}
