import JackdawBluetooth
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Links by their names.
@Suite struct LinuxDevicesTests {
    private let made = Shared(0)

    /// Tries to open a link, and gives it up before anything goes over the air.
    private func code(_ devices: LinuxDevices, _ link: LinkName, _ route: SerialRoute = .kernel) async -> LinkError
        .Code?
    {
        await Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            do throws(LinkError) {
                _ = try await devices.connect(link, route: route)
                return nil
            } catch {
                return error.code
            }
        }.value
    }

    private func devices() -> LinuxDevices {
        LinuxDevices(bluetooth: Bluetooth()) { [made] () throws(LinkError) in
            made.with { $0 += 1 }
            return try RFCOMMConnector()
        }
    }

    /// A link that is opened again and again takes one thread, and remembers its channel.
    @Test func allLinksHaveOneConnector() async {
        let devices = devices()
        let copy = devices
        for _ in 0..<3 {
            #expect(await code(devices, LinkName(.rfcomm, "F0:F1:F2:F3:F4:F5/1")) != nil)
            #expect(await code(copy, LinkName(.rfcomm, "F0:F1:F2:F3:F4:F6/1")) != nil)
        }
        #expect(made.with { $0 } == 1)
    }

    /// A card that is not there has no levels, and no channels that are known.
    @Test func onlySoundCardsHaveAJack() async {
        let devices = devices()
        #expect(await devices.jackOutput(LinkName(.sim, "unimag")) == nil)
        #expect(await devices.jackOutput(LinkName(.alsa, "hw:NoSuchCard")) == JackOutput())
    }

    @Test func invalidAddressesAndRoutesAreRefused() async {
        let devices = devices()
        #expect(await code(devices, LinkName(.rfcomm, "F0:F1")) == .badName)
        #expect(await code(devices, LinkName(.ble, "F0:F1")) == .badName)
        #expect(await code(devices, LinkName(.ble, "F0:F1:F2:F3:F4:F5")) == .unsupported)
        #expect(await code(devices, LinkName(.alsa, "default")) == .unsupported)
        #expect(await code(devices, LinkName(.rfcomm, "F0:F1:F2:F3:F4:F5/1"), .bluetoothd) == .unsupported)
        #expect(made.with { $0 } == 0)
    }
}
