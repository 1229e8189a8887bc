import JackdawSimulator
import JackdawTestSupport
import Testing

@testable import SwipeController

/// Nothing of a card is in what a program may print of readers, cards and events, however it is printed.
@Suite(.timeLimit(.minutes(30)))
struct LeakTests {
    /// Prints everything that it receives, in all ways there are.
    private final class Printer: PGSwipeDelegate {
        let lines = Shared<[String]>([])
        let swipes = Shared(0)

        private func add(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            lines.with { $0 += ["\(value)", String(reflecting: value), dumped] }
        }

        func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice) {
            add(PGSwipeEvent.didSwipeCard(card, device))
            if let card {
                add(card)
                add(card.directPost(includingCVV: true))
            }
            add(device)
            swipes.with { $0 += 1 }
        }
        func deviceBecameReadyForSwipe(_ device: PGSwipeDevice) { add(PGSwipeEvent.deviceBecameReadyForSwipe(device)) }
        func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
            add(PGSwipeEvent.deviceBecameUnreadyForSwipe(device, reason))
        }
        func deviceConnected(_ device: PGSwipeDevice) { add(PGSwipeEvent.deviceConnected(device)) }
        func deviceDisconnected(_ device: PGSwipeDevice) { add(PGSwipeEvent.deviceDisconnected(device)) }
        func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) {
            add(PGSwipeEvent.deviceActivationFinished(device, result))
        }
        func deviceDeactivated(_ device: PGSwipeDevice) { add(PGSwipeEvent.deviceDeactivated(device)) }
        func swipeControllerWarning(_ warning: PGSwipeWarning) { add(PGSwipeEvent.warning(warning)) }
    }

    @Test(arguments: [AudioJackReaderType.unimag, .ips])
    func printedEventsHaveNoCardData(type: AudioJackReaderType) async {
        let environment = SimulatedEnvironment()
        let printer = Printer()
        let controller = PGSwipeController(
            environment, delegate: printer, audioReader: type, executor: .immediate, clock: environment.clock)
        let reader: PGSwipeDevice = type == .ips ? controller.ipsReader : controller.uniMagReader
        environment.attach(true)
        for (count, card) in SimulatedCard.deck.enumerated() {
            while !reader.isReadyForSwipe { await Task.yield() }
            await environment.present(Presentation(card))
            while printer.swipes.with({ $0 }) <= count { await Task.yield() }
        }
        environment.attach(false)
        while reader.isConnected { await Task.yield() }
        controller.shutdown()
        let text = printer.lines.with { $0.joined(separator: "\n") }
        for card in SimulatedCard.deck {
            for secret in secrets(of: card) {
                let isPrinted = text.contains(secret)
                #expect(!isPrinted, "\(card)")
            }
        }
        // It was all printed.
        #expect(text.contains("didSwipeCard") && text.contains("411111"))
    }

    /// Number, name and tracks, in clear and as hexadecimal digits.
    private func secrets(of card: SimulatedCard) -> [String] {
        var secrets = card.tracks.filter { !$0.isEmpty }
        secrets.append(String(card.tracks[1].dropFirst().prefix { $0 != "=" }))
        secrets += card.tracks[0].split(separator: "^").dropFirst().prefix(1).map(String.init)
        return secrets.filter { $0.count > 4 }.flatMap { text in
            [text, text.utf8.map { String($0, radix: 16, uppercase: true) }.joined()]
        }
    }
}
