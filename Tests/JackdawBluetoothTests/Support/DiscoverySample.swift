@testable import JackdawBluetooth

/// What another implementation (Bumble 0.0.236, `bumble.sdp`) writes: a question for a vendor's service, and an answer
/// with two records, `Sim Reader` at channel 1 and `Vendor` at channel 5.
enum DiscoverySample {
    static let vendor = BluetoothUUID(value: 0xffca_cade_afde_cade_defa_cade_0000_0000)

    static let request = [UInt8](
        hex: """
            06 0001 002a 35111cffcacadeafdecadedefacade00000000 ffff
            3512 090000 090001 090004 090005 090009 090100 00
            """)

    static let lists = [UInt8](
        hex: """
            3581 3538 090000 0a00010001 090001 3503191101 090004 350c 3503190100 3505190003 0801
            090005 3503191002 090100 250a 53696d20526561646572
            3545 090000 0a00010002 090001 3514 1cffcacadeafdecadedefacade00000000 191101
            090004 350c 3503190100 3505190003 0805 090005 3503191002 090100 2506 56656e646f72
            """)

    static let response = [UInt8](hex: "07 0001 0086 0083") + lists + [0]
}
