internal import JackdawTransport

extension BlueZClient {
    /// The adapter to use, which is switched on.
    /// - Parameter name: its name, such as `hci0`; nil for the first that is on.
    /// - Returns: the path of its object.
    /// - Throws: `LinkError` with code `adapterOff`.
    func readyAdapter(_ name: String?) throws(LinkError) -> String {
        guard objects.isComplete else { throw LinkError(.serviceMissing, link: "bluetooth") }
        let adapters = objects.adapters.filter { name == nil || $0.path == "\(BlueZName.root)/\(name ?? "")" }
        guard let adapter = adapters.first(where: \.isPowered) else {
            let missing = adapters.first?.path.split(separator: "/").last.map(String.init)
            throw LinkError(.adapterOff, link: name ?? missing ?? "bluetooth")
        }
        return adapter.path
    }

    /// Looks for devices while something is done. The search is ended whatever comes of it.
    nonisolated func discovering<Value: Sendable>(
        _ filter: DiscoveryFilter, on adapter: String,
        _ body: @Sendable () async throws(LinkError) -> Value
    ) async throws(LinkError) -> Value {
        let link = adapter.split(separator: "/").last.map(String.init) ?? adapter
        do throws(BusError) {
            try await call(adapter, BlueZName.adapter, "SetDiscoveryFilter", [filter.options])
            try await call(adapter, BlueZName.adapter, "StartDiscovery")
        } catch {
            // A call that was not waited for may have started it.
            if [BusError.cancelled, .timedOut].contains(error) {
                await undo(adapter, BlueZName.adapter, "StopDiscovery")
            }
            throw LinkError(error, link: link, while: .searching)
        }
        let result: Result<Value, LinkError>
        do throws(LinkError) { result = .success(try await body()) } catch { result = .failure(error) }
        await undo(adapter, BlueZName.adapter, "StopDiscovery")
        return try result.get()
    }

    /// A device by its address, looked for where bluetoothd does not know it.
    nonisolated func device(
        _ address: BluetoothAddress, link: String, radio: BluetoothRadio, within limit: Duration
    ) async throws(LinkError) -> BlueZDevice {
        if let known = await objects.device(with: address) { return known }
        let adapter = try await readyAdapter(nil)
        let search: @Sendable () async throws(LinkError) -> BlueZDevice = { () throws(LinkError) in
            try await withDeadline(limit, of: self.clock, late: LinkError(.outOfRange, link: link)) {
                () throws(LinkError) in
                do throws(BusError) {
                    return try await self.wait { $0.device(with: address) }
                } catch {
                    throw LinkError(error, link: link, while: .searching)
                }
            }
        }
        do throws(LinkError) {
            return try await discovering(DiscoveryFilter(radio: radio), on: adapter, search)
        } catch {
            // Another search of this program finds it as well.
            guard error.code == .busy else { throw error }
            return try await search()
        }
    }
}
