import Glibc
internal import JackdawSystem
public import JackdawTransport

extension Bluetooth {
    /// Connects a service of a device of classic Bluetooth through bluetoothd, the way in where raw sockets are not allowed.
    /// - Parameters:
    ///   - address: of the device.
    ///   - service: the class of the service.
    /// - Returns: the link.
    /// - Throws: `LinkError`: `serviceMissing` if the device has no such service.
    public func serialPort(
        _ address: BluetoothAddress, service: BluetoothUUID = .serialPort
    ) async throws(LinkError) -> any Transport {
        let link = LinkName(.rfcomm, address.description)
        let socket = try await serialSocket(address, service: service.description)
        return try await client().link(over: socket, named: link)
    }

    /// Offers a service of classic Bluetooth that other machines find and connect to.
    /// - Parameters:
    ///   - service: its class.
    ///   - name: what others see it as.
    ///   - channel: its RFCOMM channel, 1 to 30; nil for one that is free.
    /// - Returns: the service, until it is given up.
    /// - Throws: `LinkError`: `busy` where something else offers it.
    public func offerSerial(
        _ service: BluetoothUUID = .serialPort, name: String, channel: UInt8? = nil
    ) async throws(LinkError) -> SerialService {
        let client = try await client()
        let link = "rfcomm:\(channel.map(String.init) ?? "any")"
        do throws(BusError) {
            let profile = try await SerialProfile.register(
                service.description, role: .server, name: name, channel: channel.map(UInt16.init), by: client)
            return SerialService(profile, client, link: link)
        } catch {
            throw LinkError(error, link: link, while: .connecting)
        }
    }

    /// Connects a service of a device of classic Bluetooth through bluetoothd.
    /// - Parameters:
    ///   - address: of the device.
    ///   - uuid: the class of the service.
    /// - Returns: the socket, a stream of bytes.
    /// - Throws: `LinkError`: `serviceMissing` if the device has no such service.
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
                result = try await profile.next().map { .success($0.socket) } ?? .failure(.disconnected)
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

extension BlueZClient {
    /// A link over a socket that bluetoothd has made.
    func link(over socket: BusDescriptor, named name: LinkName) throws(LinkError) -> any Transport {
        guard let descriptor = socket.take() else {
            throw LinkError(.disconnected, link: name.description, "the connection was given away")
        }
        return try SocketConnector(loop: bus.loop).adopt(descriptor, link: name)
    }
}
