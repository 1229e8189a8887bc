import JackdawReaders
import Testing

@testable import SwipeController

/// Which events a stream has.
@Suite struct EventTellerTests {
    private final class Silent: PGSwipeDelegate {}

    private let teller = EventTeller(
        .unimag, devices: ReaderKind.makeDevices(SwipeEngineReference()), delegate: nil, executor: .immediate)

    private static let card: SwipeAnnouncement = {
        var builder = ReaderSwipe.Builder()
        let track = Array(";4111111111111111=2912?".utf8)
        builder.add(.track(2), track.span)
        return .device(.swiped(builder.finish(family: "test", cipher: nil)), .uniMag, DeviceFlags())
    }()
    private static let connected = SwipeAnnouncement.device(.connected, .uniMag, DeviceFlags(isConnected: true))
    private static let ready = SwipeAnnouncement.device(.ready, .uniMag, DeviceFlags(isReadyForSwipe: true))

    private func take(_ announcements: SwipeAnnouncement...) {
        for announcement in announcements { teller.queue(announcement) }
    }

    /// The first word of each event of a stream, up to the end of the teller; another stream is kept until then.
    private func words(_ stream: AsyncStream<PGSwipeEvent>, _ other: AsyncStream<PGSwipeEvent>? = nil) async -> [String]
    {
        teller.end()
        var words: [String] = []
        for await event in stream { words.append("\(event)".split(separator: " ").first.map(String.init) ?? "") }
        return words
    }

    @Test func theFirstStreamBeginsWithEarlierEvents() async {
        take(Self.connected, Self.card)
        teller.deliver()
        let (first, second) = (teller.events(), teller.events())
        take(Self.ready)
        teller.deliver()
        #expect(await words(first) == ["deviceConnected", "didSwipeCard", "deviceBecameReadyForSwipe"])
        #expect(await words(second) == ["deviceBecameReadyForSwipe"])
    }

    @Test(arguments: [0, 1]) func keptEventsAreBounded(excess: Int) async {
        for _ in 0..<EventTeller.maxKept + excess { take(Self.ready) }
        teller.deliver()
        let first = teller.events()
        #expect(await words(first).count == (excess == 0 ? EventTeller.maxKept : 0))
    }

    /// A delegate, or who waits for the next swipe.
    @Test(arguments: [true, false]) func cardsThatAnotherListenerReceivesAreNotKept(isDelegate: Bool) async {
        let delegate = Silent()
        if isDelegate { teller.delegate = delegate }
        let other = isDelegate ? nil : teller.laterEvents(takesCards: true)
        take(Self.connected, Self.card)
        teller.deliver()
        let first = teller.events()
        take(Self.ready)
        teller.deliver()
        #expect(await words(first) == ["deviceBecameReadyForSwipe"])
        if let other {
            #expect(await words(other) == ["deviceConnected", "didSwipeCard", "deviceBecameReadyForSwipe"])
        }
    }

    /// Autodetection waits for its result and drops a card: the program's first stream has it.
    @Test func aCardIsKeptIfAnotherEventIsAwaited() async {
        let other = teller.laterEvents(takesCards: false)
        take(Self.connected, Self.card)
        teller.deliver()
        #expect(await words(teller.events(), other) == ["deviceConnected", "didSwipeCard"])
    }

    /// Such as that the request before was cancelled.
    @Test func aWaitForASwipeReceivesNoEarlierEvents() async {
        take(.warned(.requestCanceled, "", .uniMag), Self.connected)
        let later = teller.laterEvents(takesCards: true)
        take(Self.ready)
        teller.deliver()
        #expect(await words(later) == ["deviceBecameReadyForSwipe"])
    }

    @Test func noEventsAreKeptAfterTheEnd() async {
        take(Self.connected)
        teller.deliver()
        teller.end()
        #expect(await words(teller.events()).isEmpty)
    }
}
