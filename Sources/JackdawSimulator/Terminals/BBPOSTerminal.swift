package import JackdawEMV
package import JackdawReaders

/// An EMVSwiper with a virtual card and its cardholder: the contact kernel and a PIN pad, by the calls and callbacks
/// of the vendor's SDK, in its order. A machine without I/O that ``SimulatedReader`` runs, with its faults.
///
/// **Invented** are its wire (`BBPOSPaymentWire`), its own times, and which result follows from which end of the
/// kernel; docs/readers/bbpos.md lists them. No real reader does the same.
package struct BBPOSTerminal<Primitives: AuthenticationPrimitives>: KernelTerminal {
    package let family = "bbpos"

    enum State {
        case idle
        /// The cardholder must present a card.
        case checkingCard
        /// A chip card is in, with which a payment may begin.
        case chipFound
        /// A payment is under way, and the program must answer.
        case asking(BBPOSRequest)
        /// The kernel runs, or the cardholder enters a PIN.
        case running
    }

    /// The card, with its counters and blocks.
    package var card: VirtualCard { slot.card }
    package var reasons: [PaymentReason] { slot.course.all }
    package var candidates: [ApplicationCandidate] { slot.candidates }

    private let wire: BBPOSPaymentWire
    private let missingSettings: String
    private var slot: TerminalSlot<Primitives>
    private var state = State.idle
    /// The limits of `startEmv`.
    private var times: BBPOSTransactionTimes?
    private var isOnlineForced = false
    /// The day and time of the payment.
    private var time: [UInt8]?
    /// The number of the last payment (9F41).
    private var number: UInt64 = 0
    /// The time at which the program's answer, or the card, is late.
    private var deadline: Duration?
    /// The objects for the issuer, from the first cryptogram until the issuer is asked.
    private var authorisation: [UInt8] = []
    /// Whether the issuer approved.
    private var isApprovedByIssuer = false
    private var isEnteringPIN = false
    private var messages: [[UInt8]] = []
    private let base = WireModel("bbpos")

    /// A reader in which no card is.
    /// - Parameters:
    ///   - settings: the kernel: applications, the time of an exchange with the card, the seed.
    ///   - values: the wire; the program's limits come with its calls.
    ///   - card: the card that the cardholder inserts.
    ///   - payer: the cardholder.
    ///   - primitives: RSA and SHA-1 for the kernel.
    ///   - pinCipher: enciphers PINs for the issuer; nil for a reader without a key for PINs.
    package init(
        _ settings: TillSettings, _ values: BBPOSPaymentSettings, card: VirtualCard, payer: SimulatedPayer,
        _ primitives: Primitives, pinCipher: TerminalPINCipher? = nil
    ) {
        wire = values.wire
        missingSettings = values.missingSettings
        slot = TerminalSlot(settings, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    package var commandFormat: any FrameFormat { wire.format }

    /// Refuses the values of a payment as invalid, and any other call with an error of another kind.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? {
        switch wire.call(command) {
        case nil: base.refuse(command)
        case .startEMV?, .setAmount?: wire.frame(.failed(.inputInvalid))
        default: wire.frame(.failed(.unknown))
        }
    }

    /// Answers without a clock: a payment needs one, all other commands do not.
    package mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        answer(command, &device, at: .zero)
    }

    package mutating func answer(
        _ command: Span<UInt8>, _ device: inout SimulatedDevice, at now: Duration
    ) -> [[UInt8]] {
        guard let call = wire.call(command) else { return base.answer(command, &device) }
        let wasOpen = slot.isOpen
        execute(call, device, at: now)
        // A swipe is presented while a card is awaited.
        if slot.isOpen != wasOpen { device.isArmed = slot.isOpen }
        return takeMessages()
    }

    /// Reports a swipe during a wait for a card; outside of one as the base does.
    package mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard case .checkingCard = state else { return base.tell(presentation, &device) }
        switch presentation.manner {
        case .swiped:
            let tracks = presentation.card.tracks
            let hasTrack2Only = tracks[0].isEmpty && tracks[2].isEmpty
            finishCheck(hasTrack2Only ? .track2Only : .stripe, presentation.card.swipe(of: family))
        case .swipedInVain: finishCheck(.badSwipe)
        case .swipedWithChip: finishCheck(.useChip)
        case .unreadable: finishCheck(.noResponse)
        case .inserted, .removed, .tapped: break
        }
        device.isArmed = slot.isOpen
        return takeMessages()
    }

    package var nextDeadline: Duration? { [slot.nextDeadline, deadline].compactMap(\.self).min() }

    package mutating func advance(to now: Duration, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let wasOpen = slot.isOpen
        while let due = nextDeadline, due <= now {
            if due == deadline {
                deadline = nil
                giveUp(at: due)
            } else {
                take(slot.advance(), at: due)
            }
        }
        if slot.isOpen != wasOpen { device.isArmed = slot.isOpen }
        return takeMessages()
    }

    private mutating func takeMessages() -> [[UInt8]] {
        defer { messages = [] }
        return messages
    }

    private mutating func report(_ report: BBPOSReport) { messages.append(wire.frame(report)) }

    // MARK: calls of the program

    private mutating func execute(_ call: BBPOSCall, _ device: SimulatedDevice, at now: Duration) {
        switch (call, state) {
        case (.getDeviceInfo, .idle), (.getDeviceInfo, .chipFound):
            if device.battery < Self.leastBattery { report(.battery(.criticallyLow)) }
            report(
                .deviceInfo([
                    "firmwareVersion": device.firmware, "serialNumber": device.serialNumber,
                    "batteryPercentage": "\(device.battery)",
                    "terminalSettingVersion": device.hasSettings ? "1" : missingSettings,
                ]))
        case (.checkCard(let mode, let time), .idle), (.checkCard(let mode, let time), .chipFound):
            checkCard(mode, time, at: now)
        case (.cancelCheckCard, .checkingCard): leave()
        case (.startEMV(let times, let forcesOnline, let settings), .chipFound):
            self.times = times
            isOnlineForced = forcesOnline
            isApprovedByIssuer = false
            report(.started(true))
            if device.isDamaged {
                end(.deviceError, at: now)
            } else if let time = settings.time {
                start(time, at: now)
            } else {
                ask(.time, at: now)
            }
        case (.startEMV, .idle): report(.started(false))
        case (.cancelPINEntry, .running) where isEnteringPIN: end(.cancelled, at: now)
        case (_, .asking(let request)) where call.answers(request): takeAnswer(call, at: now)
        case (.getDeviceInfo, _), (.checkCard, _), (.startEMV, _): report(.failed(.deviceBusy))
        // The cardholder enters the PIN at the reader; and an answer to nothing has no effect.
        default: break
        }
    }

    private mutating func checkCard(_ mode: BBPOSCheckCardMode, _ time: Duration, at now: Duration) {
        state = .checkingCard
        slot.isOpen = true
        deadline = now + time
        report(.waitingForCard)
        guard mode == .insert || mode == .swipeOrInsert else { return }
        // A card that could not be used is taken out first.
        slot.takeCardOut(after: now)
        slot.presentCard(at: slot.isCardIn ? now + TerminalSlot<Primitives>.takingCard * 2 : now)
    }

    private mutating func finishCheck(_ result: BBPOSCheckCardResult, _ swipe: ReaderSwipe? = nil) {
        leave()
        report(.card(result, swipe))
    }

    private mutating func takeAnswer(_ call: BBPOSCall, at now: Duration) {
        deadline = nil
        state = .running
        switch call {
        case .selectApplication(let index): take(slot.choose(index, at: now), at: now)
        case .setAmount(let amount, let cashback, let currency, let kind):
            guard let transaction = transaction(amount, cashback, currency, kind) else {
                return end(.terminated, at: now)
            }
            take(slot.begin(transaction, at: now), at: now)
        case .sendTime(let time): start(time, at: now)
        case .sendConfirmation(true): ask(.connectivity, at: now)
        case .sendConnectivity(true): ask(.issuer, authorisation, at: now)
        case .sendConnectivity(false): take(slot.complete(.unreachable, at: now), at: now)
        case .sendIssuerAnswer(let objects): complete(objects, at: now)
        // Only the reader's own part of an identity or a referral is simulated: it asks for neither.
        default: end(.cancelled, at: now)
        }
    }

    private mutating func start(_ text: String, at now: Duration) {
        let digits = Array(text.utf8).map { $0 &- 0x30 }
        guard digits.count == 12, digits.allSatisfy({ $0 < 10 }) else { return end(.terminated, at: now) }
        time = stride(from: 0, to: 12, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        state = .running
        take(slot.start(nil, at: now), at: now)
    }

    private mutating func transaction(
        _ amount: Int, _ cashback: Int, _ currency: Int, _ kind: BBPOSTransactionKind
    ) -> KernelTransaction? {
        let type: TransactionType? =
            switch kind {
            case .goods, .services, .payment: .purchase
            case .cashback: .cashback
            case .refund: .refund
            case .inquiry, .transfer: nil
            }
        guard let type, let amount = UInt64(exactly: amount), let cashback = UInt64(exactly: cashback),
            (0...9999).contains(currency), let time, let date = CardDate(Array(time.prefix(3)).span)
        else { return nil }
        number += 1
        let (high, low) = (currency / 100, currency % 100)
        let octets = [high, low].map { UInt8(($0 / 10) << 4 | $0 % 10) }
        var transaction = KernelTransaction(amount: amount, currency: octets, type: type, date: date)
        transaction.otherAmount = cashback
        transaction.time = Array(time.suffix(3))
        transaction.sequenceNumber = number
        transaction.isOnlineForced = isOnlineForced
        return transaction
    }

    private mutating func complete(_ objects: [UInt8]?, at now: Duration) {
        guard let objects else { return take(slot.complete(.unreachable, at: now), at: now) }
        guard case .success(let response)? = TerminalObjects(objects.span)?.hostResponse else {
            return end(.terminated, at: now)
        }
        isApprovedByIssuer = response.isApproved
        take(slot.complete(.answered(response), at: now), at: now)
    }

    // MARK: questions to the program

    /// The charge below which the reader refuses to work, in percent.
    private static var leastBattery: Int { 10 }

    private mutating func ask(_ request: BBPOSRequest, _ objects: [UInt8]? = nil, at now: Duration) {
        state = .asking(request)
        deadline = times.map { now + $0.time(for: request) }
        report(.request(request, objects.map { ReaderBytes(copying: $0.span) }))
    }

    /// The card or the program's answer did not come in time.
    private mutating func giveUp(at now: Duration) {
        switch state {
        case .checkingCard: finishCheck(.noCard)
        case .asking(.connectivity), .asking(.issuer):
            state = .running
            take(slot.complete(.unreachable, at: now), at: now)
        case .asking: end(.cancelled, at: now)
        case .idle, .chipFound, .running: break
        }
    }

    // MARK: card, kernel and cardholder

    private mutating func take(_ notices: [TerminalSlot<Primitives>.Notice], at now: Duration) {
        for notice in notices {
            switch notice {
            case .inserted: insert(at: now)
            case .removed: remove(at: now)
            case .event(let event): take(event, at: now)
            case .transactionNeeded: ask(.amount, at: now)
            case .pinAsked(let request):
                isEnteringPIN = true
                if request.triesLeft == 1 { report(.display(.lastPINTry)) }
                report(.request(.pin, nil))
            case .pinCancelled: end(.cancelled, at: now)
            case .waitEnded, .tapped: break
            }
        }
    }

    private mutating func insert(at now: Duration) {
        guard case .checkingCard = state else { return }
        guard !slot.card.isMute else {
            finishCheck(.noResponse)
            return slot.takeCardOut(after: now)
        }
        finishCheck(.chip)
        state = .chipFound
    }

    private mutating func remove(at now: Duration) {
        switch state {
        case .idle, .checkingCard: break
        case .chipFound: leave()
        case .asking, .running: end(.cardRemoved, at: now)
        }
    }

    private mutating func take(_ event: PaymentEvent, at now: Duration) {
        if [.pinEntered, .pinWrong, .pinTriesExceeded, .pinBypassed].contains(event) { isEnteringPIN = false }
        switch event {
        case .applicationsFound: ask(.application(slot.candidates.map(\.displayName)), at: now)
        case .pinEntered: if slot.pinRequest?.isOnline == false { report(.display(.pinIsRight)) }
        case .pinWrong, .pinTriesExceeded: report(.display(.incorrectPIN))
        case .noCommonApplication: end(.cardNotSupported, at: now)
        case .cardBlocked: end(.cardBlocked, at: now)
        case .applicationBlocked: end(.applicationBlocked, at: now)
        case .chipUnreadable: end(.notChip, at: now)
        case .kernelFailed: end(slot.isCardLost ? .cardRemoved : .terminated, at: now)
        case .firstARQC:
            authorisation = Self.octets(slot.authorisation(pinTag: BBPOSPayment.pinBlockTag))
            ask(.confirmation, at: now)
        case .firstTC, .secondTC: approve(.approved, at: now)
        case .firstTCWithSignature, .secondTCWithSignature: approve(.approvedPleaseSign, at: now)
        case .firstAAC, .secondAAC: decline(at: now)
        default: break
        }
    }

    private static func octets(_ objects: DataObjectStore) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        builder.append(result: objects, pinTag: BBPOSPayment.pinBlockTag)
        return builder.octets
    }

    // MARK: the end of a payment

    private var result: ReaderBytes {
        ReaderBytes(copying: Self.octets(slot.outcome?.objects ?? DataObjectStore()).span)
    }

    private mutating func approve(_ text: BBPOSDisplayText, at now: Duration) {
        report(.batchData(result))
        report(.display(text))
        end(.approved, at: now)
    }

    private mutating func decline(at now: Duration) {
        report(isApprovedByIssuer ? .reversalData(result) : .batchData(result))
        report(.display(.declined))
        end(.declined, at: now)
    }

    private mutating func end(_ result: BBPOSTransactionResult, at now: Duration) {
        report(.transactionEnded(result))
        leave()
        slot.endProcess()
        if slot.isCardIn { report(.display(.removeCard)) }
        slot.takeCardOut(after: now)
    }

    private mutating func leave() {
        state = .idle
        deadline = nil
        isEnteringPIN = false
        slot.isOpen = false
    }
}

extension SimulatedCard {
    /// The card's swipe in clear.
    fileprivate func swipe(of family: String) -> ReaderSwipe {
        var builder = ReaderSwipe.Builder()
        for (index, track) in tracks.enumerated() { builder.add(.track(index + 1), Array(track.utf8).span) }
        return builder.finish(family: family, cipher: nil)
    }
}
