extension ReaderProfile {
    /// What is known of eDynamo and tDynamo, beside what never changes: times alone.
    static let edynamo = ReaderProfile(
        family: "edynamo", "MagTek's eDynamo and tDynamo over Bluetooth Low Energy, as the programmer's manual has them"
    )
}
