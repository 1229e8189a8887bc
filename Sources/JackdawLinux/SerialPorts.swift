import JackdawBluetooth
import JackdawTransport

/// Opens RFCOMM links by one connector, so that they share its thread and what it knows of channels.
actor SerialPorts {
    private let make: @Sendable () throws(LinkError) -> RFCOMMConnector
    private var made: RFCOMMConnector?

    /// - Parameter make: makes the connector, when the first link is opened.
    init(_ make: @escaping @Sendable () throws(LinkError) -> RFCOMMConnector) { self.make = make }

    func connect(to address: RFCOMMAddress) async throws(LinkError) -> any Transport {
        try await connector().connect(to: address)
    }

    private func connector() throws(LinkError) -> RFCOMMConnector {
        if let made { return made }
        let connector = try make()
        made = connector
        return connector
    }
}
