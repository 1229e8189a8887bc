import Glibc
public import JackdawTransport

extension Bluetooth {
    /// Connects a service of a device of classic Bluetooth through bluetoothd: the way in where raw sockets are not allowed.
    /// - Parameters:
    ///   - address: of the device.
    ///   - uuid: the class of the service, a UUID of 36 characters; a serial port where nobody says.
    /// - Returns: the link, a stream of bytes.
    /// - Throws: ``LinkError``: `refused` where the device has no such service.
    public func serialPort(
        _ address: BluetoothAddress, service uuid: String = "00001101-0000-1000-8000-00805f9b34fb"
    ) async throws(LinkError) -> any Transport {
        let socket = try await serialSocket(address, service: uuid)
        let link = LinkName(.rfcomm, address.description)
        let loop = try await client().bus.loop
        guard let descriptor = socket.take() else { throw LinkError(.disconnected, link: link.description) }
        // bluetoothd may leave it waiting.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return try SocketLink(descriptor, link: link, format: .rfcomm, loop: loop)
    }

    /// Connects a service of a device of classic Bluetooth through bluetoothd.
    /// - Parameters:
    ///   - address: of the device.
    ///   - uuid: the class of the service.
    /// - Returns: the socket, a stream of bytes.
    /// - Throws: ``LinkError``: `refused` where the device has no such service.
    func serialSocket(_ address: BluetoothAddress, service uuid: String) async throws(LinkError) -> BusDescriptor {
        let client = try await client()
        let link = LinkName(.rfcomm, address.description).description
        let device = try await client.device(address, link: link, radio: .classic, within: GATTDevice.searchLimit)
        do throws(BusError) {
            let profile = try await SerialProfile.register(uuid, role: .client, name: "Jackdaw", by: client)
            let result: Result<BusDescriptor, BusError>
            do throws(BusError) {
                try await client.call(
                    device.path, BlueZName.device, "ConnectProfile", [.string(uuid)],
                    within: GATTDevice.connectionLimit)
                // bluetoothd answers when the socket was taken, so it is here.
                var connections = profile.connections.makeAsyncIterator()
                let connection = await connections.next()
                result = connection.map { .success($0.socket) } ?? .failure(.cancelled)
            } catch {
                result = .failure(error)
            }
            await profile.unregister()
            return try result.get()
        } catch {
            throw LinkError(error, link: link, while: .connecting)
        }
    }
}
