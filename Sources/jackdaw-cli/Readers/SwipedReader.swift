import JackdawCards
import JackdawCryptography
import JackdawLinux
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// The place at which the card of a payment is swiped.
enum SwipePlace: Sendable {
    /// A simulated reader on the audio jack, in this process.
    case simulated(SwipeLink)
    /// A reader of a family on the audio jack, at a link.
    case reader(ReaderFamily, LinkName)
    /// The sound of a head: a sound card, or a sound file.
    case head(LinkName)
}

/// The options of a payment for a reader on the audio jack.
struct SwipeOptions: Sendable {
    /// The path of the profile; nil for the family's own values.
    let profile: String?
    let key: KeyOptions
    /// Whether a key that is published for tests is allowed for a reader at a link.
    let allowsTestKey: Bool
}

/// A reader at which the card of a payment is swiped, as the command line describes it.
struct SwipedReader: Sendable {
    /// The reader; nil for the sound of a head.
    let reader: SwipingReader?
    private let place: SwipePlace
    /// The signals at the jack; nil if the link carries bytes.
    private let sound: ReaderSound?
    private let mask: ReaderMask?
    private let cards: SwipedCards

    /// - Parameters:
    ///   - place: the place.
    ///   - options: the options for the reader.
    ///   - console: shows warnings about the key file.
    ///   - environment: reads the key.
    /// - Throws: `CommandError` if a value, the profile or the key is missing or invalid.
    init(
        _ place: SwipePlace, _ options: SwipeOptions, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) {
        self.place = place
        guard let (family, profile) = try Self.family(of: place, options) else {
            (reader, sound, mask, cards) = (nil, nil, nil, SwipedCards(nil))
            return
        }
        var model: (any ReaderModel)?
        var isLive = !options.allowsTestKey
        if case .simulated = place {
            model = SimulatedFamily.named(family.name)?.makeModel()
            isLive = false
        } else if case .reader(_, let link) = place, link.isTranscript {
            isLive = false
        }
        var decryption: LiveDecryption?
        if let path = options.key.file {
            let key = try environment.key(path, console)
            if model != nil {
                model = try Self.model(of: family, encryptingWith: key, options.key.scheme, from: path)
            }
            decryption = LiveDecryption(
                try options.key.decryptor(key, isLive ? .live : .test), isRevealed: false)
        }
        let cards = SwipedCards(decryption)
        self.cards = cards
        do throws(ReaderError) {
            reader = try SwipingReader(family, profile: profile, model: model) { cards.card(of: $0) }
            mask = try family.makeMask(profile)
            var sound: ReaderSound?
            if case .reader(_, let link) = place, link.carrier.scheme == .alsa { sound = try family.makeSound(profile) }
            self.sound = sound
        } catch {
            throw CommandError(.unavailable, "\(family.name): \(error)")
        }
    }

    /// The family of the reader with its values; nil for a head.
    private static func family(
        of place: SwipePlace, _ options: SwipeOptions
    ) throws(CommandError) -> (ReaderFamily, ReaderProfile)? {
        switch place {
        case .head: return nil
        case .simulated(let link):
            guard let family = ReaderFamily.named(link.family) else { return nil }
            return (family, family.simulatedProfile)
        case .reader(let family, _):
            guard let path = options.profile else { return (family, family.profile) }
            return (family, try ProfileFile.read(path, over: family.profile, of: family))
        }
    }

    private static func model(
        of family: ReaderFamily, encryptingWith key: borrowing SecretBytes, _ scheme: KeyScheme?, from path: String
    ) throws(CommandError) -> any ReaderModel {
        let encryptor = try SwipeEncryptor.forReader(of: family.name, key, scheme, from: path)
        guard let model = SimulatedFamily.named(family.name)?.makeModel(cipher: encryptor) else {
            throw CommandError(.usage, "the encryption of \(family.name) readers with such a key is not published")
        }
        return model
    }

    /// The reason why the last encrypted swipe was not used; nil if all were.
    var complaint: String? { cards.complaint }

    /// Opens the place, and begins a payment there. Not for a simulated reader.
    /// - Parameters:
    ///   - run: the payment, which has not started.
    ///   - environment: opens links, and measures the payment's times.
    /// - Returns: the payment.
    /// - Throws: `CommandError` if the place cannot be opened.
    func payment(
        _ run: sending PaymentRun, _ environment: CommandEnvironment
    ) async throws(CommandError) -> LinkedPayment {
        do throws(LinkError) {
            switch place {
            case .simulated: preconditionFailure("a simulated reader has no link")
            case .head(let link):
                let cards = try await HeadCards.open(link, environment)
                return LinkedPayment(run, reading: cards, clock: environment.clock)
            case .reader(_, let link):
                let masked = mask.map(environment.recording) ?? environment
                let transport: any Transport
                if let sound {
                    transport = try await masked.connectJack(link, sound, masked.secrecy)
                } else {
                    transport = try await masked.connect(link, nil, .kernel)
                }
                return LinkedPayment(run, over: transport, clock: environment.clock)
            }
        } catch {
            throw CommandError(opening: error)
        }
    }
}

/// Makes cards of the swipes of a payment, decrypted if there is a key.
private final class SwipedCards: Sendable {
    private let decryption: LiveDecryption?
    private let failure = Lock<String?>(nil)

    init(_ decryption: LiveDecryption?) { self.decryption = decryption }

    /// The card of a swipe; one that cannot be decrypted has no track in clear.
    func card(of swipe: ReaderSwipe) -> CardEvent {
        let card = CardEvent(swipe, source: .audioReader)
        guard swipe.isEncrypted else { return card }
        guard let decryption else {
            failure.withLock { $0 = "the reader encrypts: --key-file names the key" }
            return card
        }
        do throws(CryptographyError) {
            let decrypted = try decryption.card(of: swipe)
            failure.withLock { $0 = nil }
            return decrypted
        } catch {
            failure.withLock { $0 = "not decrypted: \(error)" }
            return card
        }
    }

    var complaint: String? { failure.withLock { $0 } }
}
