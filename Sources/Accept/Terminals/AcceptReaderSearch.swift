public import JackdawTransport

extension AcceptReaderTerminals {
    /// A search for the readers of a vendor that are near, such as those that are paired with this computer.
    public struct Search: Sendable {
        /// The vendor, under which its readers are found.
        public var vendor: AcceptTerminalVendor
        /// Finds the readers. It is called at each discovery, which the beginning of a payment is, too.
        public var find: @Sendable () async throws(LinkError) -> [Reader]

        /// A search.
        /// - Parameters:
        ///   - vendor: the vendor, which replaces that of the readers.
        ///   - find: finds the readers, within 5 s for all searches of a vendor together. A reader that is found again has the
        ///     identifier that it had.
        public init(vendor: AcceptTerminalVendor, find: @escaping @Sendable () async throws(LinkError) -> [Reader]) {
            self.vendor = vendor
            self.find = find
        }
    }

    /// The time for all searches of a vendor together. It is our choice.
    static let searchLimit = Duration.seconds(5)

    /// Searches for the readers of a vendor.
    /// - Throws: if no reader was found, the error of the last search that failed; `timedOut` if they do not end within
    ///   ``searchLimit``.
    func search(for vendorUUID: String) async throws(LinkError) -> [Reader] {
        let wanted = searches.filter { $0.vendor.uuid == vendorUUID }
        guard !wanted.isEmpty else { return [] }
        let result = await within(Self.searchLimit) { () async -> Result<[Reader], LinkError> in
            var found: [Reader] = []
            var failure: LinkError?
            for search in wanted {
                do throws(LinkError) {
                    for var reader in try await search.find() {
                        reader.vendor = search.vendor
                        found.append(reader)
                    }
                } catch { failure = error }
            }
            if found.isEmpty, let failure { return .failure(failure) }
            return .success(found)
        }
        guard let result else {
            throw LinkError(.timedOut, link: vendorUUID, "the search for readers did not end")
        }
        return try result.get()
    }
}

extension AcceptReaderTerminals.Model {
    /// Whether the reader is in the jack of a sound card: UniMag. The others are at links that carry bytes.
    package var isInJack: Bool { self == .uniMag }

    /// Parts of the names under which such readers appear over Bluetooth, in any case. Those of Miura are from the vendor's
    /// sample program for Android (2017). Those of Spire are not published: ours are the names that the guide shows to a
    /// person. Those of BBPOS are not published either, and none is known.
    public var bluetoothNames: [String] {
        switch self {
        case .posMate: ["PosMate", "SPm2"]
        case .miura: ["Miura"]
        case .emvSwiper, .uniMag: []
        }
    }

    /// Whether a device may be such a reader: a paired device with its name (`rfcomm:`), or any sound card (`alsa:`) for a
    /// reader in a jack, because a jack does not show what is in it.
    /// - Parameters:
    ///   - device: a device that was found.
    ///   - names: parts of the reader's name over Bluetooth. Default: nil, ``bluetoothNames``.
    /// - Returns: whether it may be one; the device has not been asked.
    public func isLikely(_ device: FoundDevice, names: [String]? = nil) -> Bool {
        guard !isInJack else { return device.link.scheme == .alsa }
        guard device.link.scheme == .rfcomm, device.isPaired, let name = device.name?.lowercased() else { return false }
        // An SPm20 has another protocol than an SPm2.
        guard self != .posMate || !name.contains("spm20") else { return false }
        return (names ?? bluetoothNames).contains { name.contains($0.lowercased()) }
    }
}
