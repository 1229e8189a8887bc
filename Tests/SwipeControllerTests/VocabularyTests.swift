import JackdawTestSupport
import Testing

@testable import SwipeController

/// Names that a program brings along from the vendor's text.
struct VocabularyTests {
    /// Implements the older spellings alone.
    private final class OldDelegate: PGSwipeDelegate {
        let log = Shared<[String]>([])

        func didBecomeReadyForSwipe(_ device: PGSwipeDevice) { log.with { $0.append("ready") } }
        func didBecomeUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
            log.with { $0.append("unready \(reason)") }
        }
        func activationDidComplete(_ device: PGSwipeDevice, result: SwipeActivationResult) {
            log.with { $0.append("activation \(result)") }
        }
    }

    /// Implements nothing.
    private final class SilentDelegate: PGSwipeDelegate {}

    @available(*, deprecated)
    @Test func S0_93_theSpellingsOfTheTextAreUsable() {
        #expect(AudioReaderAutodetectOnConnect == .autodetectOnConnect)
        #expect(SwipeUnreadyForSwipeReasonRefreshing == .refreshing)
        let reader = PGSwipeController(SimulatedEnvironment()).uniMagReader
        #expect(reader.isActive == reader.isActivated)
        let delegate = OldDelegate()
        for event: PGSwipeEvent in [
            .deviceActivationFinished(reader, .timeout), .deviceBecameReadyForSwipe(reader),
            .deviceBecameUnreadyForSwipe(reader, .refreshing),
        ] {
            event.tell(delegate)
        }
        #expect(delegate.log.with { $0 } == ["activation timeout", "ready", "unready refreshing"])
    }

    @Test func X0_06_everyMethodMayBeLeftOut() {
        let controller = PGSwipeController(SimulatedEnvironment())
        let reader = controller.uniMagReader
        let delegate = SilentDelegate()
        let events: [PGSwipeEvent] = [
            .didSwipeCard(nil, reader), .deviceBecameReadyForSwipe(reader),
            .deviceBecameUnreadyForSwipe(reader, .timedOut), .deviceConnected(reader), .deviceDisconnected(reader),
            .deviceActivationFinished(reader, .success), .deviceDeactivated(reader), .deviceAutodetectStarted,
            .deviceAutodetectComplete(.fail), .communicationTestComplete(reader, true),
            .warning(PGSwipeWarning(.callIgnored, "ignored")),
        ]
        for event in events { event.tell(delegate) }
        #expect(Set(events.map { "\($0)" }).count == events.count)
    }

    @Test func X0_10_messageOptionsAreResetToTheirDefaults() {
        var options = PGSwipeUniMagMessageOptions()
        options.activateReaderWithoutPromptingUser = true
        options.showInitializingReaderMessage = true
        options.cardReaderActivationPrompt = "one"
        options.cardReaderActivationAtMaxVolumePrompt = "two"
        options.cardReaderTimeoutMessage = nil
        options.volumeTooLowMessage = nil
        options.resetToDefaults()
        #expect(options == PGSwipeUniMagMessageOptions())
        #expect(!options.activateReaderWithoutPromptingUser && !options.showInitializingReaderMessage)
        #expect(options.cardReaderTimeoutMessage != nil && options.volumeTooLowMessage != nil)
    }
}
