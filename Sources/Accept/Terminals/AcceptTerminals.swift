public import JackdawCards
public import JackdawEMV
public import JackdawPayments
public import JackdawTransport

/// A vendor of terminals (`AcceptTerminalVendor`).
public struct AcceptTerminalVendor: Sendable, Hashable {
    /// The identifier, such as `AcceptSpireVendorUUID`.
    public var uuid: String
    /// The name in the vendor's words.
    public var displayName: String
    /// The name for a person.
    public var alternativeDisplayName: String

    /// A vendor. Without an alternative name it has the other one twice.
    public init(uuid: String, displayName: String, alternativeDisplayName: String? = nil) {
        self.uuid = uuid
        self.displayName = displayName
        self.alternativeDisplayName = alternativeDisplayName ?? displayName
    }
}

extension [AcceptTerminalVendor] {
    /// The vendors in their order, the first of each identifier.
    var distinct: [AcceptTerminalVendor] {
        var seen: Set<String> = []
        return filter { seen.insert($0.uuid).inserted }
    }
}

/// A terminal that was found (`AcceptTerminal`).
public struct AcceptTerminal: Sendable, Hashable {
    /// The identifier, which is unique for its vendor.
    public var uuid: String
    /// The name under which the terminal was found.
    public var displayName: String
    /// The name for a person.
    public var alternativeDisplayName: String
    /// The kind of terminal in `paymentmethods.xml`, such as `PosMate`; empty if it is the identifier.
    public var model: String
    /// Whether the terminal needs a configuration of the host, as those of Spire do. Default: false.
    public var dependsOnConfiguration: Bool
    /// The version of its configuration; nil if the terminal does not report it, and ``Accept`` has not configured it.
    /// Default: nil.
    public var configurationVersion: String?
    /// The ways in which the terminal reads cards. Default: a chip or a swipe.
    public var entries: Set<CardEntry>
    /// The serial number, 64 bytes at most. If it is known, the host is asked before a payment if the merchant has the
    /// terminal. Default: empty, and the host is not asked.
    public var serialNumber: String
    /// Whether the terminal asks a host of its own, and not the Accept host: ``AcceptSPm20Terminals``. Default: false.
    public var hasOwnHost: Bool

    /// A terminal. Without an alternative name it has the other one twice.
    public init(
        uuid: String, displayName: String, alternativeDisplayName: String? = nil, model: String = "",
        dependsOnConfiguration: Bool = false, configurationVersion: String? = nil,
        entries: Set<CardEntry> = [.chip, .swipe], serialNumber: String = "", hasOwnHost: Bool = false
    ) {
        self.uuid = uuid
        self.displayName = displayName
        self.alternativeDisplayName = alternativeDisplayName ?? displayName
        self.model = model
        self.dependsOnConfiguration = dependsOnConfiguration
        self.configurationVersion = configurationVersion
        self.entries = entries
        self.serialNumber = serialNumber
        self.hasOwnHost = hasOwnHost
    }

    /// Whether the terminal needs a configuration, and has none: payments are refused.
    public var isUnconfigured: Bool { dependsOnConfiguration && configurationVersion == nil }

    /// Whether the terminal needs a configuration that it does not have. Versions are compared as text (1.6.171).
    public func needs(_ files: AcceptTerminalConfigFiles) -> Bool {
        dependsOnConfiguration && configurationVersion != files.version
    }
}

/// The charge of a terminal's battery.
public enum AcceptBatteryLevel: Sendable, Hashable {
    /// The charge in percent, 0 to 100.
    case percent(Int)
    /// The terminal is not known, or has no such value.
    case notAvailable
    /// The terminal does not answer: it is off, away or busy.
    case noAnswer
    /// The terminal is charged through a cable.
    case charging

    /// The number of the SDK: the percentage, or -1, -2, -3 in the order of the cases.
    public var number: Int {
        switch self {
        case .percent(let percent): min(max(percent, 0), 100)
        case .notAvailable: -1
        case .noAnswer: -2
        case .charging: -3
        }
    }
}

/// An event of a terminal during a payment.
public enum AcceptTerminalEvent: Sendable {
    /// An event of the payment flow. It names the effect that it answers, and has the card's data for the host alone, sealed,
    /// if it has a cryptogram or a swipe.
    case payment(PaymentEvent, answering: Int? = nil, sealed: HTTPBody = HTTPBody())
    /// The applications of a chip, before the event `applicationsFound` and in its order.
    case applications([String])
    /// The card, before the event of its cryptogram or swipe: it may be excluded. Without it that event ends the payment if
    /// `paymentmethods.xml` excludes any card at the terminal. The name is that on the card, empty if it is not known.
    case card(PrimaryAccountNumber, name: String)
    /// A step that the payment flow does not have, such as ``AcceptStateUpdate/confirmAmount``.
    case state(AcceptStateUpdate)
    /// The reason of the next event of failure, such as ``AcceptPayErrorCode/lowBatteryLevel``.
    case reason(AcceptPayErrorCode)
    /// The reason for which the link was lost, before the event `linkLost`.
    case linkLost(LinkError)
}

extension AcceptTerminalEvent: RedactedDescription {
    /// The kind of the event, and no card data.
    public var description: String {
        switch self {
        case .payment(let event, _, _): "event \(event.rawValue)"
        case .applications(let names): "\(names.count) applications"
        case .card(let number, _): "card \(number.masked)"
        case .state(let state): "state \(state)"
        case .reason(let code): "reason \(code)"
        case .linkLost(let error): "link lost, \(error)"
        }
    }
}

/// A terminal that is opened for one payment.
public protocol AcceptTerminalSession: Sendable {
    /// Carries out an effect of the payment flow. Returns at once; its answers are events.
    /// - Parameters:
    ///   - effect: the effect. Effects come one after the other; the last one is `end`, before ``close()``, unless the
    ///     payment service was shut down.
    ///   - forCard: the issuer's data if the effect completes the card; empty otherwise.
    func carryOut(_ effect: PaymentEffect, forCard: HTTPBody)

    /// Takes the chosen application of the list that the terminal reported. The effect that goes on with it follows.
    func choose(application index: Int)

    /// Ends the payment at the terminal, which returns to its idle state. It is called once, last.
    func close()
}

extension AcceptTerminalSession {
    /// Does nothing: for terminals that have their own display for applications.
    public func choose(application index: Int) {}
}

/// The terminals of a program, which opens their links.
public protocol AcceptTerminals: Sendable {
    /// The vendors whose terminals the program can open.
    func vendors() async -> [AcceptTerminalVendor]

    /// Finds the terminals of a vendor.
    /// - Throws: ``AcceptError``, such as `common(.vendorNotFound)`.
    func terminals(of vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal]

    /// Asks for the charge of a vendor's terminal. It is not called during a payment.
    func batteryLevel(of vendorUUID: String) async -> AcceptBatteryLevel

    /// Asks whether a vendor's terminal is connected. It is not called during a payment.
    func connectionStatus(of vendorUUID: String) async -> AcceptExtensionConnectionStatus

    /// Opens a terminal for a payment.
    /// - Parameters:
    ///   - terminal: the terminal, one that was found.
    ///   - vendorUUID: its vendor.
    ///   - amount: the amount, which the terminal shows.
    ///   - attempt: the identifier of the payment, for terminals that need it.
    ///   - events: receives the events of the terminal, in their order, until ``AcceptTerminalSession/close()``.
    /// - Returns: the terminal, ready for the first effect of the payment flow.
    /// - Throws: ``AcceptError``, such as `pay(.terminalNotReady)`, `pay(.lowBatteryLevel)`,
    ///   `pay(.hardwareAccessPermission)`.
    func open(
        _ terminal: AcceptTerminal, of vendorUUID: String, amount: Amount, as attempt: AttemptIdentifier,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> any AcceptTerminalSession
}
