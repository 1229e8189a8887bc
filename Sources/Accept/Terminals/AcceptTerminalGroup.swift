public import JackdawEMV
public import JackdawPayments

/// The terminals of several objects, under one another, such as readers over links and terminals with a host of their own.
public struct AcceptTerminalGroup: AcceptTerminals {
    private let members: [any AcceptTerminals]

    /// A group. If two members have a terminal of the same vendor and identifier, the first one counts.
    public init(_ members: [any AcceptTerminals]) { self.members = members }

    public func vendors() async -> [AcceptTerminalVendor] {
        var vendors: [AcceptTerminalVendor] = []
        for member in members { vendors += await member.vendors() }
        return vendors.distinct
    }

    public func terminals(of vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal] {
        var terminals: [AcceptTerminal] = []
        for member in members where await Self.has(vendorUUID, member) {
            for terminal in try await member.terminals(of: vendorUUID)
            where !terminals.contains(where: { $0.uuid == terminal.uuid }) {
                terminals.append(terminal)
            }
        }
        return terminals
    }

    /// The charge at the first member that has the vendor and reports one.
    public func batteryLevel(of vendorUUID: String) async -> AcceptBatteryLevel {
        for member in members where await Self.has(vendorUUID, member) {
            let level = await member.batteryLevel(of: vendorUUID)
            if level != .notAvailable { return level }
        }
        return .notAvailable
    }

    /// The state at the first member that has the vendor and knows it.
    public func connectionStatus(of vendorUUID: String) async -> AcceptExtensionConnectionStatus {
        for member in members where await Self.has(vendorUUID, member) {
            let status = await member.connectionStatus(of: vendorUUID)
            if status != .unknown { return status }
        }
        return .unknown
    }

    public func open(
        _ terminal: AcceptTerminal, of vendorUUID: String, amount: Amount, as attempt: AttemptIdentifier,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> any AcceptTerminalSession {
        try await member(with: terminal, of: vendorUUID).open(
            terminal, of: vendorUUID, amount: amount, as: attempt, events: events)
    }

    private static func has(_ vendorUUID: String, _ member: any AcceptTerminals) async -> Bool {
        await member.vendors().contains { $0.uuid == vendorUUID }
    }

    private func member(
        with terminal: AcceptTerminal, of vendorUUID: String
    ) async throws(AcceptError) -> any AcceptTerminals {
        for member in members where await Self.has(vendorUUID, member) {
            guard try await member.terminals(of: vendorUUID).contains(where: { $0.uuid == terminal.uuid }) else {
                continue
            }
            return member
        }
        throw AcceptError(.pay(.terminalNotReady), "The terminal is off, or away.")
    }
}
