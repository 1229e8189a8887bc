public import JackdawBluetooth
public import JackdawReaders

extension GATTProfile {
    /// How a reader is reached over Bluetooth Low Energy, by its profile.
    /// - Parameter profile: of the reader's family, with `ProfileKey.lowEnergyService` and the others.
    /// - Throws: `ReaderError`: `missingValue` where one is not there, `badProfile` where one is no UUID.
    public init(_ profile: ReaderProfile) throws(ReaderError) {
        self.init(
            name: profile.name, service: try profile.uuid(.lowEnergyService),
            write: try profile.uuid(.lowEnergyWrite), notify: try profile.uuid(.lowEnergyNotify))
    }
}

extension ReaderProfile {
    fileprivate func uuid(_ key: ProfileKey) throws(ReaderError) -> String {
        let text = try text(key)
        guard let uuid = BluetoothUUID(text) else {
            throw ReaderError(
                .badProfile, "values.\(key) of the profile \"\(name)\" is no UUID", remedy: "give it 36 characters")
        }
        return uuid.description
    }
}
