package import JackdawEMV

/// A payment at a PosMate or SPm2, which has the kernel, the PIN pad and the merchant's key for a signature.
///
/// The wire is a profile's, and the form of the messages is invented (``EPOSPaymentMessage``): this machine shows how a
/// payment goes by the published names and statuses. No real terminal understands it.
package struct EPOSPayment: CollectingPayment, ~Copyable {
    /// A task for the caller, or a report to it.
    package typealias Output = ReaderPaymentOutput

    /// The stage of the payment at the terminal.
    enum Stage {
        case idle
        /// The transaction of an earlier program is ended, and this one begun.
        case preparing
        /// The terminal waits for a card.
        case accepting
        /// A card is there, and waits for the till.
        case presented
        /// The kernel runs up to the first cryptogram.
        case processing
        /// The terminal waits for the issuer's answer.
        case online
        /// The kernel runs from the issuer's answer to the second cryptogram.
        case completing
        /// The till has the swiped data.
        case swiped
        /// The transaction has ended, or the till needs no more of it.
        case over
    }

    package internal(set) var objects = DataObjectStore()
    package internal(set) var swipe: ReaderSwipe?
    /// None: the cardholder chooses at the terminal.
    package var applicationLabels: [String] { [] }
    /// Transaction PIN Data (EMV Book 3, annex A).
    package static var pinBlockTag: Tag { 0x99 }

    let transaction: KernelTransaction
    let settings: EPOSPaymentSettings
    var stage = Stage.idle
    /// The identifier of the effect under way.
    var task: Int?
    /// Whether the terminal may have begun a transaction that has not ended.
    var isOpen = false
    /// The sequence number of the report of a card, whose reply is the command to go on.
    var heldReport: UInt8?
    var isEnteringPIN = false
    /// Whether the terminal reported that a PIN was entered, and has not said how it goes on.
    var isPINEntered = false
    /// Whether the merchant accepted the signature at the terminal.
    var isSignatureVerified = false
    /// The limits of requests that wait for their answers.
    var requests: [EPOSMessage: Duration] = [:]
    var outputs: [Output] = []
    private var input: PaymentInput<EPOSPaymentMessage>

    /// A payment that has not started.
    /// - Parameters:
    ///   - transaction: amount, currency, kind, date and time.
    ///   - settings: the wire, and the values that may change.
    package init(_ transaction: KernelTransaction, _ settings: EPOSPaymentSettings) {
        self.transaction = transaction
        self.settings = settings
        input = PaymentInput(settings.wire.format, silence: settings.silence)
    }

    package var nextDeadline: Duration? { (Array(requests.values) + [input.deadline].compactMap(\.self)).min() }

    package mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [Output] {
        let wire = settings.wire
        take(input.receive(bytes, at: now) { wire.read($0, from: .terminal) }, at: now)
        return takeOutputs()
    }

    package mutating func advance(to now: Duration) -> [Output] {
        let wire = settings.wire
        take(input.advance(to: now) { wire.read($0, from: .terminal) }, at: now)
        for message in EPOSMessage.allCases {
            guard let deadline = requests[message], deadline <= now else { continue }
            requests[message] = nil
            note("a request that the terminal does not answer: \(message.rawValue)")
            if stage == .preparing {
                stop(at: now)
                emit(.preparationFailed, by: .unanswered)
            } else if message == .getSwipedData, stage == .presented {
                stage = .swiped
                emit(.swipeUnreadable)
            }
        }
        return takeOutputs()
    }

    package mutating func lose() -> [Output] {
        requests = [:]
        input.reset()
        heldReport = nil
        isOpen = false
        stage = .over
        emit(.linkLost)
        return takeOutputs()
    }

    /// Does nothing: the cardholder chooses at the terminal.
    package mutating func choose(_ index: Int, at now: Duration) -> [Output] { [] }

    // MARK: what the parts of the machine use

    mutating func send(_ message: EPOSPaymentMessage) { outputs.append(.send(settings.wire.frame(message))) }

    mutating func request(_ message: EPOSMessage, _ data: [UInt8] = [], at now: Duration) {
        requests[message] = now + settings.answerLimit
        send(.request(message, data))
    }

    private mutating func take(_ items: [PaymentInput<EPOSPaymentMessage>.Item], at now: Duration) {
        for item in items {
            switch item {
            case .message(let message): take(message, at: now)
            case .note(let text): note(text)
            }
        }
    }
}

/// The values of payments at a PosMate or SPm2 that are not public or may change.
package struct EPOSPaymentSettings: Sendable {
    /// The wire of the messages.
    package var wire: EPOSPaymentWire
    /// The status while the merchant compares the signature at the terminal.
    package var signatureStarted: EPOSStatus
    /// The status after the merchant accepted the signature.
    package var signatureAccepted: EPOSStatus
    /// The status after the merchant rejected the signature.
    package var signatureRejected: EPOSStatus
    /// The limit of answers.
    package var answerLimit: Duration
    /// The longest pause in a frame.
    package var silence: Duration

    /// - Parameter profile: the wire, and the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        wire = try EPOSPaymentWire(profile)
        let times = try profile.times()
        (answerLimit, silence) = (times.answer, times.silence)
        signatureStarted = EPOSStatus(rawValue: UInt8(clamping: try profile.integer(.signatureStarted, in: 0...255)))
        signatureAccepted = EPOSStatus(rawValue: UInt8(clamping: try profile.integer(.signatureAccepted, in: 0...255)))
        signatureRejected = EPOSStatus(rawValue: UInt8(clamping: try profile.integer(.signatureRejected, in: 0...255)))
    }
}

extension ProfileKey {
    /// The status of a PosMate while the merchant compares the signature.
    static let signatureStarted: ProfileKey = "payment.signature started"
    /// The status of a PosMate after the merchant accepted the signature.
    static let signatureAccepted: ProfileKey = "payment.signature accepted"
    /// The status of a PosMate after the merchant rejected the signature.
    static let signatureRejected: ProfileKey = "payment.signature rejected"

    /// The statuses of a signature, which no public list has.
    static let signatureStatuses: [ProfileKey: String] = [
        signatureStarted: "signature started", signatureAccepted: "signature accepted",
        signatureRejected: "signature rejected",
    ]
}
