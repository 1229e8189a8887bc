public import JackdawEMV
public import JackdawPayments
public import JackdawReaders
public import JackdawTransport

/// Terminals over links that a program opens: readers with a kernel (PosMate and SPm2, EMVSwiper, Miura), and UniMag, which
/// only swipes cards.
///
/// The wires of PosMate and EMVSwiper are not public: a profile has them, and those of this project are
/// for simulated readers alone. No real terminal has been tried.
public final class AcceptReaderTerminals: AcceptTerminals {
    /// The protocol of a reader.
    public enum Model: String, Sendable, Hashable, CaseIterable {
        /// Spire's PosMate and SPm2: the family `epos`.
        case posMate = "epos"
        /// BBPOS's EMVSwiper: the family `bbpos`.
        case emvSwiper = "bbpos"
        /// Miura's readers: the family `miura`.
        case miura
        /// ID TECH's UniMag on an audio jack, which only swipes cards: the family `unimag`. Its link is a
        /// `PoweredTransport`.
        case uniMag = "unimag"

        /// Whether the reader is a swiper: one for the audio jack (guide 1.6.182, 1.2).
        var isSwiper: Bool { self == .emvSwiper || self == .uniMag }

        /// Whether a terminal needs a configuration of the host before its first payment: those of Spire (guide 1.6.182, 3.2).
        public var dependsOnConfiguration: Bool { self == .posMate }
    }

    /// A reader, and its link.
    public struct Reader: Sendable {
        /// The vendor, under which the reader is found.
        public var vendor: AcceptTerminalVendor
        /// The terminal as the SDK shows it.
        public var terminal: AcceptTerminal
        /// The protocol of the reader.
        public var model: Model
        /// The values of the protocol that are not public or may change.
        public var profile: ReaderProfile
        /// Reads the playback of the sound card with the reader in its jack, before a payment; nil if it is not known.
        public var jack: @Sendable () async -> JackOutput?
        /// Opens the link for a payment.
        public var open: @Sendable () async throws(LinkError) -> any Transport

        /// A reader.
        /// - Parameters:
        ///   - vendor: the vendor.
        ///   - terminal: the terminal, with the ways in which it reads cards: a UniMag has `swipe` alone. It depends on a
        ///     configuration if its model does (``Accept/configure(_:of:andToken:config:)``).
        ///   - model: the protocol.
        ///   - profile: the values of the protocol. Default: nil, those of simulated readers.
        ///   - jack: reads the playback of the sound card with the reader in its jack. Default: it is not known.
        ///   - open: opens the link.
        public init(
            vendor: AcceptTerminalVendor, terminal: AcceptTerminal, model: Model, profile: ReaderProfile? = nil,
            jack: @escaping @Sendable () async -> JackOutput? = { nil },
            open: @escaping @Sendable () async throws(LinkError) -> any Transport
        ) {
            self.vendor = vendor
            self.terminal = terminal
            self.terminal.dependsOnConfiguration = terminal.dependsOnConfiguration || model.dependsOnConfiguration
            self.model = model
            guard let known = profile ?? ReaderFamily.named(model.rawValue)?.simulatedProfile else {
                preconditionFailure("each model is a family")
            }
            self.profile = known
            self.jack = jack
            self.open = open
        }
    }

    /// A reader, and its use by payments.
    private struct Known: Sendable {
        var reader: Reader
        let use = ReaderUse()

        func has(_ vendorUUID: String, _ terminalUUID: String) -> Bool {
            reader.vendor.uuid == vendorUUID && reader.terminal.uuid == terminalUUID
        }
    }

    private let readers: [Known]
    let searches: [Search]
    /// The readers of the last search for each vendor, and those of earlier ones that are in use.
    private let found = Lock<[Known]>([])
    let clock: ElapsedClock
    /// The same clock, for drivers.
    let driverClock: any Clock<Duration>
    private let date: @Sendable () -> RecordedTime
    private let seal: @Sendable (DataObjectStore) -> HTTPBody

    /// The time for the link of the payment before to close. It is our choice.
    static let closingLimit = Duration.seconds(5)

    /// Terminals of a program.
    /// - Parameters:
    ///   - readers: the readers, whose vendors and terminals are found.
    ///   - searches: searches for further readers, such as paired ones. Default: none.
    ///   - clock: measures the readers' times. Default: `SuspendingClock`.
    ///   - date: the date and the zone of the till, which cards receive.
    ///   - seal: seals a card's objects for the host alone: those of the authorisation, with the PIN block in 99, and those
    ///     of the second cryptogram. `HTTPBody.tagLengthValue(_:)` is for the sandbox.
    public init(
        _ readers: [Reader], searches: [Search] = [], clock: some Clock<Duration> = SuspendingClock(),
        date: @escaping @Sendable () -> RecordedTime, seal: @escaping @Sendable (DataObjectStore) -> HTTPBody
    ) {
        self.readers = readers.map { Known(reader: $0) }
        self.searches = searches
        self.clock = ElapsedClock(clock)
        driverClock = clock
        self.date = date
        self.seal = seal
    }

    public func vendors() async -> [AcceptTerminalVendor] {
        (readers.map(\.reader.vendor) + searches.map(\.vendor)).distinct
    }

    /// Returns the vendor's readers of the program, and then those that its searches find.
    /// - Throws: the error of a search if the program has no reader of this vendor itself.
    public func terminals(of vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal] {
        do throws(LinkError) {
            note(try await search(for: vendorUUID), of: vendorUUID)
        } catch {
            note([], of: vendorUUID)
            guard readers.contains(where: { $0.reader.vendor.uuid == vendorUUID }) else { throw AcceptError(error) }
        }
        return known(of: vendorUUID).map(\.reader.terminal)
    }

    private func known(of vendorUUID: String) -> [Known] {
        (readers + found.withLock { $0 }).filter { $0.reader.vendor.uuid == vendorUUID }
    }

    /// Notes what the searches for a vendor found. A reader keeps its use, and one in use stays. One of the program's own is not
    /// noted again.
    private func note(_ nearby: [Reader], of vendorUUID: String) {
        found.withLock { found in
            var noted = found.filter { $0.reader.vendor.uuid != vendorUUID }
            var old = found.filter { $0.reader.vendor.uuid == vendorUUID }
            for reader in nearby
            where !(readers + noted).contains(where: { $0.has(vendorUUID, reader.terminal.uuid) }) {
                if let index = old.firstIndex(where: { $0.has(vendorUUID, reader.terminal.uuid) }) {
                    var known = old.remove(at: index)
                    known.reader = reader
                    noted.append(known)
                } else {
                    noted.append(Known(reader: reader))
                }
            }
            found = noted + old.filter(\.use.isOpen)
        }
    }

    /// Searches for the vendor's readers, and asks them one after the other, over links of their own, until one reports its charge: EMVSwiper and Miura
    /// have such a value. A reader that is in use, whose link cannot be opened, or that is silent for 4 s does not answer.
    public func batteryLevel(of vendorUUID: String) async -> AcceptBatteryLevel {
        _ = try? await terminals(of: vendorUUID)
        var level = AcceptBatteryLevel.notAvailable
        for known in known(of: vendorUUID) {
            switch await batteryLevel(of: known.reader, known.use) {
            case .notAvailable: continue
            case .noAnswer: level = .noAnswer
            case let known: return known
            }
        }
        return level
    }

    private func batteryLevel(of reader: Reader, _ use: ReaderUse) async -> AcceptBatteryLevel {
        guard reader.model == .emvSwiper || reader.model == .miura else { return .notAvailable }
        guard await use.begin(within: Self.closingLimit, on: clock) else { return .noAnswer }
        defer { use.end() }
        do throws(LinkError) {
            let level = try await askForBattery(reader)
            use.note(level == .noAnswer ? .disconnected : .connected)
            return level
        } catch {
            use.note(.disconnected)
            return .noAnswer
        }
    }

    /// The state of the vendor's readers when a link to them was used last, for a payment or for ``batteryLevel(of:)``: one that was
    /// opened and not lost counts as connected. It is not known before, because no link is open then.
    public func connectionStatus(of vendorUUID: String) async -> AcceptExtensionConnectionStatus {
        let states = known(of: vendorUUID).map(\.use.status)
        if states.contains(.connected) { return .connected }
        return states.contains(.disconnected) ? .disconnected : .unknown
    }

    /// Opens a reader after the link of its payment before was closed, for which it waits 5 s at most: some links take one
    /// opener at a time. After that it fails with `pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow)`.
    public func open(
        _ terminal: AcceptTerminal, of vendorUUID: String, amount: Amount, as attempt: AttemptIdentifier,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> any AcceptTerminalSession {
        guard let known = known(of: vendorUUID).first(where: { $0.reader.terminal.uuid == terminal.uuid }) else {
            throw AcceptError(.pay(.terminalNotReady), "The terminal is off, or away.")
        }
        let transaction = try KernelTransaction.purchase(amount, on: date())
        let use = known.use
        guard await use.begin(within: Self.closingLimit, on: clock) else {
            throw AcceptError(
                .pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow),
                "The terminal has not ended its last transaction.")
        }
        do throws(AcceptError) {
            return try await session(known.reader, use, transaction) { event in
                if case .linkLost = event { use.note(.disconnected) }
                events(event)
            }
        } catch {
            use.end()
            throw error
        }
    }

    private func session(
        _ reader: Reader, _ use: ReaderUse, _ transaction: KernelTransaction,
        _ events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> ReaderTerminalSession {
        let jack = await reader.jack()
        guard jack?.isMono != true else {
            throw AcceptError(.pay(.monoAudioEnabled), "The sound card plays one channel, and the reader needs two.")
        }
        let link: any Transport
        do throws(LinkError) { link = try await reader.open() } catch {
            use.note(.disconnected)
            throw AcceptError(error)
        }
        use.note(.connected)
        do throws(ReaderError) {
            return try session(reader, transaction, jack, over: link, events) { use.end() }
        } catch {
            await link.close()
            throw AcceptError(
                .pay(reader.model.isSwiper ? .cantLoadSwiperTerminalConfiguration : .initialization), "\(error)")
        }
    }

    private func session(
        _ reader: Reader, _ transaction: KernelTransaction, _ jack: JackOutput?, over link: any Transport,
        _ events: @escaping @Sendable (AcceptTerminalEvent) -> Void, closed: @escaping @Sendable () -> Void
    ) throws(ReaderError) -> ReaderTerminalSession {
        switch reader.model {
        case .posMate:
            let settings = try EPOSPaymentSettings(profile: reader.profile)
            return ReaderTerminalSession(
                over: link, clock: clock, transaction, seal: seal, events: events, closed: closed
            ) { EPOSPayment(transaction, settings) }
        case .emvSwiper:
            let settings = try BBPOSPaymentSettings(profile: reader.profile)
            return ReaderTerminalSession(
                over: link, clock: clock, transaction, seal: seal, events: events, closed: closed
            ) { BBPOSPayment(transaction, settings) }
        case .miura:
            let settings = try MiuraPaymentSettings(profile: reader.profile)
            return ReaderTerminalSession(
                over: link, clock: clock, transaction, seal: seal, events: events, closed: closed
            ) { MiuraPayment(transaction, settings) }
        case .uniMag:
            guard let family = ReaderFamily.named(reader.model.rawValue) else {
                preconditionFailure("each model is a family")
            }
            let settings = try SwipePaymentSettings(family.makeDialect(reader.profile))
            // A jack does not show if a reader is in it: one that is reports its power-up. At less than the full volume it
            // may have had too little power.
            let reason: AcceptPayErrorCode = jack?.isVolumeFull == false ? .lowPowerInAudioJack : .plugInTimeout
            let named: @Sendable (AcceptTerminalEvent) -> Void = { event in
                if case .payment(.preparationFailed, _, _) = event { events(.reason(reason)) }
                events(event)
            }
            return ReaderTerminalSession(
                over: link, clock: clock, transaction, seal: seal, events: named, closed: closed
            ) { SwipePayment(settings) }
        }
    }
}

/// The use of a reader: one payment or question at a time has its link.
final class ReaderUse: Sendable {
    private let isInUse = Lock(false)
    private let lastStatus = Lock(AcceptExtensionConnectionStatus.unknown)
    private let change = AsyncSignal()

    /// Begins a use, after the end of the one before.
    /// - Returns: false if that does not end within the limit, or the task is cancelled.
    func begin(within limit: Duration, on clock: ElapsedClock) async -> Bool {
        let deadline = clock.now() + limit
        while true {
            let seen = change.count
            let isFree = isInUse.withLock { isInUse in
                defer { isInUse = true }
                return !isInUse
            }
            if isFree { return true }
            guard clock.now() < deadline, !Task.isCancelled else { return false }
            await change.wait(after: seen, until: deadline, on: clock)
        }
    }

    /// Whether a payment or a question has the link.
    var isOpen: Bool { isInUse.withLock { $0 } }

    /// The state of the reader at the last use of a link.
    var status: AcceptExtensionConnectionStatus { lastStatus.withLock { $0 } }

    func note(_ status: AcceptExtensionConnectionStatus) { lastStatus.withLock { $0 = status } }

    /// Ends the use that began.
    func end() {
        isInUse.withLock { $0 = false }
        change.send()
    }
}

extension AcceptError {
    /// The error of a link that cannot be opened, by its reason.
    init(_ error: LinkError) { self.init(.pay(AcceptPayErrorCode(error) ?? .terminalNotReady), "\(error)") }
}

extension AcceptPayErrorCode {
    /// The code of the reason for which a link cannot be opened, or was lost; nil if the SDK has none of its own for it.
    init?(_ error: LinkError) {
        switch error.code {
        case .notPermitted: self = .hardwareAccessPermission
        case .outOfRange, .pairedElsewhere, .rejected, .adapterOff: self = .failedBluetoothConnection
        default: return nil
        }
    }
}

extension KernelTransaction {
    /// A purchase at a terminal.
    static func purchase(_ amount: Amount, on time: RecordedTime) throws(AcceptError) -> KernelTransaction {
        guard let transaction = KernelTransaction(amount, on: time) else {
            throw AcceptError(.configurationInvalid, "The till's date or the currency is not one that a card takes.")
        }
        return transaction
    }

    /// A purchase, on a till's day and time; nil if the year is not one of a card, or the currency none of ISO 4217.
    init?(_ amount: Amount, on time: RecordedTime) {
        let local = time.seconds + Int64(time.offset) * 60
        let (day, second) = (local / 86_400, local % 86_400)
        guard local >= 0, let code = amount.currencyCode, let known = Currency.find(code),
            let date = CardDate(dayNumber: Int(day))
        else { return nil }
        let currency = [UInt8(code / 100), UInt8(code / 10 % 10) << 4 | UInt8(code % 10)]
        self.init(amount: amount.minorUnits, currency: currency, type: .purchase, date: date)
        self.time = [second / 3600, second / 60 % 60, second % 60].map { UInt8($0 / 10 * 16 + $0 % 10) }
        currencyExponent = UInt8(known.exponent)
    }
}

extension CardDate {
    /// The date of a number of days since 1970-01-01, at least 0.
    fileprivate init?(dayNumber: Int) {
        // March is the first month, so that leap days end a year; an era has 400 years.
        let shifted = dayNumber + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }
}
