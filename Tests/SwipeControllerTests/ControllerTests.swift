import JackdawSimulator
import JackdawTestSupport
import Testing

@testable import SwipeController

/// Whole controllers over simulated readers: the delegate and the stream tell the same.
@Suite(.timeLimit(.minutes(30)))
struct ControllerTests {
    /// Writes down what it is told, and what is true of the reader then.
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
                "deviceBecameReadyForSwipe UniMag", "didSwipeCard UniMag: a swiped card 4111110000001111",
                "deviceBecameUnreadyForSwipe UniMag: refreshing", "deviceBecameReadyForSwipe UniMag",
                "deviceBecameUnreadyForSwipe UniMag: disconnected", "deviceDeactivated UniMag",
                "deviceDisconnected UniMag",
            ])
        #expect(
            recorder.log.with { $0 } == [
                "connected 100", "activation success 110", "ready 111", "swiped a swiped card 4111110000001111 111",
                "unready refreshing 110", "ready 111", "unready disconnected 110", "deactivated 100",
                "disconnected 000",
            ])
        controller.shutdown()
        #expect(await events.next() == nil)
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

    @Test func X0_01_theNumbersAreTheVendors() {
        #expect(AudioJackReaderType.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(SwipeReasonUnreadyForSwipe.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(SwipeActivationResult.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(CardReaderAutodetectResult.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(AudioJackReaderType.unimag.rawValue == 1 && AudioJackReaderType.ipsEnterprise.rawValue == 5)
    }

    @Test func S0_50_autodetectTellsNothingThatIsNotThere() async {
        let controller = PGSwipeController(SimulatedEnvironment())
        #expect(await controller.autodetect() == .fail)
        controller.shutdown()
        #expect(await controller.autodetect() == .fail)
    }
}
