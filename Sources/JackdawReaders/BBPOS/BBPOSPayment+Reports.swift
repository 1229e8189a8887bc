import JackdawBytes
package import JackdawEMV

// The effects of a payment at the reader, and the events from its reports.

extension BBPOSPayment {
    package mutating func carryOut(
        _ effect: PaymentEffect, host: HostResponse? = nil, isTapAllowed: Bool = false, at now: Duration
    ) -> [Output] {
        switch effect.action {
        case .prepare:
            task = effect.identifier
            stage = .preparing
            preparationDeadline = now + settings.answerLimit
            if !perform(.getDeviceInfo, at: now) { failPreparation() }
        case .acceptCard:
            task = effect.identifier
            stage = .accepting
            isEnteringPIN = false
            awaitCard(at: now)
        case .processCard:
            task = effect.identifier
            processCard(at: now)
        case .chooseApplication: task = effect.identifier
        case .completeCard(let knowledge):
            task = effect.identifier
            stage = .completing
            guard !perform(.sendIssuerAnswer(Self.answer(knowledge, host)), at: now) else { break }
            stage = .over
            emit(.kernelFailed)
        case .stopReader: stop(at: now)
        case .end:
            if case .over = stage { break }
            stop(at: now)
        case .askHost, .captureSignature, .verifySignature, .storeRecord, .writeJournal, .useNewAmount, .reverse,
            .prompt, .ignore, .reject:
            break
        }
        return takeOutputs()
    }

    package mutating func choose(_ index: Int, at now: Duration) -> [Output] {
        guard case .processing = stage, !applicationLabels.isEmpty else { return [] }
        choice = applicationLabels.indices.contains(index) ? index : nil
        emit(choice == nil ? .applicationChoiceInvalid : .applicationChosen)
        return takeOutputs()
    }

    private mutating func awaitCard(at now: Duration) {
        perform(.checkCard(.swipeOrInsert, within: settings.times.card), at: now)
    }

    private mutating func processCard(at now: Duration) {
        switch stage {
        case .presented(isUsable: false):
            stage = .swiped
            emit(.chipUnreadable)
        case .processing:
            guard let index = choice else { return }
            (choice, applicationLabels) = (nil, [])
            perform(.selectApplication(index), at: now)
        default:
            stage = .processing
            (choice, applicationLabels) = (nil, [])
            // Those of a card that was presented before decide nothing.
            objects = DataObjectStore()
            var values = BBPOSTransactionSettings()
            values.time = time
            guard !perform(.startEMV(settings.times, forcesOnline: transaction.isOnlineForced, values), at: now) else {
                return
            }
            stage = .over
            emit(.kernelFailed)
        }
    }

    /// Ends the payment: a wait for a card, and what the reader asks for now or later.
    private mutating func stop(at now: Duration) {
        stage = .over
        isEnteringPIN = false
        preparationDeadline = nil
        switch controller.state {
        case .checkingCard: perform(.cancelCheckCard, at: now)
        case .asking(let request): refuse(request, at: now)
        case .disconnected, .linked, .idle, .configuring, .chipFound, .starting, .paying: break
        }
    }

    private mutating func refuse(_ request: BBPOSRequest, at now: Duration) {
        // Without an answer of the issuer the card might approve.
        let refusal: BBPOSCall? =
            request == .issuer ? .sendIssuerAnswer(Self.decline) : BBPOSController.refusal(of: request)
        if let refusal { perform(refusal, at: now) }
    }

    // MARK: data of the till's calls

    /// `yyMMddHHmmss`, as `startEmv` and `sendTerminalTime` have it.
    private var time: String { (transaction.date.octets + transaction.time).hexadecimal }

    private var amount: BBPOSCall? {
        guard let amount = Int(exactly: transaction.amount), let cashback = Int(exactly: transaction.otherAmount),
            let currency = Int(transaction.currency.hexadecimal)
        else { return nil }
        let kind: BBPOSTransactionKind =
            switch transaction.type {
            case .refund: .refund
            case .cashback: .cashback
            default: .goods
            }
        return .setAmount(amount, cashback: cashback, currency: currency, kind)
    }

    /// Z3: declined, as the issuer could not be asked (EMV Book 4, annex A6).
    private static var decline: [UInt8] { TagLengthValueBuilder.encode(0x8A, Array("Z3".utf8)) }

    /// The issuer's answer as `sendOnlineProcessResult` has it; nil if the issuer could not be reached.
    private static func answer(_ knowledge: HostKnowledge, _ host: HostResponse?) -> [UInt8]? {
        switch knowledge {
        case .approved, .declined: host?.dataObjects ?? decline
        case .unreachable: nil
        case .notAsked, .asked, .unknown: decline
        }
    }

    // MARK: reports of the reader

    mutating func take(_ report: BBPOSReport, at now: Duration) {
        switch report {
        case .deviceInfo(let facts):
            guard case .preparing = stage else { return }
            if let trouble = trouble(facts) { return failPreparation(by: trouble) }
            preparationDeadline = nil
            emit(.prepared)
        case .battery(let battery):
            note("the battery is low: \(battery.rawValue)")
            guard battery == .criticallyLow else { return }
            isBatteryEmpty = true
            failPreparation(by: .batteryEmpty)
        case .card(let result, let swipe): take(result, swipe, at: now)
        case .started(let isStarted):
            guard case .processing = stage, !isStarted else { return }
            fail()
        case .request(let request, let data): take(request, data, at: now)
        case .display(.pinIsRight?): endEntry(.pinEntered)
        case .batchData(let data):
            guard isResultDue else { return note("batch data without a decision of the card") }
            if !keep(data) { note("batch data that cannot be read, or with too many objects") }
        case .reversalData(let data):
            guard isCompleting else { return note("reversal data without an answer of the issuer") }
            if !keep(data) { note("reversal data that cannot be read, or with too many objects") }
        case .transactionEnded(let result): end(result)
        case .failed(let error):
            note("the reader fails: \(error.rawValue)")
            let trouble = ReaderTrouble(error)
            if case .preparing = stage { failPreparation(by: trouble) } else { fail(by: trouble) }
        case .connected, .disconnected, .waitingForCard, .display, .keySerialNumbers, .encrypted, .exchanged,
            .autoConfigurationProgress, .autoConfigured, .autoConfigurationFailed:
            break
        }
    }

    /// The condition that keeps the reader from taking a payment; nil if it has none.
    private func trouble(_ facts: [String: String]) -> ReaderTrouble? {
        if let percent = facts["batteryPercentage"].flatMap({ Int($0) }), percent < settings.leastBattery {
            return .batteryEmpty
        }
        return facts["terminalSettingVersion"] == settings.missingSettings ? .settingsMissing : nil
    }

    private mutating func take(_ result: BBPOSCheckCardResult, _ swipe: ReaderSwipe?, at now: Duration) {
        guard case .accepting = stage else { return }
        switch result {
        case .chip, .notChip, .noResponse:
            stage = .presented(isUsable: result == .chip)
            emit(.cardInserted)
        case .stripe, .track2Only:
            stage = .swiped
            self.swipe = swipe
            emit(swipe?.paymentEvent ?? .swipeUnreadable)
        case .useChip:
            stage = .swiped
            self.swipe = swipe
            emit(.chipCardSwiped)
        case .badSwipe:
            stage = .swiped
            emit(.swipeUnreadable)
        // The till has not asked for taps.
        case .noCard, .contactlessTrack2, .tapCardDetected: awaitCard(at: now)
        }
    }

    private mutating func take(_ request: BBPOSRequest, _ data: ReaderBytes?, at now: Duration) {
        switch (stage, request) {
        case (.processing, .application(let names)):
            (applicationLabels, choice) = (names, nil)
            emit(.applicationsFound)
        case (.processing, .amount): perform(amount ?? .cancelSetAmount, at: now)
        case (.processing, .pin):
            emit(isEnteringPIN ? .pinWrong : .pinRequested)
            isEnteringPIN = true
        case (.processing, .confirmation): perform(.sendConfirmation(true), at: now)
        case (.processing, .connectivity): perform(.sendConnectivity(true), at: now)
        case (.processing, .time): perform(.sendTime(time), at: now)
        case (.processing, .issuer):
            guard let data, keep(data) else {
                fail()
                return refuse(request, at: now)
            }
            endEntry(objects.pinEnd)
            stage = .online
            emit(.firstARQC)
        // A request that came twice.
        case (.online, .issuer), (.completing, .issuer): break
        default: refuse(request, at: now)
        }
    }

    /// The most objects of a payment, in one report and of all together. The limit is this project's.
    static let maxObjects = 256

    /// Keeps the objects of a decision; those of an earlier one stay unless they are there again.
    /// - Returns: false, without a change, if they cannot be read, or the payment would have more than ``maxObjects``.
    private mutating func keep(_ data: ReaderBytes) -> Bool {
        let store = data.withBytes { octets -> DataObjectStore? in
            var store = DataObjectStore()
            guard let list = TagLengthValue.read(octets), list.count <= Self.maxObjects else { return nil }
            return (try? store.add(octets)) == nil ? nil : store
        }
        guard let store else { return false }
        var merged = objects
        merged.merge(store)
        guard merged.count <= Self.maxObjects else { return false }
        objects = merged
        return true
    }

    private mutating func endEntry(_ event: PaymentEvent) {
        guard isEnteringPIN else { return }
        isEnteringPIN = false
        emit(event)
    }

    // MARK: the end at the reader

    /// Whether the card may decide: the first time, or after the issuer's answer.
    private var isResultDue: Bool {
        switch stage {
        case .processing, .completing: true
        case .idle, .preparing, .accepting, .presented, .online, .swiped, .over: false
        }
    }

    private mutating func end(_ result: BBPOSTransactionResult) {
        switch stage {
        case .processing, .completing, .online: break
        case .idle, .preparing, .accepting, .presented, .swiped, .over: return
        }
        switch result {
        case .approved where isResultDue: approve()
        case .declined where isResultDue:
            endEntry(objects.pinEnd)
            finish(isCompleting ? .secondAAC : .firstAAC)
        case .cardRemoved: finish(.cardRemoved)
        case .deviceError: fail(by: .damaged)
        default: if let event = event(of: result) { finish(event) } else { fail() }
        }
    }

    private var isCompleting: Bool { if case .completing = stage { true } else { false } }

    /// The reader's approval counts only with the objects of a TC, which the till needs for its record.
    private mutating func approve() {
        guard objects[0x9F27]?.first.map({ $0 >> 6 }) == 1 else { return fail() }
        endEntry(objects.pinEnd)
        if objects.needsSignature {
            finish(isCompleting ? .secondTCWithSignature : .firstTCWithSignature)
        } else {
            finish(isCompleting ? .secondTC : .firstTC)
        }
    }

    /// The event of a payment that ended without a decision of the card; nil if the reader failed.
    private func event(of result: BBPOSTransactionResult) -> PaymentEvent? {
        guard case .processing = stage else { return nil }
        return switch result {
        case .cancelled: isEnteringPIN ? .pinCancelled : .cancelled
        case _ where isEnteringPIN: nil
        case .notChip: .chipUnreadable
        case .cardNotSupported, .noApplications: .noCommonApplication
        case .cardBlocked: .cardBlocked
        case .applicationBlocked: .applicationBlocked
        default: nil
        }
    }

    private mutating func finish(_ event: PaymentEvent) {
        stage = .over
        isEnteringPIN = false
        emit(event)
    }

    /// The reader failed during a payment with the chip. While it waits for a card, the payment's own limit decides.
    private mutating func fail(by trouble: ReaderTrouble? = nil) {
        switch stage {
        case .processing, .online, .completing:
            stage = .over
            isEnteringPIN = false
            fail(.kernelFailed, by: trouble)
        case .idle, .preparing, .accepting, .presented, .swiped, .over: break
        }
    }
}
