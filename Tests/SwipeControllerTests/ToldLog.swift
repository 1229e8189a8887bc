import JackdawTestSupport
import Testing

@testable import SwipeController

/// What a delegate and a stream receive of the machine's announcements, a line each, in the words of ``MachineWorld``.
final class ToldLog: PGSwipeDelegate {
    private let teller: EventTeller
    private let lines = Shared<[String]>([])
    private let stream: AsyncStream<PGSwipeEvent>

    init(_ type: AudioJackReaderType) {
        teller = EventTeller(
            type, devices: ReaderKind.makeDevices(SwipeEngineReference()), delegate: nil, executor: .immediate)
        stream = teller.events()
        teller.delegate = self
    }

    func take(_ announcement: SwipeAnnouncement) {
        teller.queue(announcement)
        teller.deliver()
    }

    /// Both receive the same, and that is what the machine has announced.
    func verify(_ log: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
        teller.end()
        var streamed: [String] = []
        for await event in stream { streamed.append(line(event)) }
        let expected = log.map { $0.split(separator: ",").first.map(String.init) ?? $0 }
        #expect(streamed == expected, sourceLocation: sourceLocation)
        // The caller that has begun a test receives its result, not the delegate.
        #expect(lines.with { $0 } == expected.filter { !$0.hasPrefix("tested") }, sourceLocation: sourceLocation)
    }

    private func add(_ event: PGSwipeEvent) { lines.with { $0.append(line(event)) } }

    private func line(_ event: PGSwipeEvent) -> String {
        switch event {
        case .didSwipeCard(let card, let device): "\(name(device)) swiped \(card == nil ? "badly" : "well")"
        case .deviceBecameReadyForSwipe(let device): "\(name(device)) ready"
        case .deviceBecameUnreadyForSwipe(let device, let reason): "\(name(device)) unready \(reason)"
        case .deviceConnected(let device): "\(name(device)) connected"
        case .deviceDisconnected(let device): "\(name(device)) disconnected"
        case .deviceActivationFinished(let device, let result): "\(name(device)) activation \(result)"
        case .deviceDeactivated(let device): "\(name(device)) deactivated"
        case .deviceAutodetectStarted: "autodetect"
        case .deviceAutodetectComplete(let result): "autodetected \(result)"
        case .communicationTestComplete(let device, let isThere): "tested \(name(device)) \(isThere)"
        case .warning(let warning):
            "warning \(warning.code.rawValue)" + (warning.device.map { " \(name($0))" } ?? "")
        }
    }

    private func name(_ device: PGSwipeDevice) -> String {
        switch device {
        case is PGSwipeUniMag: "uniMag"
        case is PGSwipeIps: "ips"
        case is PGSwipeIpsEnterprise: "ipsEnterprise"
        default: "iDynamo"
        }
    }

    func didSwipeCard(_ card: PGSwipedCard?, device: PGSwipeDevice) { add(.didSwipeCard(card, device)) }
    func deviceBecameReadyForSwipe(_ device: PGSwipeDevice) { add(.deviceBecameReadyForSwipe(device)) }
    func deviceBecameUnreadyForSwipe(_ device: PGSwipeDevice, reason: SwipeReasonUnreadyForSwipe) {
        add(.deviceBecameUnreadyForSwipe(device, reason))
    }
    func deviceConnected(_ device: PGSwipeDevice) { add(.deviceConnected(device)) }
    func deviceDisconnected(_ device: PGSwipeDevice) { add(.deviceDisconnected(device)) }
    func deviceActivationFinished(_ device: PGSwipeDevice, result: SwipeActivationResult) {
        add(.deviceActivationFinished(device, result))
    }
    func deviceDeactivated(_ device: PGSwipeDevice) { add(.deviceDeactivated(device)) }
    func deviceAutodetectStarted() { add(.deviceAutodetectStarted) }
    func deviceAutodetectComplete(_ result: CardReaderAutodetectResult) { add(.deviceAutodetectComplete(result)) }
    func swipeControllerWarning(_ warning: PGSwipeWarning) { add(.warning(warning)) }
}
