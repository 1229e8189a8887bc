import JackdawCards
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

@testable import SwipeController

/// Whole controllers over simulated readers: the delegate and the stream report the same.
@Suite(.timeLimit(.minutes(30)))
struct ControllerTests {
    /// Records its calls, and the state of the reader at that time.
    private final class Recorder: PGSwipeDelegate {
        let log = Shared<[String]>([])

        private func add(_ line: String, _ device: PGSwipeDevice? = nil) {
            let flags = device.map {
                [$0.isConnected, $0.isActivated, $0.isReadyForSwipe].map { $0 ? "1" : "0" }.joined()
            }
            log.with { $0.append(line + (flags.map { " \($0)" } ?? "")) }
        }

        func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice) {
            add("swiped \(card.map { "\($0)" } ?? "nothing")", device)
        }
        func deviceBecameReadyForSwipe(_ device: PGSwipeDevice) { add("ready", device) }
        func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
            add("unready \(reason)", device)
        }
        func deviceConnected(_ device: PGSwipeDevice) { add("connected", device) }
        func deviceDisconnected(_ device: PGSwipeDevice) { add("disconnected", device) }
        func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) {
            add("activation \(result)", device)
        }
        func deviceDeactivated(_ device: PGSwipeDevice) { add("deactivated", device) }
    }

    @Test func S0_01_theDelegateReceivesEveryEvent() async throws {
        let environment = SimulatedEnvironment()
        let recorder = Recorder()
        let controller = PGSwipeController(
            environment, delegate: recorder, audioReader: .unimag, executor: .immediate, clock: environment.clock)
        var events = controller.events.makeAsyncIterator()
        var told: [String] = []
        environment.attach(true)
        while let event = await events.next() {
            told.append("\(event)")
            switch event {
            case .deviceBecameReadyForSwipe where told.count == 3:
                await environment.present(Presentation(SimulatedCard.deck[0]))
            case .deviceBecameReadyForSwipe: environment.attach(false)
            default: break
            }
            if case .deviceDisconnected = event { break }
        }
        #expect(
            told == [
                "deviceConnected UniMag", "deviceActivationFinished UniMag: success",
                "deviceBecameReadyForSwipe UniMag", "didSwipeCard UniMag: a swiped card 411111******1111",
                "deviceBecameUnreadyForSwipe UniMag: refreshing", "deviceBecameReadyForSwipe UniMag",
                "deviceBecameUnreadyForSwipe UniMag: disconnected", "deviceDeactivated UniMag",
                "deviceDisconnected UniMag",
            ])
        #expect(
            recorder.log.with { $0 } == [
                "connected 100", "activation success 110", "ready 111", "swiped a swiped card 411111******1111 111",
                "unready refreshing 110", "ready 111", "unready disconnected 110", "deactivated 100",
                "disconnected 000",
            ])
        controller.shutdown()
        #expect(await events.next() == nil)
    }

    /// An iDynamo that sends the swipe that MagTek prints, and of a card that it could not read the same with E in
    /// place of each masked track, whatever it has encrypted.
    private struct PublishedIDynamo: ReaderModel {
        let hasFingerprint: Bool
        let base = MagTekModel()
        var family: String { base.family }
        var isAlwaysArmed: Bool { true }
        var commandFormat: any FrameFormat { base.commandFormat }

        func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
            base.answer(command, &device)
        }
        func refuse(_ command: Span<UInt8>) -> [UInt8]? { base.refuse(command) }

        func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
            var fields = PublishedSwipes.magTek.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
                .dropLast(3).map { Array($0) }
            if presentation.manner == .swipedInVain { fields[0] = Array("%E?;E?+E?".utf8) }
            if !hasFingerprint { fields[6] = [] }
            return [(try? MagTekFormat.swipe(fields)) ?? []]
        }
    }

    /// 99875483, section 2: a message comes of each swipe. What the delegate receives of one that was not read is no
    /// card, and the reader stays ready.
    @Test(arguments: [true, false])
    func S0_31_S0_58_aBadSwipeOfAnIDynamoIsNoCard(hasFingerprint: Bool) async throws {
        let environment = SimulatedEnvironment()
        let recorder = Recorder()
        let controller = PGSwipeController(
            environment, delegate: recorder, audioReader: .none, executor: .immediate, clock: environment.clock)
        var events = controller.events.makeAsyncIterator()
        let host = environment.attachIDynamo(PublishedIDynamo(hasFingerprint: hasFingerprint))
        var found: PGSwipedCard?
        while found == nil, let event = await events.next() {
            switch event {
            case .deviceBecameReadyForSwipe:
                await host.present(Presentation(SimulatedCard.deck[0], .swipedInVain))
            case .didSwipeCard(nil, _): await host.present(Presentation(SimulatedCard.deck[0]))
            case .didSwipeCard(let card, _): found = card
            default: break
            }
        }
        #expect(
            recorder.log.with { $0 } == [
                "connected 100", "activation success 110", "ready 111", "swiped nothing 111",
                "swiped a swiped card 545200******7189 111",
            ])
        let card = try #require(found as? PGMagnesafeSwipedCard)
        #expect(card.magnesafeKsn == "FFFF9876543210E00008")
        #expect(card.magnesafePrint.isEmpty != hasFingerprint)
        controller.shutdown()
    }

    /// The simulated reader, which fills up its blocks.
    @Test func S0_31_S0_58_aSimulatedIDynamoSendsBadSwipesToo() async {
        let environment = SimulatedEnvironment()
        let controller = PGSwipeController(
            environment, delegate: nil, audioReader: .none, executor: .immediate, clock: environment.clock)
        var events = controller.events.makeAsyncIterator()
        let host = environment.attachIDynamo(MagTekModel())
        var swipes: [Bool] = []
        while swipes.count < 4, let event = await events.next() {
            switch event {
            case .deviceBecameReadyForSwipe:
                for manner in [Presentation.Manner.swipedInVain, .swiped, .swipedInVain, .swiped] {
                    await host.present(Presentation(SimulatedCard.deck[0], manner))
                }
            case .didSwipeCard(let card, _): swipes.append(card != nil)
            default: break
            }
        }
        #expect(swipes == [false, true, false, true])
        controller.shutdown()
    }

    @Test func S0_02_eachReaderHasItsClass() {
        let controller = PGSwipeController(SimulatedEnvironment())
        #expect(controller.audioJackReaderType == .unimag)
        let devices: [PGSwipeDevice] = [
            controller.ipsEnterpriseReader, controller.ipsReader, controller.iDynamoReader, controller.uniMagReader,
        ]
        #expect(devices.map { "\($0)" } == ["IPS Enterprise", "IPS", "iDynamo", "UniMag"])
        #expect(!devices.contains { $0.isConnected || $0.isActivated || $0.isReadyForSwipe })
    }

    @Test func S0_61_theDefaultsAreTheVendors() {
        let reader = PGSwipeController(SimulatedEnvironment()).uniMagReader
        // The reader lives no longer than its controller.
        #expect(
            reader.activateReaderOnAttach && reader.automaticallySetVolumeToMaxOnActivate && reader.alwaysAcceptSwipe)
        #expect(!reader.messageOptions.activateReaderWithoutPromptingUser)
    }

    @Test func X0_01_X0_03_X0_04_theNumbersAreTheVendors() {
        #expect(AudioJackReaderType.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(SwipeReasonUnreadyForSwipe.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(SwipeActivationResult.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(CardReaderAutodetectResult.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(AudioJackReaderType.unimag.rawValue == 1 && AudioJackReaderType.ipsEnterprise.rawValue == 5)
    }

    @Test func S0_17_autodetectFailsWithoutAReader() async {
        let controller = PGSwipeController(SimulatedEnvironment())
        #expect(await controller.autodetect() == .fail)
        #expect(controller.autodetectReport == nil)
        controller.shutdown()
        #expect(await controller.autodetect() == .fail)
    }

    @Test func S0_21_flagsAreTrueWhenAutodetectionIsComplete() async {
        let environment = SimulatedEnvironment(finding: "unimag")
        let recorder = Recorder()
        let controller = PGSwipeController(
            environment, delegate: recorder, audioReader: .none, executor: .immediate, clock: environment.clock)
        var events = controller.events.makeAsyncIterator()
        environment.attach(true)
        while !controller.connectionDetector.isObjectPluggedIn { await Task.yield() }
        #expect(await controller.autodetect() == .uniMag)
        let reader = controller.uniMagReader
        #expect(controller.audioJackReaderType == .unimag)
        #expect(reader.isConnected && reader.isActivated && reader.isReadyForSwipe)
        #expect(controller.autodetectReport?.found == "unimag")
        var told: [String] = []
        while told.count < 2, let event = await events.next() { told.append("\(event)") }
        #expect(told == ["deviceAutodetectStarted", "deviceAutodetectComplete: uniMag"])
        #expect(recorder.log.with { $0 }.isEmpty)
        controller.shutdown()
    }

    /// Receives tests and events of the jack.
    private final class Listener: PGSwipeIpsCommunicationTestDelegate, PGSwipeIpsEnterpriseCommunicationTestDelegate,
        PGAudioJackConnectionDetectorDelegate
    {
        let log = Shared<[String]>([])
        func ipsCommunicationTestComplete(withResult success: Bool) { log.with { $0.append("IPS \(success)") } }
        func ipsEnterpriseCommunicationTestComplete(withResult success: Bool) {
            log.with { $0.append("IPS Enterprise \(success)") }
        }
        func audioJackObjectAttached() { log.with { $0.append("attached") } }
        func audioJackObjectDetached() { log.with { $0.append("detached") } }
    }

    @Test func S0_51_S0_57_theListenerOfATestReceivesItsResult() async {
        let environment = SimulatedEnvironment(finding: "ips")
        let controller = PGSwipeController(
            environment, delegate: nil, audioReader: .none, executor: .immediate, clock: environment.clock)
        var events = controller.events.makeAsyncIterator()
        let listener = Listener()
        environment.attach(true)
        while !controller.connectionDetector.isObjectPluggedIn { await Task.yield() }
        controller.ipsReader.beginTestCommunication(listener)
        #expect(await events.next().map { "\($0)" } == "communicationTestComplete IPS: answered")
        controller.ipsEnterpriseReader.beginTestCommunication(listener)
        #expect(await events.next().map { "\($0)" } == "communicationTestComplete IPS Enterprise: no answer")
        #expect(listener.log.with { $0 } == ["IPS true", "IPS Enterprise false"])
        #expect(controller.audioJackReaderType == .none)
        controller.shutdown()
    }

    @Test func X0_05_listenersToTheJackReceivePlugsForEveryType() async {
        let environment = SimulatedEnvironment()
        let controller = PGSwipeController(
            environment, delegate: nil, audioReader: .none, executor: .immediate, clock: environment.clock)
        let (first, second) = (Listener(), Listener())
        let detector = controller.connectionDetector
        detector.addDelegate(first)
        detector.addDelegate(first)
        detector.addDelegate(second)
        #expect(!detector.isObjectPluggedIn)
        environment.attach(true)
        while second.log.with({ $0.isEmpty }) { await Task.yield() }
        #expect(detector.isObjectPluggedIn)
        detector.removeDelegate(second)
        environment.attach(false)
        while first.log.with({ $0.count < 2 }) { await Task.yield() }
        #expect(first.log.with { $0 } == ["attached", "detached"])
        #expect(second.log.with { $0 } == ["attached"])
        controller.shutdown()
    }

    @Test func S0_03_S0_05_theDelegateReceivesAReaderThatIsAttachedAlready() async {
        let environment = SimulatedEnvironment()
        environment.attach(true)
        let recorder = Recorder()
        let controller = PGSwipeController(
            environment, delegate: recorder, executor: .immediate, clock: environment.clock)
        while recorder.log.with({ $0.isEmpty }) { await Task.yield() }
        #expect(recorder.log.with { $0.first } == "connected 100")
        controller.shutdown()
    }

    /// However soon the first event comes.
    @Test func S0_03_theFirstStreamHasAReaderThatIsAttachedAlready() async {
        let environment = SimulatedEnvironment()
        environment.attach(true)
        let controller = PGSwipeController(
            environment, delegate: nil, executor: .immediate, clock: environment.clock)
        while !controller.uniMagReader.isReadyForSwipe { await Task.yield() }
        let (first, second) = (controller.events, controller.events)
        environment.attach(false)
        let come = [
            "deviceConnected UniMag", "deviceActivationFinished UniMag: success", "deviceBecameReadyForSwipe UniMag",
        ]
        let gone = [
            "deviceBecameUnreadyForSwipe UniMag: disconnected", "deviceDeactivated UniMag",
            "deviceDisconnected UniMag",
        ]
        for (events, expected) in [(first, come + gone), (second, gone)] {
            var received: [String] = []
            for await event in events {
                received.append("\(event)")
                if case .deviceDisconnected = event { break }
            }
            #expect(received == expected)
        }
        controller.shutdown()
    }

    @Test func S0_04_withoutADelegateInTimeTheFirstConnectionIsMissed() async {
        let environment = SimulatedEnvironment()
        environment.attach(true)
        let controller = PGSwipeController(
            environment, delegate: nil, executor: .immediate, clock: environment.clock)
        controller.uniMagReader.activateReaderOnAttach = false
        while !controller.uniMagReader.isConnected { await Task.yield() }
        let recorder = Recorder()
        controller.delegate = recorder
        #expect(controller.ipsReader.delegate === recorder)
        environment.attach(false)
        while recorder.log.with({ $0.isEmpty }) { await Task.yield() }
        #expect(recorder.log.with { $0.last } == "disconnected 000")
        #expect(recorder.log.with { !$0.contains("connected 100") })
        controller.shutdown()
    }

    /// Calls of the controller within a delegate method are executed after it.
    private final class Caller: PGSwipeDelegate {
        let log = Shared<[String]>([])
        let controller = Shared<PGSwipeController?>(nil)

        func deviceConnected(_ device: PGSwipeDevice) {
            log.with { $0.append("begins") }
            controller.with { $0 }?.setAudioJackReaderType(.none)
            log.with { $0.append("ends") }
        }
        func deviceDisconnected(_ device: PGSwipeDevice) { log.with { $0.append("disconnected") } }
    }

    @Test func S0_14_theDelegateIsNeverCalledInsideOfACallOfItsOwn() async {
        let environment = SimulatedEnvironment()
        let caller = Caller()
        let controller = PGSwipeController(
            environment, delegate: caller, executor: .immediate, clock: environment.clock)
        caller.controller.with { $0 = controller }
        environment.attach(true)
        while caller.log.with({ $0.count < 3 }) { await Task.yield() }
        #expect(caller.log.with { $0 } == ["begins", "ends", "disconnected"])
        caller.controller.with { $0 = nil }
        controller.shutdown()
    }
}
