import JackdawBytes
public import JackdawCards
public import JackdawEMV

/// The person at the till, as software: a machine without I/O that answers a payment's questions to the cardholder.
///
/// It has no clock: an answer has the time at which it comes.
///
/// ```swift
/// var payer = try SimulatedPayer(json: file)
/// let answer = payer.receive(.enterPIN(request), at: now)
/// ```
public struct SimulatedPayer: Sendable {
    /// A question to the cardholder.
    public enum Question: Sendable {
        /// Present the card, or present it again.
        case presentCard
        /// Choose an application, best first.
        case chooseApplication([ApplicationCandidate])
        /// Enter a PIN at the reader.
        case enterPIN(PINRequest)
        /// Sign for the payment.
        case sign
    }

    /// An answer of the cardholder.
    public enum Answer: Sendable {
        /// Inserts the card into the slot.
        case inserts
        /// Taps the card on the reader.
        case taps
        /// Swipes the card's stripe.
        case swipes
        /// Chooses the application of this index.
        case chooses(Int)
        /// Enters a PIN: digits in ASCII, 4 to 12.
        case enters(SecretOctets)
        /// Enters no PIN, and goes on.
        case bypasses
        /// Cancels at the PIN pad.
        case cancels
        /// Signs; whether the merchant finds the signature right.
        case signs(isRight: Bool)
        /// Refuses to sign the payment.
        case refuses
    }

    let setup: PayerDescription
    /// The number of PINs that were entered.
    private var pins = 0
    /// The number of choices of an application.
    private var choices = 0
    /// The number of presentations.
    private var presentations = 0
    /// The number of answers of the card since it was presented.
    private var exchanges = 0
    /// The number of removals.
    private var removals = 0
    /// Whether the cardholder has taken the card away for good.
    private var isGone = false

    init(_ setup: PayerDescription) { self.setup = setup }

    /// Answers a question.
    /// - Parameters:
    ///   - question: the question.
    ///   - now: the time, since any fixed instant.
    /// - Returns: the answer and its time; nil if the cardholder does not answer.
    public mutating func receive(_ question: Question, at now: Duration) -> (answer: Answer, at: Duration)? {
        switch question {
        case .presentCard:
            guard !isGone, presentations < setup.maxPresentations else { return nil }
            let way = setup.presentations[min(presentations, setup.presentations.count - 1)]
            presentations += 1
            exchanges = 0
            return (way.answer, now + setup.delays.card)
        case .chooseApplication(let candidates):
            return choose(among: candidates.map(\.name), at: now).map { (.chooses($0.index), $0.at) }
        case .enterPIN: return (enterPIN(), now + setup.delays.pin)
        case .sign: return setup.signature.answer.map { ($0, now + setup.delays.signature) }
        }
    }

    /// Chooses an application by the names, best first.
    mutating func choose(among names: [[UInt8]], at now: Duration) -> (index: Int, at: Duration)? {
        let index = setup.application.answer(names, isFirstChoice: choices == 0)
        choices += 1
        return index.map { ($0, now + setup.delays.application) }
    }

    private mutating func enterPIN() -> Answer {
        switch setup.pin {
        case .bypassed: return .bypasses
        case .cancelled: return .cancels
        case .digits(let digits, let wrongFirst):
            pins += 1
            return .enters(pins <= wrongFirst ? Self.wrong(digits) : digits)
        }
    }

    /// Another PIN of the same length: each digit is the next one.
    private static func wrong(_ digits: SecretOctets) -> SecretOctets {
        var octets = digits.octets
        defer { octets.wipe() }
        for index in octets.indices { octets[index] = octets[index] == 0x39 ? 0x30 : octets[index] + 1 }
        return SecretOctets(octets)
    }

    /// Counts an answer of the card to a command; over T=0 each GET RESPONSE is one.
    /// - Parameter now: the time.
    /// - Returns: the time at which the cardholder removes the card; nil if the card stays.
    public mutating func cardAnswered(at now: Duration) -> Duration? {
        exchanges += 1
        guard let removal = setup.removal, exchanges == removal.exchange, !isGone else { return nil }
        removals += 1
        guard removals <= removal.times ?? 1 else { return nil }
        isGone = removal.times == nil
        return now + removal.delay
    }
}

extension SimulatedPayer: RedactedDescription {
    /// Nothing of the PIN.
    public var description: String { "simulated payer" }
}

extension SecretOctets {
    /// The numbers of digits in ASCII, as a kernel takes a PIN.
    var digitNumbers: SecretOctets {
        var numbers = octets
        defer { numbers.wipe() }
        for index in numbers.indices { numbers[index] &= 0x0F }
        return SecretOctets(numbers)
    }
}
