package import JackdawSystem
public import JackdawTransport

/// A service of classic Bluetooth that this computer offers through bluetoothd, which tells others of it (SDP) and takes the
/// connections.
public final class SerialService: Sendable {
    private let profile: SerialProfile
    private let client: BlueZClient
    private let name: String

    init(_ profile: SerialProfile, _ client: BlueZClient, link: String) {
        self.profile = profile
        self.client = client
        name = link
    }

    /// Waits for another machine to connect. For one task at a time.
    /// - Returns: the link, which is named after the other machine.
    /// - Throws: `LinkError`: `serviceMissing` where bluetoothd has given the service up, `cancelled` where the task is, which
    ///   ends nothing.
    public func accept() async throws(LinkError) -> any Transport { try await accept { _ in } }

    /// The same, and reports that the system is short of descriptors or memory, for which a connection was given up.
    package func accept(
        whenShort: (SystemFailure) async -> Void
    ) async throws(LinkError) -> any Transport {
        while true {
            let connection = try await nextConnection()
            let address = await client.objects.device(connection.device)?.address
            let link = LinkName(.rfcomm, address?.description ?? "unknown")
            // One that has gone is passed over.
            guard let descriptor = connection.socket.take() else { continue }
            do throws(SystemFailure) {
                return try SocketConnector(loop: client.bus.loop).watch(descriptor, link: link)
            } catch {
                if error.isShortage { await whenShort(error) }
            }
        }
    }

    private func nextConnection() async throws(LinkError) -> SerialProfile.Connection {
        let connection: SerialProfile.Connection?
        do throws(BusError) {
            connection = try await profile.next()
        } catch {
            throw LinkError(.cancelled, link: name, "no longer waited for")
        }
        guard let connection else {
            throw LinkError(
                .serviceMissing, link: name, "bluetoothd offers the service no longer",
                remedy: "start it with sudo systemctl start bluetooth")
        }
        return connection
    }

    /// Offers it no longer. Links that were taken stay.
    public func close() async { await profile.unregister() }
}
