/// An EMVSwiper as its SDK has it: which calls are taken when, what they lead to, and how long everything may take. A state
/// machine without a wire, a link or a clock: how calls and reports go over the wire nobody has published.
///
/// A link over the audio jack or USB is started first (``BBPOSCall/startAudio``, ``BBPOSCall/startUSB``), unless a
/// reader is there already; then a reader tells that it is there.
///
/// The flow: ``BBPOSCall/checkCard(_:within:)`` ends with a swipe, with nothing, or with a chip; a chip is paid with by
/// ``BBPOSCall/startEMV(_:forcesOnline:_:)``, and the reader asks for one thing after the other until the payment ends.
///
/// Source: samples of the vendor's SDK in public repositories. Which error a call at the wrong time is refused with is inferred
/// from their names.
package struct BBPOSController: Sendable {
    /// What the reader is about.
    package enum State: Sendable, Hashable {
        /// There is none, and no link that one could be found on.
        case disconnected
        /// A link was started, and there is no reader on it yet.
        case linked
        /// Nothing.
        case idle
        /// It looks for settings that the sound device works with.
        case configuring
        /// It looks for a card.
        case checkingCard
        /// A chip was found, which a payment may begin with.
        case chipFound
        /// A payment begins.
        case starting
        /// A payment is under way, and the reader does its part.
        case paying
        /// A payment is under way, and the program has to answer.
        case asking(BBPOSRequest)
    }

    /// What follows from a call, a report, or time.
    package enum Output: Sendable {
        /// A call that goes to the reader.
        case send(BBPOSCall)
        /// What the program is told.
        case tell(BBPOSReport)
    }

    /// What the reader is about.
    package private(set) var state = State.disconnected
    /// When ``advance(to:)`` has something to do; nil where nothing waits for time to pass.
    package private(set) var nextDeadline: Duration?
    /// How the reader is connected, or the link that was started.
    package private(set) var connection = BBPOSConnection.disconnected
    /// Whether the program has started the link, which stays when the reader goes.
    private var isLinkStarted = false
    /// Whether the program has asked if a reader is there.
    private var isLookedFor = false
    private var times: BBPOSTransactionTimes?

    /// A reader that is not there yet.
    package init() {}

    /// Takes a call of the program.
    /// - Parameters:
    ///   - call: what.
    ///   - now: when, from any beginning, and never back.
    /// - Returns: what follows.
    /// - Throws: ``BBPOSError`` where it is not taken now; nothing changes.
    package mutating func perform(_ call: BBPOSCall, at now: Duration) throws(BBPOSError) -> [Output] {
        switch (call, state) {
        case (.setDetectDeviceChange, _): break
        case (.startAudio, _): try startLink(.audio)
        case (.startUSB, _): try startLink(.usb)
        case (_, .disconnected): throw .linkNotReady
        case (.stopAudio, _): return try stopLink(.audio, call)
        case (.stopUSB, _): return try stopLink(.usb, call)
        case (.isDevicePresent, .linked), (.isDevicePresent, .idle), (.isDevicePresent, .chipFound): isLookedFor = true
        case (.setAutoConfiguration, .linked) where connection == .audio,
            (.setAutoConfiguration, .idle) where connection == .audio:
            break
        case (_, .linked): throw .linkNotReady
        case (.startAutoConfiguration, .idle) where connection == .audio: enter(.configuring)
        case (.setAutoConfiguration, .idle), (.startAutoConfiguration, .idle): throw .invalidFunctionInCurrentMode
        case (.cancelAutoConfiguration, .configuring):
            enter(.idle)
            return [.send(call), .tell(.autoConfigurationFailed(.interrupted))]
        case (.checkCard(_, let time), .idle), (.checkCard(_, let time), .chipFound):
            guard time > .zero else { throw .inputOutOfRange }
            enter(.checkingCard, until: now + time)
        case (.cancelCheckCard, .checkingCard): enter(.idle)
        case (.startEMV(_, _, let settings), .chipFound) where settings.time.map(Self.isTime) == false:
            throw .inputInvalidFormat
        case (.startEMV(let times, _, _), .chipFound):
            self.times = times
            enter(.starting, until: now + times.longest)
        case (.getDeviceInfo, .idle), (.getKeySerialNumbers, .idle), (.getDeviceInfo, .chipFound),
            (.getKeySerialNumbers, .chipFound), (.encrypt, .idle), (.encrypt, .chipFound), (.exchange, .chipFound):
            break
        case (.setAmount(let amount, let cashback, _, _), .asking(.amount)) where amount < 0 || cashback < 0:
            throw .inputOutOfRange
        case (.sendTime(let time), .asking(.time)) where !Self.isTime(time): throw .inputInvalidFormat
        case (.selectApplication, .asking(.application(let names))) where !call.answers(.application(names)):
            throw .inputOutOfRange
        case (_, .asking(let request)) where call.answers(request): pay(at: now)
        case (.startEMV, .idle), (.exchange, .idle), (.cancelCheckCard, _), (.cancelAutoConfiguration, _):
            throw .commandNotAvailable
        default: throw .deviceBusy
        }
        return [.send(call)]
    }

    /// Takes what the reader tells.
    /// - Parameters:
    ///   - report: what.
    ///   - now: when.
    /// - Returns: what follows; nothing for what cannot be now, such as a request in a payment that nobody began.
    package mutating func receive(_ report: BBPOSReport, at now: Duration) -> [Output] {
        switch (report, state) {
        case (.connected(let connection), .disconnected):
            self.connection = connection
            enter(.idle)
        case (.connected(connection), .linked): enter(.idle)
        case (.connected(connection), .idle) where isLookedFor, (.connected(connection), .chipFound) where isLookedFor:
            isLookedFor = false
        case (.disconnected, .linked) where isLookedFor: isLookedFor = false
        case (.failed(let error), .linked):
            if Self.endsLink(error) { endLink() }
        case (.connected, _), (_, .disconnected), (_, .linked): return []
        case (.disconnected, .configuring):
            leave()
            return [.tell(.autoConfigurationFailed(.interrupted)), .tell(report)]
        case (.disconnected, _): leave()
        case (.autoConfigurationProgress, .configuring): break
        case (.autoConfigured, .configuring), (.autoConfigurationFailed, .configuring), (.failed, .configuring):
            enter(.idle)
        case (.autoConfigurationProgress, _), (.autoConfigured, _), (.autoConfigurationFailed, _): return []
        case (.card(let result, _), .checkingCard): enter(result == .chip ? .chipFound : .idle)
        case (.started(true), .starting): pay(at: now)
        case (.started(false), .starting): enter(.idle)
        case (.request(let request, _), .starting), (.request(let request, _), .paying),
            (.request(let request, _), .asking):
            // A new one takes the place of the one before.
            enter(.asking(request), until: times.map { now + $0.time(for: request) })
        case (.transactionEnded, .starting), (.transactionEnded, .paying), (.transactionEnded, .asking): enter(.idle)
        case (.failed, .checkingCard), (.failed, .starting), (.failed, .paying), (.failed, .asking): enter(.idle)
        // How a payment ended is told also of one that was given up: the card may have been charged.
        case (.waitingForCard, .checkingCard), (.batchData, _), (.reversalData, _), (.transactionEnded, _),
            (.display, _), (.battery, _), (.failed, _), (.deviceInfo, _), (.keySerialNumbers, _), (.encrypted, _),
            (.exchanged, _):
            break
        case (.waitingForCard, _), (.card, _), (.started, _), (.request, _):
            return []
        }
        return [.tell(report)]
    }

    /// Lets time pass. A reader that says nothing when the time for something is over is told to stop looking for a card,
    /// or that there is no answer to what it asks. A payment has no call that stops it: where the reader is silent in its
    /// own part it is given up, and what the reader says of it later is told all the same.
    /// - Parameter now: when it is.
    /// - Returns: what follows.
    package mutating func advance(to now: Duration) -> [Output] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch state {
        case .asking(let request):
            // The reader decides what that means for the payment, and tells.
            pay(at: now)
            return Self.refusal(of: request).map { [.send($0)] } ?? []
        case .checkingCard:
            enter(.idle)
            return [.send(.cancelCheckCard), .tell(.failed(.timedOut))]
        case .disconnected, .linked, .idle, .configuring, .chipFound, .starting, .paying:
            enter(.idle)
            return [.tell(.failed(.timedOut))]
        }
    }

    /// What says that the program has no answer.
    private static func refusal(of request: BBPOSRequest) -> BBPOSCall? {
        switch request {
        case .application: .cancelSelectApplication
        case .amount: .cancelSetAmount
        case .pin: .cancelPINEntry
        case .identity: .sendIdentity(isRight: false)
        case .confirmation: .sendConfirmation(false)
        case .connectivity: .sendConnectivity(false)
        case .issuer: .sendIssuerAnswer(nil)
        case .referral: .cancelReferral
        case .time: nil
        }
    }

    /// `yyMMddHHmmss`.
    private static func isTime(_ text: String) -> Bool {
        text.utf8.count == 12 && text.utf8.allSatisfy { ($0.digitValue ?? 10) < 10 }
    }

    /// Whether a link that was started has not come about.
    private static func endsLink(_ error: BBPOSError) -> Bool {
        [.audioNotStarted, .volumeWarningNotAccepted, .usbDeviceNotFound, .usbDevicePermissionDenied].contains(error)
    }

    private mutating func startLink(_ link: BBPOSConnection) throws(BBPOSError) {
        guard state == .disconnected else { throw .invalidFunctionInCurrentMode }
        connection = link
        isLinkStarted = true
        enter(.linked)
    }

    /// Stops a link, and with it whatever the reader does.
    private mutating func stopLink(_ link: BBPOSConnection, _ call: BBPOSCall) throws(BBPOSError) -> [Output] {
        guard connection == link else { throw .invalidFunctionInCurrentMode }
        let wasConfiguring = state == .configuring
        endLink()
        return [.send(call)] + (wasConfiguring ? [.tell(.autoConfigurationFailed(.interrupted))] : [])
    }

    private mutating func endLink() {
        isLinkStarted = false
        leave()
    }

    /// There is no reader any more.
    private mutating func leave() {
        if !isLinkStarted { connection = .disconnected }
        enter(isLinkStarted ? .linked : .disconnected)
    }

    private mutating func pay(at now: Duration) { enter(.paying, until: times.map { now + $0.longest }) }

    private mutating func enter(_ next: State, until deadline: Duration? = nil) {
        state = next
        nextDeadline = deadline
        isLookedFor = false
        if [.idle, .linked, .disconnected].contains(next) { times = nil }
    }
}

/// What a program calls for, by the names of the vendor's SDK as public samples have them.
///
/// PINs are in none of them: they are entered at the reader. Data that may be of a card tell their number alone.
package enum BBPOSCall: Sendable, Hashable {
    /// `startAudio`: has the audio jack for a link.
    case startAudio
    /// `stopAudio`.
    case stopAudio
    /// `startUsb`: has USB for a link.
    case startUSB
    /// `stopUsb`.
    case stopUSB
    /// `setDetectDeviceChange`: whether it is told that a reader comes or goes.
    case setDetectDeviceChange(Bool)
    /// `isDevicePresent`: tells whether a reader is there.
    case isDevicePresent
    /// `setAutoConfig`: uses settings for the sound device that were found before.
    case setAutoConfiguration(String)
    /// `startAutoConfig`: looks for settings that the sound device works with.
    case startAutoConfiguration
    /// `cancelAutoConfig`.
    case cancelAutoConfiguration
    /// `checkCard`: looks for a card, within so long.
    case checkCard(BBPOSCheckCardMode, within: Duration)
    /// `cancelCheckCard`.
    case cancelCheckCard
    /// `startEmv`: begins a payment with the chip that was found.
    case startEMV(
        BBPOSTransactionTimes, forcesOnline: Bool, BBPOSTransactionSettings = BBPOSTransactionSettings())
    /// `selectApplication`, by its place in the list.
    case selectApplication(Int)
    /// `cancelSelectApplication`.
    case cancelSelectApplication
    /// `setAmount`: in the currency's smallest unit, and its number in ISO 4217.
    case setAmount(Int, cashback: Int, currency: Int, BBPOSTransactionKind)
    /// `cancelSetAmount`.
    case cancelSetAmount
    /// `sendPinEntryResult`: the PIN was entered.
    case pinWasEntered
    /// `bypassPinEntry`.
    case bypassPINEntry
    /// `cancelPinEntry`.
    case cancelPINEntry
    /// `sendVerifyIDResult`.
    case sendIdentity(isRight: Bool)
    /// `sendFinalConfirmResult`.
    case sendConfirmation(Bool)
    /// `sendServerConnectivity`.
    case sendConnectivity(Bool)
    /// `sendOnlineProcessResult`: data objects of the issuer; nil where it could not be asked.
    case sendIssuerAnswer([UInt8]?)
    /// `sendTerminalTime`: `yyMMddHHmmss`.
    case sendTime(String)
    /// `sendReferProcessResult`.
    case sendReferral(isApproved: Bool)
    /// `cancelReferProcess`.
    case cancelReferral
    /// `getDeviceInfo`.
    case getDeviceInfo
    /// `getKsn`.
    case getKeySerialNumbers
    /// `encryptDataWithSettings`: encrypts data of the program.
    case encrypt(ReaderBytes, BBPOSEncryption)
    /// `viposExchangeApdu`: a command for the chip, as it goes to the card.
    case exchange(ReaderBytes)

    /// Whether it answers what the reader asks for.
    /// - Parameter request: what that is.
    /// - Returns: also false for a choice that is not in the list.
    package func answers(_ request: BBPOSRequest) -> Bool {
        switch (self, request) {
        case (.selectApplication(let place), .application(let names)): names.indices.contains(place)
        case (.cancelSelectApplication, .application), (.setAmount, .amount), (.cancelSetAmount, .amount),
            (.pinWasEntered, .pin), (.bypassPINEntry, .pin), (.cancelPINEntry, .pin), (.sendIdentity, .identity),
            (.sendConfirmation, .confirmation), (.sendConnectivity, .connectivity), (.sendIssuerAnswer, .issuer),
            (.sendTime, .time), (.sendReferral, .referral), (.cancelReferral, .referral):
            true
        default: false
        }
    }
}

/// How long the program may take for what a payment asks of it: values of `startEmv`, which has no published defaults.
package struct BBPOSTransactionTimes: Sendable, Hashable {
    /// `checkCardTimeout`, where the payment looks for a card itself.
    package var card: Duration
    /// `selectApplicationTimeout`.
    package var application: Duration
    /// `setAmountTimeout`.
    package var amount: Duration
    /// `pinEntryTimeout`.
    package var pin: Duration
    /// `finalConfirmTimeout`, also for the other questions that are answered with yes or no.
    package var confirmation: Duration
    /// `onlineProcessTimeout`, also for what the issuer says on the telephone.
    package var issuer: Duration

    /// - Parameters:
    ///   - card: for a card that the payment looks for itself.
    ///   - application: for the choice of an application.
    ///   - amount: for the amount.
    ///   - pin: for the PIN.
    ///   - confirmation: for the confirmation and the like.
    ///   - issuer: for the issuer's answer.
    package init(
        card: Duration = .zero, application: Duration, amount: Duration, pin: Duration, confirmation: Duration,
        issuer: Duration
    ) {
        self.card = card
        self.application = application
        self.amount = amount
        self.pin = pin
        self.confirmation = confirmation
        self.issuer = issuer
    }

    /// The longest of them.
    package var longest: Duration { max(card, application, amount, pin, confirmation, issuer) }

    /// How long an answer may take.
    /// - Parameter request: what is asked for.
    /// - Returns: the time from when it is asked.
    package func time(for request: BBPOSRequest) -> Duration {
        switch request {
        case .application: application
        case .amount: amount
        case .pin: pin
        case .identity, .confirmation, .connectivity, .time: confirmation
        case .issuer, .referral: issuer
        }
    }
}

/// What an EMVSwiper tells, by the callbacks of the vendor's SDK as public samples have them.
package enum BBPOSReport: Sendable, CustomStringConvertible {
    /// The reader is there (`onDevicePlugged`, `onUsbConnected`, `onDeviceHere`).
    case connected(BBPOSConnection)
    /// The reader has gone (`onDeviceUnplugged`, `onNoDeviceDetected`, `onPowerDown`).
    case disconnected
    /// It waits for a card (`onWaitingForCard`).
    case waitingForCard
    /// What became of looking for a card (`onReturnCheckCardResult`), with the swipe where there was one.
    case card(BBPOSCheckCardResult, ReaderSwipe?)
    /// Whether the payment with the chip has begun (`onReturnStartEmvResult`).
    case started(Bool)
    /// It asks for something and waits; with data objects for the issuer, which may be card data.
    case request(BBPOSRequest, ReaderBytes?)
    /// What the cardholder is to be shown (`onRequestDisplayText`); nil for nothing (`onRequestClearDisplay`).
    case display(BBPOSDisplayText?)
    /// Data objects of a payment that is done (`onReturnBatchData`).
    case batchData(ReaderBytes)
    /// Data objects of a payment that has to be taken back (`onReturnReversalData`).
    case reversalData(ReaderBytes)
    /// How the payment ended (`onReturnTransactionResult`).
    case transactionEnded(BBPOSTransactionResult)
    /// What the reader says of itself (`onReturnDeviceInfo`), by the SDK's names.
    case deviceInfo([String: String])
    /// Its keys' serial numbers (`onReturnKsn`), by the SDK's names.
    case keySerialNumbers([String: String])
    /// What became of data that were to be encrypted (`onReturnEncryptDataResult`).
    case encrypted(ReaderBytes)
    /// What the chip answers to a command (`Apdu`).
    case exchanged(ReaderBytes)
    /// How far the search for settings is (`AutoConfigProgress`), as the SDK counts it.
    case autoConfigurationProgress(Double)
    /// Settings that the sound device works with (`AutoConfigCompleted`), for
    /// ``BBPOSCall/setAutoConfiguration(_:)``.
    case autoConfigured(String)
    /// No settings were found (`AutoConfigError`).
    case autoConfigurationFailed(BBPOSAutoConfigurationError)
    /// The battery (`onBatteryLow`).
    case battery(BBPOSBattery)
    /// Something failed (`onError`).
    case failed(BBPOSError)

    /// One line without card data.
    package var description: String {
        switch self {
        case .connected(let connection): "connected: \(connection.rawValue)"
        case .disconnected: "disconnected"
        case .waitingForCard: "waiting for a card"
        case .card(let result, let swipe): "card: \(result.rawValue)\(swipe.map { ", \($0)" } ?? "")"
        case .started(let isStarted): isStarted ? "payment started" : "payment not started"
        case .request(let request, _): "asks for \(request.name)"
        case .display(let text): "display: \(text?.rawValue ?? "nothing")"
        case .batchData: "batch data"
        case .reversalData: "reversal data"
        case .transactionEnded(let result): "payment ended: \(result.rawValue)"
        case .deviceInfo(let info): "device information: \(info.count) values"
        case .keySerialNumbers(let numbers): "key serial numbers: \(numbers.count)"
        case .encrypted(let data): "encrypted: \(data)"
        case .exchanged(let data): "the chip's answer: \(data)"
        case .autoConfigurationProgress(let progress): "looking for sound settings: \(progress)"
        case .autoConfigured: "sound settings found"
        case .autoConfigurationFailed(let error): "no sound settings: \(error.rawValue)"
        case .battery(let battery): "battery: \(battery.rawValue)"
        case .failed(let error): "failed: \(error.rawValue)"
        }
    }
}
