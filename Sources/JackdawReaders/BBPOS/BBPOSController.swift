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
public struct BBPOSController: Sendable {
    /// What the reader is about.
    public enum State: Sendable, Hashable {
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
    public enum Output: Sendable {
        /// A call that goes to the reader.
        case send(BBPOSCall)
        /// What the program is told.
        case tell(BBPOSReport)
    }

    /// What the reader is about.
    public private(set) var state = State.disconnected
    /// When ``advance(to:)`` has something to do; nil where nothing waits for time to pass.
    public private(set) var nextDeadline: Duration?
    /// How the reader is connected, or the link that was started.
    public private(set) var connection = BBPOSConnection.disconnected
    /// Whether the program has started the link, which stays when the reader goes.
    private var isLinkStarted = false
    /// Whether the program has asked if a reader is there.
    private var isLookedFor = false
    private var times: BBPOSTransactionTimes?

    /// A reader that is not there yet.
    public init() {}

    /// Takes a call of the program.
    /// - Parameters:
    ///   - call: what.
    ///   - now: when, from any beginning, and never back.
    /// - Returns: what follows.
    /// - Throws: ``BBPOSError`` where it is not taken now; nothing changes.
    public mutating func perform(_ call: BBPOSCall, at now: Duration) throws(BBPOSError) -> [Output] {
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
    public mutating func receive(_ report: BBPOSReport, at now: Duration) -> [Output] {
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
    public mutating func advance(to now: Duration) -> [Output] {
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
