internal import JackdawBytes
package import JackdawEMV
internal import JackdawCards

/// A payment at a Miura reader, which has the kernel: a machine without I/O that carries out the effects of a
/// `PaymentFlow` with commands of MPI, and makes the events of the payment from what the reader sends.
///
/// ```swift
/// var flow = PaymentFlow()
/// var reader = MiuraPayment(transaction, settings)
/// for effect in flow.receive(.start, at: now) {
///     for output in reader.carryOut(effect, isTapAllowed: flow.isTapAllowed, at: now) { handle(output) }
/// }
/// ```
///
/// The caller carries out the effects on the host, the journal and the app itself; this machine ignores them. Times
/// count from any start, and never decrease.
package struct MiuraPayment: CollectingPayment, FramedPayment, ~Copyable {
    /// A task for the caller, or a report to it.
    package typealias Output = ReaderPaymentOutput

    /// The stage of the payment at the reader.
    enum Stage {
        case idle
        /// The reader waits for a card.
        case accepting
        /// A card is there, and the kernel has not started.
        case presented
        /// The kernel runs up to the first cryptogram.
        case processing
        /// The host must choose an application.
        case choosing
        /// The reader waits for the issuer's answer.
        case online
        /// The kernel runs from the issuer's answer to the second cryptogram.
        case completing
        /// The kernel has ended.
        case over
    }

    /// The objects of the card's last decision. Card data is in clear if the reader sends it so.
    package internal(set) var objects = DataObjectStore()
    /// The applications that the host must choose from.
    package internal(set) var applications: [MiuraApplication] = []
    /// The labels of these applications; the name (AID) in digits if the reader sent no label.
    package var applicationLabels: [String] { applications.map { $0.label ?? $0.name.hexadecimal } }
    /// The last swipe; nil if no card was swiped.
    package internal(set) var swipe: ReaderSwipe?
    package static var pinBlockTag: Tag { MiuraTag.pinBlock }

    let transaction: KernelTransaction
    let settings: MiuraPaymentSettings
    var stage = Stage.idle
    /// The identifier of the effect under way.
    var task: Int?
    /// Whether the payment is a tap.
    var isTap = false
    /// The result of a tap, until the payment asks for it.
    var tapResult: MiuraPaymentAnswer?
    /// The name of the application that the host chose.
    var chosen: [UInt8]?
    var isEnteringPIN = false
    /// Whether a card is in the slot, as far as is known.
    var isCardPresent = false
    /// Whether the card in the slot has a chip that answers.
    var isChipCompatible = true
    /// Whether the card in the slot was used, and must be removed before it is used again.
    var isCardUsed = false
    /// Whether card status reports are on.
    var isReporting = false
    var conversation: MiuraConversation
    var frames = FrameReader(MiuraFormat(.answer))
    private var answers = JoinedParts(most: MiuraDialect.greatestAnswer)
    private var reports = JoinedParts(most: MiuraDialect.greatestAnswer)
    /// The time at which a partial frame is discarded.
    private var silenceDeadline: Duration?
    var outputs: [Output] = []

    /// A payment that has not started.
    /// - Parameters:
    ///   - transaction: amount, currency, kind, date and time.
    ///   - settings: the values that may change.
    package init(_ transaction: KernelTransaction, _ settings: MiuraPaymentSettings = MiuraPaymentSettings()) {
        self.transaction = transaction
        self.settings = settings
        conversation = MiuraConversation(limit: settings.answerLimit)
    }

    /// The time at which ``advance(to:)`` has work to do; nil if there is no deadline.
    package var nextDeadline: Duration? {
        [conversation.nextDeadline, silenceDeadline].compactMap(\.self).min()
    }

    /// Handles bytes from the reader.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - now: the current time.
    /// - Returns: the outputs.
    package mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [Output] {
        cut(at: now) { reader, take in reader.receive(bytes, take) }
        silenceDeadline = frames.pendingCount > 0 ? now + settings.silence : nil
        return takeOutputs()
    }

    /// Handles the deadlines up to a time.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    package mutating func advance(to now: Duration) -> [Output] {
        if let deadline = silenceDeadline, deadline <= now {
            silenceDeadline = nil
            cut(at: now) { reader, take in reader.finish(take) }
        }
        if let purpose = conversation.expire(at: now) { giveUp(purpose) }
        sendNext(at: now)
        return takeOutputs()
    }

    /// Handles the loss of the link.
    /// - Returns: the outputs: the event for the payment.
    package mutating func lose() -> [Output] {
        conversation = MiuraConversation(limit: settings.answerLimit)
        frames.reset()
        answers.reset()
        reports.reset()
        silenceDeadline = nil
        stage = .idle
        isReporting = false
        emit(.linkLost)
        return takeOutputs()
    }

    // MARK: what the parts of the machine use

    /// Sends the next command, unless one waits for its answer.
    mutating func sendNext(at now: Duration) {
        if let bytes = conversation.next(at: now) { outputs.append(.send(bytes)) }
    }

    // MARK: frames and messages

    mutating func take(_ frame: Span<UInt8>, at now: Duration) {
        // The base sends no message of a payment.
        guard frame[0] == MiuraNode.reader.rawValue else { return note("a message of the base") }
        let part = frame.extracting(MiuraFormat.apduStart..<frame.count - 1)
        let isEnd = frame[1] & MiuraFormat.chained == 0
        do throws(JoiningFault) {
            if frame[1] & MiuraFormat.unsolicited != 0 {
                guard let message = try reports.join(part, isEnd: isEnd) else { return }
                message.withBytes { takeReport(MiuraReport($0)) }
            } else {
                conversation.extend(at: now)
                guard let message = try answers.join(part, isEnd: isEnd) else { return }
                message.withBytes { takeAnswer(MiuraPaymentAnswer($0), at: now) }
            }
        } catch {
            note("an answer of \(error)")
        }
    }
}

/// The values of payments at Miura's readers that are not public or may change.
package struct MiuraPaymentSettings: Sendable, Hashable {
    /// The contents of card reports (``MiuraCardReports``). Default: reports and all tracks.
    package var reportFlags: UInt8
    /// The values of START TRANSACTION beside those of the transaction.
    package var start: MiuraCommand.StartOptions
    /// The response code (8A) with which the reader is asked to decline because the host's answer is not known, two
    /// characters.
    package var declineCode: String
    /// The response code (8A) that says that the host could not be reached, two characters.
    package var unreachableCode: String
    /// The reader's status of a PIN that is right.
    package var pinAccepted: UInt8
    /// The reader's status of a PIN that is wrong while tries are left.
    package var pinWrong: UInt8
    /// Whether the reader may accept taps.
    package var takesTaps: Bool
    /// The charge below which a payment does not begin, in percent; 0 if the reader is not asked for it.
    package var leastBattery: Int
    /// The limit of answers to commands that are not part of the payment itself.
    package var answerLimit: Duration
    /// The longest pause in a frame.
    package var silence: Duration

    /// The values of the family's own profile.
    package init() {
        reportFlags = MiuraCardReports.all.subtracting(.answerToReset).rawValue
        start = MiuraCommand.StartOptions()
        declineCode = "Z1"
        unreachableCode = "Z3"
        pinAccepted = 2
        pinWrong = 1
        takesTaps = false
        leastBattery = 0
        answerLimit = ReaderTimes().answer
        silence = ReaderTimes().silence
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        self.init()
        let times = try profile.times()
        (answerLimit, silence) = (times.answer, times.silence)
        start.applicationSelection = UInt8(clamping: try profile.integer(.applicationSelection, in: 0...255))
        start.riskManagement = UInt8(clamping: try profile.integer(.riskManagement, in: 0...255))
        pinAccepted = UInt8(clamping: try profile.integer(.pinAccepted, in: 0...255))
        pinWrong = UInt8(clamping: try profile.integer(.pinWrong, in: 0...255))
        takesTaps = try profile.flag(.takesTaps)
        leastBattery = try profile.integer(.leastMiuraBattery, in: 0...100)
        declineCode = try profile.responseCode(.declineCode)
        unreachableCode = try profile.responseCode(.unreachableCode)
    }
}

extension ReaderProfile {
    /// The known facts about payments at Miura's readers.
    static let miuraPayment: [ProfileKey: ProfileEntry] = [
        .applicationSelection: ProfileEntry(
            "object DFA204 of START TRANSACTION, 0 to 255", .number(1), .documented,
            "Miura's SDKs for Android and iOS send 1; the meaning of other values is not published"),
        .riskManagement: ProfileEntry(
            "object DFA203 of START TRANSACTION, 0 to 255", .number(0), .documented,
            "Miura's SDK for Android sends 0; the meaning of other values is not published"),
        .declineCode: ProfileEntry(
            "response code that has the card decline, two characters", .text("Z1"), .documented,
            "the example of a declined payment in Miura's SDK for Android"),
        .unreachableCode: ProfileEntry(
            "response code if the host could not be reached, two characters", .text("Z3"), .inferred,
            "EMV Book 4, annex A6: unable to go online, declined; how the reader decides then is not published"),
        .pinAccepted: ProfileEntry(
            "status of a PIN that is right, 0 to 255", .number(2), .documented,
            "a test of Miura's SDK for Android: 2 with the text \"PIN OK\""),
        .pinWrong: ProfileEntry(
            "status of a PIN that is wrong, 0 to 255", .number(1), .unknown,
            "invented; only the status of a right PIN is published"),
        .takesTaps: ProfileEntry(
            "whether the reader may take payments by a tap", .flag(false), .inferred,
            "readers without contactless exist; no answer to a tap was tried"),
        .leastMiuraBattery: ProfileEntry(
            "percent of charge below which no payment begins, 0 to 100; 0: not asked", .number(0), .inferred,
            "the charge that a payment needs is not published"),
    ]

    /// Returns a response code that must be known.
    fileprivate func responseCode(_ key: ProfileKey) throws(ReaderError) -> String {
        let code = try text(key)
        guard code.utf8.count == 2, code.utf8.allSatisfy(\.isPrinted) else { throw bad(key, "two characters") }
        return code
    }
}

extension ProfileKey {
    /// Object DFA204 of Miura's START TRANSACTION.
    static let applicationSelection: ProfileKey = "miura.applicationSelection"
    /// Object DFA203 of Miura's START TRANSACTION.
    static let riskManagement: ProfileKey = "miura.riskManagement"
    /// The response code that has the card decline.
    static let declineCode: ProfileKey = "miura.declineCode"
    /// The response code if the host could not be reached.
    static let unreachableCode: ProfileKey = "miura.unreachableCode"
    /// Miura's status of a PIN that is right.
    static let pinAccepted: ProfileKey = "miura.pinAccepted"
    /// Miura's status of a PIN that is wrong.
    static let pinWrong: ProfileKey = "miura.pinWrong"
    /// Whether a Miura reader may take payments by a tap.
    static let takesTaps: ProfileKey = "miura.takesTaps"
    /// The charge below which no payment begins, in percent.
    static let leastMiuraBattery: ProfileKey = "miura.leastBattery"
}
