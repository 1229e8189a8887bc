internal import JackdawSystem
internal import JackdawTransport

extension BlueZClient {
    /// The adapter with this name, such as `hci0`; all adapters if the name is nil.
    /// - Throws: `LinkError` with code `serviceMissing` if the objects are not known.
    func adapters(_ name: String?) throws(LinkError) -> [BlueZAdapter] {
        guard objects.isComplete else { throw LinkError(.serviceMissing, link: "bluetooth") }
        return objects.adapters.filter { name == nil || $0.name == name }
    }

    /// The first adapter that is switched on.
    /// - Parameter name: the adapter's name, such as `hci0`; nil for any.
    /// - Returns: the path of its object.
    /// - Throws: `LinkError` with code `adapterOff` if no such adapter is switched on.
    func readyAdapter(_ name: String?) throws(LinkError) -> String {
        let adapters = try adapters(name)
        guard let adapter = adapters.first(where: \.isPowered) else {
            throw LinkError(.adapterOff, link: name ?? adapters.first?.name ?? "bluetooth")
        }
        return adapter.path
    }

    /// Runs discovery while the body runs. Discovery is always stopped afterwards.
    nonisolated func discovering<Value: Sendable>(
        _ filter: DiscoveryFilter, on adapter: String,
        _ body: @Sendable () async throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        let link = BlueZName.last(of: adapter)
        let connection: Bus
        do throws(BusError) {
            connection = try await startDiscovery(filter, on: adapter)
        } catch {
            throw LinkError(error, link: link, while: .searching)
        }
        let result: Result<Value, LinkError>
        do throws(LinkError) { result = .success(try await body()) } catch { result = .failure(error) }
        await undo(adapter, BlueZName.adapter, "StopDiscovery", over: connection)
        await connection.close()
        return try result.get()
    }

    /// bluetoothd has one filter for each connection. Each search has a connection of its own, so that it does not
    /// change the filter of another.
    private nonisolated func startDiscovery(
        _ filter: DiscoveryFilter, on adapter: String
    ) async throws(BusError) -> Bus {
        let connection = try await withDeadline(Self.usualLimit, of: clock, late: .timedOut) { () throws(BusError) in
            try await Bus.open(self.bus.address, on: self.bus.loop)
        }
        do throws(BusError) {
            try await call(adapter, BlueZName.adapter, "SetDiscoveryFilter", [filter.options], over: connection)
            try await call(adapter, BlueZName.adapter, "StartDiscovery", over: connection)
        } catch {
            if error.isUnanswered {
                await undo(adapter, BlueZName.adapter, "StopDiscovery", over: connection)
            }
            await connection.close()
            throw error
        }
        return connection
    }

    /// The device with this address; scans for it if bluetoothd does not know it.
    nonisolated func device(
        _ address: BluetoothAddress, link: String, radio: BluetoothRadio, within limit: Duration
    ) async throws(LinkError) -> BlueZDevice {
        if let known = await objects.device(with: address) { return known }
        let adapter = try await readyAdapter(nil)
        return try await discovering(DiscoveryFilter(radio: radio), on: adapter) { () throws(LinkError) in
            try await withDeadline(limit, of: self.clock, late: LinkError(.outOfRange, link: link)) {
                () throws(LinkError) in
                let found: Result<BlueZDevice, LinkError>
                do throws(BusError) {
                    found = try await self.wait { objects in
                        if let device = objects.device(with: address) { return .success(device) }
                        guard objects.isComplete else { return .failure(LinkError(.serviceMissing, link: link)) }
                        guard objects.adapter(adapter)?.isPowered == true else {
                            return .failure(LinkError(.adapterOff, link: link))
                        }
                        return nil
                    }
                } catch {
                    throw LinkError(error, link: link, while: .searching)
                }
                return try found.get()
            }
        }
    }
}

/// The devices that a search admits.
struct DiscoveryFilter: Sendable, Hashable {
    /// The radio to scan with.
    var radio = BluetoothRadio.any
    /// UUIDs of services, lower case; a device must advertise at least one of them. Empty admits any device.
    var services: [String] = []

    /// The argument of `SetDiscoveryFilter`.
    var options: BusValue {
        var options: [String: BusValue] = ["Transport": .string(radio.rawValue)]
        if !services.isEmpty { options["UUIDs"] = .strings(services) }
        return .options(options)
    }

    /// Whether the filter admits a device: bluetoothd also reports devices that other programs search for.
    func admits(_ device: BlueZDevice) -> Bool {
        services.isEmpty || !Set(services).isDisjoint(with: device.services)
    }
}
