import Testing

@testable import JackdawBluetooth

/// UUIDs in their three lengths.
@Suite struct BluetoothUUIDTests {
    @Test(arguments: [
        ("1101", "00001101-0000-1000-8000-00805f9b34fb"), ("0x1101", "00001101-0000-1000-8000-00805f9b34fb"),
        ("0x12345678", "12345678-0000-1000-8000-00805f9b34fb"), ("FFFFFFFF", "ffffffff-0000-1000-8000-00805f9b34fb"),
        ("00001101-0000-1000-8000-00805F9B34FB", "00001101-0000-1000-8000-00805f9b34fb"),
        ("ffcacadeafdecadedefacade00000000", "ffcacade-afde-cade-defa-cade00000000"),
        ("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"),
    ])
    func shortUUIDsAreWrittenInFull(text: String, full: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == full)
        #expect(BluetoothUUID(full) == uuid)
    }

    @Test(arguments: [
        "", "1", "110", "11011", "0x", "0x110", "+110", "-110", "110g", "1101-0000", "ffcacadeafdecadedefacade0000000",
        "ffcacadeafdecadedefacade000000000", "0xffcacadeafdecadedefacade00000000",
        "ffcacade-afde-cade-defacade-00000000", "ffcacade+afde-cade-defa-cade00000000", "１１０１",
        "-fcacade-afde-cade-defa-cade00000000", "ffcacade-afde-cade-defa-cade0000000-",
    ])
    func anythingElseIsNone(text: String) { #expect(BluetoothUUID(text) == nil) }

    @Test func bluetoothsOwnAreKnownByTheirShortForm() {
        #expect(BluetoothUUID(0x1101) == .serialPort)
        #expect(BluetoothUUID.serialPort.short == 0x1101)
        #expect(BluetoothUUID("ffcacade-afde-cade-defa-cade00000000")?.short == nil)
        #expect(BluetoothUUID("00001101-0000-1000-8000-00805f9b34fc")?.short == nil)
        #expect(BluetoothUUID(0x1101) < BluetoothUUID(0x1102))
    }
}
