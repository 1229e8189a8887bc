import JackdawBytes

/// An EMVSwiper as its SDK describes it: the calls that are allowed in each state, their effects, and their time
/// limits. A state machine without a wire format, a link or a clock, as the wire format of calls and reports is not
/// published.
///
/// A link over the audio jack or USB must be started first (``BBPOSCall/startAudio``, ``BBPOSCall/startUSB``), unless a
/// reader is already connected; then a reader reports that it is connected.
///
/// The flow: ``BBPOSCall/checkCard(_:within:)`` ends with a swipe, with nothing, or with a chip;
/// ``BBPOSCall/startEMV(_:forcesOnline:_:)`` begins a payment with a chip, and the reader sends one request after the
/// other until the payment ends.
///
/// Source: samples of the vendor's SDK in public repositories. The error of each call that is made at the wrong time is
/// inferred from the errors' names.
package struct BBPOSController: Sendable {
    /// The current activity of the reader.
    package enum State: Sendable, Hashable {
        /// No reader is connected, and no link has been started.
        case disconnected
        /// A link was started, but no reader is connected to it yet.
        case linked
        case idle
        /// The reader searches for settings that work with the sound device.
        case configuring
        /// The reader waits for a card.
        case checkingCard
        /// The reader found a chip, with which a payment may begin.
        case chipFound
        /// The reader is starting a payment.
        case starting
        /// A payment is in progress, and the reader is working.
        case paying
        /// A payment is in progress, and the program must answer.
        case asking(BBPOSRequest)
    }

    /// The effect of a call, a report, or a deadline.
    package enum Output: Sendable {
        /// Send a call to the reader.
        case send(BBPOSCall)
        /// Report this to the program.
        case tell(BBPOSReport)
    }

    /// The current activity of the reader.
    package private(set) var state = State.disconnected
    /// The time at which ``advance(to:)`` has work to do; nil if there is no deadline.
    package private(set) var nextDeadline: Duration?
    /// The reader's connection, or the link that was started.
    package private(set) var connection = BBPOSConnection.disconnected
    /// Whether the program has started the link, which remains when the reader disconnects.
    private var isLinkStarted = false
    /// Whether the program has asked if a reader is connected.
    private var isLookedFor = false
    private var times: BBPOSTransactionTimes?

    /// Creates the state without a reader.
    package init() {}

    /// Executes a call of the program.
    /// - Parameters:
    ///   - call: the call.
    ///   - now: the current time, from an arbitrary origin, never decreasing.
    /// - Returns: the effects.
    /// - Throws: ``BBPOSError`` if the call is not allowed now; the state does not change.
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

    /// Handles a report of the reader.
    /// - Parameters:
    ///   - report: the report.
    ///   - now: the current time.
    /// - Returns: the effects; empty for a report that is impossible now, such as a request without a payment.
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
            // A new request replaces the one before.
            enter(.asking(request), until: times.map { now + $0.time(for: request) })
        case (.transactionEnded, .starting), (.transactionEnded, .paying), (.transactionEnded, .asking): enter(.idle)
        case (.failed, .checkingCard), (.failed, .starting), (.failed, .paying), (.failed, .asking): enter(.idle)
        // The end of a payment is reported even after the controller gave the payment up: the card may have been
        // charged.
        case (.waitingForCard, .checkingCard), (.batchData, _), (.reversalData, _), (.transactionEnded, _),
            (.display, _), (.battery, _), (.failed, _), (.deviceInfo, _), (.keySerialNumbers, _), (.encrypted, _),
            (.exchanged, _):
            break
        case (.waitingForCard, _), (.card, _), (.started, _), (.request, _):
            return []
        }
        return [.tell(report)]
    }

    /// Handles the deadlines up to a time. If the time for a card is over, the reader is sent a call to stop looking
    /// for one; if the time for an answer is over, it is sent a refusal. No call stops a payment: if the reader is
    /// silent during its own part, the controller gives the payment up, but still reports later messages about it.
    /// - Parameter now: the current time.
    /// - Returns: the effects.
    package mutating func advance(to now: Duration) -> [Output] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch state {
        case .asking(let request):
            // The reader decides the consequence for the payment, and reports it.
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

    /// Returns the call that refuses a request.
    static func refusal(of request: BBPOSRequest) -> BBPOSCall? {
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

    /// Whether a text is a time: `yyMMddHHmmss`.
    private static func isTime(_ text: String) -> Bool {
        text.utf8.count == 12 && text.utf8.allSatisfy { ($0.hexadecimalValue ?? 10) < 10 }
    }

    /// Whether an error shows that the started link failed.
    private static func endsLink(_ error: BBPOSError) -> Bool {
        [.audioNotStarted, .volumeWarningNotAccepted, .usbDeviceNotFound, .usbDevicePermissionDenied].contains(error)
    }

    private mutating func startLink(_ link: BBPOSConnection) throws(BBPOSError) {
        guard state == .disconnected else { throw .invalidFunctionInCurrentMode }
        connection = link
        isLinkStarted = true
        enter(.linked)
    }

    /// Stops a link, and with it the reader's activity.
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

    /// Handles the disconnection of the reader.
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

/// A call of the program, by the names of the vendor's SDK in public samples.
///
/// No call has a PIN, as the cardholder enters it at the reader. Data that may be card data is described only by its
/// length.
package enum BBPOSCall: Sendable, Hashable {
    /// `startAudio`: uses the audio jack as the link.
    case startAudio
    case stopAudio
    /// `startUsb`: uses USB as the link.
    case startUSB
    case stopUSB
    /// `setDetectDeviceChange`: whether to report the connection and disconnection of a reader.
    case setDetectDeviceChange(Bool)
    /// `isDevicePresent`: reports whether a reader is connected.
    case isDevicePresent
    /// `setAutoConfig`: applies settings for the sound device that were found before.
    case setAutoConfiguration(String)
    /// `startAutoConfig`: searches for settings that work with the sound device.
    case startAutoConfiguration
    case cancelAutoConfiguration
    /// `checkCard`: waits for a card, for at most this time.
    case checkCard(BBPOSCheckCardMode, within: Duration)
    case cancelCheckCard
    /// `startEmv`: begins a payment with the chip that was found.
    case startEMV(
        BBPOSTransactionTimes, forcesOnline: Bool, BBPOSTransactionSettings = BBPOSTransactionSettings())
    /// `selectApplication`, by its index in the list.
    case selectApplication(Int)
    case cancelSelectApplication
    /// `setAmount`: in the currency's smallest unit, and its number in ISO 4217.
    case setAmount(Int, cashback: Int, currency: Int, BBPOSTransactionKind)
    case cancelSetAmount
    /// `sendPinEntryResult`: the PIN was entered.
    case pinWasEntered
    case bypassPINEntry
    case cancelPINEntry
    case sendIdentity(isRight: Bool)
    case sendConfirmation(Bool)
    case sendConnectivity(Bool)
    /// `sendOnlineProcessResult`: data objects of the issuer; nil if the issuer could not be reached.
    case sendIssuerAnswer([UInt8]?)
    /// `sendTerminalTime`: `yyMMddHHmmss`.
    case sendTime(String)
    case sendReferral(isApproved: Bool)
    case cancelReferral
    case getDeviceInfo
    case getKeySerialNumbers
    /// `encryptDataWithSettings`: encrypts data of the program.
    case encrypt(ReaderBytes, BBPOSEncryption)
    /// `viposExchangeApdu`: a command that the reader passes to the chip.
    case exchange(ReaderBytes)

    /// Whether the call answers a request of the reader.
    /// - Parameter request: the request.
    /// - Returns: false also for a choice that is not in the list.
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

/// The time limits for the program's answers in a payment: values of `startEmv`, which has no published defaults.
package struct BBPOSTransactionTimes: Sendable, Hashable {
    /// `checkCardTimeout`, if the payment itself waits for a card.
    package var card: Duration
    package var application: Duration
    package var amount: Duration
    package var pin: Duration
    /// `finalConfirmTimeout`, also for the other yes-or-no requests.
    package var confirmation: Duration
    /// `onlineProcessTimeout`, also for the issuer's decision by telephone.
    package var issuer: Duration

    /// - Parameters:
    ///   - card: for a card, if the payment itself waits for one.
    ///   - application: for the choice of an application.
    ///   - amount: for the amount.
    ///   - pin: for the PIN.
    ///   - confirmation: for the confirmation and other yes-or-no requests.
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

    /// The longest of these times, which limits the reader's own part.
    package var longest: Duration { max(card, application, amount, pin, confirmation, issuer) }

    /// Returns the time limit for an answer.
    /// - Parameter request: the request of the reader.
    /// - Returns: the time from the request.
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

/// A report of an EMVSwiper, by the callbacks of the vendor's SDK in public samples.
package enum BBPOSReport: Sendable, CustomStringConvertible {
    /// A reader is connected (`onDevicePlugged`, `onUsbConnected`, `onDeviceHere`).
    case connected(BBPOSConnection)
    /// The reader disconnected (`onDeviceUnplugged`, `onNoDeviceDetected`, `onPowerDown`).
    case disconnected
    /// The reader waits for a card (`onWaitingForCard`).
    case waitingForCard
    /// The result of waiting for a card (`onReturnCheckCardResult`), with the swipe if there was one.
    case card(BBPOSCheckCardResult, ReaderSwipe?)
    /// Whether the payment with the chip has begun (`onReturnStartEmvResult`).
    case started(Bool)
    /// The reader requests something and waits; with data objects for the issuer, which may be card data.
    case request(BBPOSRequest, ReaderBytes?)
    /// A text for the cardholder (`onRequestDisplayText`); nil to clear the display (`onRequestClearDisplay`).
    case display(BBPOSDisplayText?)
    /// Data objects of a completed payment (`onReturnBatchData`).
    case batchData(ReaderBytes)
    /// Data objects of a payment that must be reversed (`onReturnReversalData`).
    case reversalData(ReaderBytes)
    /// The result of the payment (`onReturnTransactionResult`).
    case transactionEnded(BBPOSTransactionResult)
    /// Facts about the reader (`onReturnDeviceInfo`), by the SDK's names.
    case deviceInfo([String: String])
    /// The serial numbers of the reader's keys (`onReturnKsn`), by the SDK's names.
    case keySerialNumbers([String: String])
    /// The result of a request to encrypt data (`onReturnEncryptDataResult`).
    case encrypted(ReaderBytes)
    /// The chip's answer to a command (`Apdu`).
    case exchanged(ReaderBytes)
    /// The progress of the search for settings (`AutoConfigProgress`), in the SDK's units.
    case autoConfigurationProgress(Double)
    /// Settings that work with the sound device (`AutoConfigCompleted`), for `BBPOSCall/setAutoConfiguration(_:)`.
    case autoConfigured(String)
    /// No settings were found (`AutoConfigError`).
    case autoConfigurationFailed(BBPOSAutoConfigurationError)
    /// The battery's charge is low (`onBatteryLow`).
    case battery(BBPOSBattery)
    /// The reader reported an error (`onError`).
    case failed(BBPOSError)

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
