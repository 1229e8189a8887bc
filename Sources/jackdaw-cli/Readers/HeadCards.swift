import JackdawALSA
import JackdawBytes
import JackdawCards
import JackdawDSP
import JackdawSimulator
import JackdawSwipe
import JackdawSystem
import JackdawTransport

/// The cards in the sound of a head, for a payment: of a sound card, or of a sound file. The levels of a sound card are not
/// changed.
final class HeadCards: CardSource {
    private enum End {
        /// The file has no more sound.
        case ended
        case lost(LinkError)
        case closed
    }

    private struct State {
        /// Cards that no task has taken yet; one without tracks could not be read.
        var cards: [CardEvent] = []
        var isOpen = false
        var end: End?
    }

    /// The cards at which a file is not read further.
    private static let most = 16
    /// The longest wait for the sound, after which the end is noticed.
    private static let patience = Duration.milliseconds(100)

    private let link: LinkName
    private let state = Lock(State())
    /// Sent when a card was added, or the source is open or has ended.
    private let change = AsyncSignal()

    private init(_ link: LinkName) { self.link = link }

    /// Opens a source.
    /// - Parameters:
    ///   - link: a sound card, or a sound file.
    ///   - environment: opens it.
    /// - Returns: the source.
    /// - Throws: `LinkError` if it cannot be opened.
    static func open(_ link: LinkName, _ environment: CommandEnvironment) async throws(LinkError) -> HeadCards {
        let cards = HeadCards(link)
        do throws(SystemFailure) {
            try WorkerThread(name: "jackdaw-head") { cards.run(environment) }.detach()
        } catch {
            throw .system(error, link: link.description, "no thread can be created")
        }
        try await cards.waitUntilOpen()
        return cards
    }

    private func waitUntilOpen() async throws(LinkError) {
        while true {
            let seen = change.count
            let (isOpen, end) = state.withLock { ($0.isOpen, $0.end) }
            if isOpen { return }
            if case .lost(let error) = end { throw error }
            guard !Task.isCancelled else {
                await close()
                throw LinkError(.cancelled, link: link.description, "cancelled")
            }
            await change.wait(after: seen)
        }
    }

    func nextCard() async throws(LinkError) -> CardEvent? {
        // A card that was swiped before anyone asked for it is none of the payment.
        if link.scheme == .alsa { state.withLock { $0.cards = [] } }
        while true {
            let seen = change.count
            let (card, end) = state.withLock { state -> (CardEvent?, End?) in
                state.cards.isEmpty ? (nil, state.end) : (state.cards.removeFirst(), nil)
            }
            if let card { return card }
            switch end {
            case .ended, .closed: return nil
            case .lost(let error): throw error
            case nil: break
            }
            guard !Task.isCancelled else { throw LinkError(.cancelled, link: link.description, "cancelled") }
            await change.wait(after: seen)
        }
    }

    func close() async { finish(.closed) }

    // MARK: on the thread

    private func run(_ environment: CommandEnvironment) {
        do throws(LinkError) {
            var configuration = StreamConfiguration()
            // With one channel a device that converts would mix the tracks of a head.
            configuration.leastChannels = 2
            configuration.reopens = false
            let port = try environment.capture(link, configuration) { [self] in isWanted }
            var reader = try head(of: port)
            state.withLock { $0.isOpen = true }
            change.send()
            while isWanted {
                try receive(from: port, &reader)
                while isWanted, link.scheme != .alsa, state.withLock({ $0.cards.count >= Self.most }) {
                    environment.sleep(.milliseconds(10))
                }
            }
        } catch {
            finish(.lost(error))
        }
    }

    private func head(of port: any AudioPort) throws(LinkError) -> HeadReader {
        do throws(SwipeDecoderError) {
            return try HeadReader(
                configuration: HeadReader.Configuration(sampleRate: port.sampleRate, channelCount: port.channelCount))
        } catch {
            throw LinkError(.unsupported, link: link.description, "\(error)")
        }
    }

    private func receive(from port: any AudioPort, _ reader: inout HeadReader) throws(LinkError) {
        var next: CaptureEvent?
        var samples: [Float] = []
        defer { samples.wipe() }
        _ = try port.receive(within: Self.patience) { event, sound in
            next = event
            samples.reserveCapacity(sound.count)
            for index in sound.indices { samples.append(sound[index]) }
        }
        switch next {
        case .sound(let block):
            if block.lostBefore > 0 { take(reader.skip(Int(block.lostBefore))) }
            take(reader.receive(samples.span))
        case .ended:
            take(reader.finish())
            finish(.ended)
        case .disconnected:
            finish(.lost(LinkError(.disconnected, link: link.description, "the sound card was removed")))
        case .reconnected, nil: break
        }
    }

    private func take(_ events: [HeadEvent]) {
        for event in events {
            switch event {
            case .card(let card): add(CardEvent(card))
            case .failure where !event.isNoise: add(CardEvent([], source: .sound))
            case .failure, .track: break
            }
        }
    }

    private func add(_ card: CardEvent) {
        state.withLock { $0.cards.append(card) }
        change.send()
    }

    private var isWanted: Bool { state.withLock { $0.end == nil } }

    private func finish(_ end: End) {
        state.withLock { state in
            if state.end == nil { state.end = end }
        }
        change.send()
    }
}
