package import JackdawEMV

/// A payment at an EMVSwiper or WisePad, which has the kernel, by the calls and callbacks of the vendor's SDK:
/// ``BBPOSController`` is their course, and this machine connects it with a `PaymentFlow`.
///
/// The wire is a profile's, and the form of the messages is invented (``BBPOSPaymentWire``). No real reader understands
/// it.
package struct BBPOSPayment: CollectingPayment, ~Copyable {
    /// A task for the caller, or a report to it.
    package typealias Output = ReaderPaymentOutput

    /// The stage of the payment at the reader.
    enum Stage {
        case idle
        /// The reader's facts are awaited.
        case preparing
        /// The reader waits for a card.
        case accepting
        /// A chip was found; whether it answers.
        case presented(isUsable: Bool)
        /// The kernel runs up to the first cryptogram.
        case processing
        /// The reader waits for the issuer's answer.
        case online
        /// The kernel runs from the issuer's answer to the second cryptogram.
        case completing
        /// A card was swiped.
        case swiped
        /// The payment has ended, or the till needs no more of it: the reader's further requests are refused.
        case over
    }

    package internal(set) var objects = DataObjectStore()
    package internal(set) var swipe: ReaderSwipe?
    package internal(set) var applicationLabels: [String] = []
    /// Transaction PIN Data (EMV Book 3, annex A).
    package static var pinBlockTag: Tag { 0x99 }

    let transaction: KernelTransaction
    let settings: BBPOSPaymentSettings
    var controller = BBPOSController()
    var stage = Stage.idle
    /// The identifier of the effect under way.
    var task: Int?
    /// The till's choice, which the reader waits for.
    var choice: Int?
    var isEnteringPIN = false
    /// Whether the reader reported that its battery is nearly empty.
    var isBatteryEmpty = false
    /// The limit of the answer that shows that the reader is there.
    var preparationDeadline: Duration?
    var outputs: [Output] = []
    private var input: PaymentInput<BBPOSReport>

    /// A payment that has not started, at a reader that is connected.
    /// - Parameters:
    ///   - transaction: amount, currency, kind, date and time.
    ///   - settings: the wire, and the values that may change.
    package init(_ transaction: KernelTransaction, _ settings: BBPOSPaymentSettings) {
        self.transaction = transaction
        self.settings = settings
        input = PaymentInput(settings.wire.format, silence: settings.silence)
        // The link is the caller's, of whatever kind.
        _ = controller.receive(.connected(.bluetooth), at: .zero)
    }

    package var nextDeadline: Duration? {
        [controller.nextDeadline, preparationDeadline, input.deadline].compactMap(\.self).min()
    }

    package mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [Output] {
        let wire = settings.wire
        take(input.receive(bytes, at: now) { wire.report($0) }, at: now)
        return takeOutputs()
    }

    package mutating func advance(to now: Duration) -> [Output] {
        let wire = settings.wire
        take(input.advance(to: now) { wire.report($0) }, at: now)
        take(controller.advance(to: now), at: now)
        if let deadline = preparationDeadline, deadline <= now {
            note("the reader does not answer")
            failPreparation(by: .unanswered)
        }
        return takeOutputs()
    }

    package mutating func lose() -> [Output] {
        input.reset()
        controller = BBPOSController()
        preparationDeadline = nil
        stage = .over
        fail(.linkLost, by: nil)
        return takeOutputs()
    }

    // MARK: what the parts of the machine use

    /// Has the controller carry out a call.
    /// - Returns: whether the call is allowed now.
    @discardableResult
    mutating func perform(_ call: BBPOSCall, at now: Duration) -> Bool {
        do throws(BBPOSError) {
            take(try controller.perform(call, at: now), at: now)
            return true
        } catch {
            note("a call that the reader does not allow now: \(error.rawValue)")
            return false
        }
    }

    /// Reports a failure, and its cause if it is known: without another one it is a battery that is nearly empty.
    mutating func fail(_ failure: PaymentEvent, by trouble: ReaderTrouble?) {
        emit(failure, by: trouble ?? (isBatteryEmpty ? .batteryEmpty : nil))
    }

    mutating func failPreparation(by trouble: ReaderTrouble? = nil) {
        preparationDeadline = nil
        guard case .preparing = stage else { return }
        stage = .over
        fail(.preparationFailed, by: trouble)
    }

    private mutating func take(_ items: [PaymentInput<BBPOSReport>.Item], at now: Duration) {
        for item in items {
            switch item {
            case .message(let report): take(controller.receive(report, at: now), at: now)
            case .note(let text): note(text)
            }
        }
    }

    private mutating func take(_ results: [BBPOSController.Output], at now: Duration) {
        for result in results {
            switch result {
            case .send(let call): outputs.append(.send(settings.wire.frame(call)))
            case .tell(let report): take(report, at: now)
            }
        }
    }
}

/// The values of payments at an EMVSwiper or WisePad that are not public or may change.
package struct BBPOSPaymentSettings: Sendable {
    /// The wire of the messages.
    package var wire: BBPOSPaymentWire
    /// The limits of `checkCard` and `startEmv`. Those of a payment's flow are shorter, so that it decides what
    /// follows. That of the PIN is the reader's own, and ends its prompt.
    package var times = BBPOSTransactionTimes(
        card: .seconds(90), application: .seconds(60), amount: .seconds(10), pin: .seconds(60),
        confirmation: .seconds(10), issuer: .seconds(60))
    /// The limit of the answer to `getDeviceInfo`.
    package var answerLimit: Duration
    /// The longest pause in a frame.
    package var silence: Duration
    /// The charge below which a payment does not begin, in percent; 0 if the reader alone decides.
    package var leastBattery: Int
    /// The version of the terminal's settings (`terminalSettingVersion`) in a reader without settings.
    package var missingSettings: String

    /// - Parameter profile: the wire, the times of answers, and the reader's conditions.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        wire = try BBPOSPaymentWire(profile)
        let times = try profile.times()
        (answerLimit, silence) = (times.answer, times.silence)
        leastBattery = try profile.integer(.leastBattery, in: 0...100)
        missingSettings = try profile.text(.missingSettings)
    }
}

extension ReaderProfile {
    /// The conditions of an EMVSwiper or WisePad without which it takes no payment.
    static let bbposPayment: [ProfileKey: ProfileEntry] = [
        .leastBattery: ProfileEntry(
            "percent of charge below which no payment begins, 0 to 100", .number(0), .inferred,
            "a reader with too little charge reports CRITICALLY_LOW itself; at which charge is not published"),
        .missingSettings: ProfileEntry(
            "terminalSettingVersion of a reader without settings", .text(""), .unknown,
            "invented; the SDK's samples have the name of the value alone"),
    ]
}

extension ProfileKey {
    /// The charge below which no payment begins, in percent.
    static let leastBattery: ProfileKey = "payment.leastBattery"
    /// The version of the settings in a reader that has none.
    static let missingSettings: ProfileKey = "payment.missingSettings"
}
