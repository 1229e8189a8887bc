import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// The devices that a search has found and the program has not taken yet.
struct LatestDevicesTests {
    private func device(_ name: String, _ strength: Int) -> FoundDevice {
        FoundDevice(link: LinkName(.ble, name), signalStrength: strength)
    }

    @Test func ofEachDeviceTheLatestWaitsInTheOrderInWhichTheyCame() async throws {
        let devices = LatestDevices()
        for strength in -90 ..< -50 {
            devices.put(device("one", strength))
            devices.put(device("two", strength - 1))
        }
        devices.finish(.success(()))
        #expect(try await devices.next() == device("one", -51))
        #expect(try await devices.next() == device("two", -52))
        #expect(try await devices.next() == nil)
        #expect(try await devices.next() == nil)
    }

    @Test func ofMoreThanFitTheOldestAreLeftOut() async throws {
        let devices = LatestDevices()
        for number in 0...LatestDevices.most { devices.put(device("\(number)", -50)) }
        #expect(try await devices.next() == device("1", -50))
    }

    @Test func aWaitingTaskReceivesEachUpdate() async throws {
        let devices = LatestDevices()
        for strength in -90 ..< -50 {
            async let next = devices.next()
            devices.put(device("one", strength))
            #expect(try await next == device("one", strength))
        }
    }

    @Test func theReasonOfTheEndFollowsTheDevicesOnce() async throws {
        let devices = LatestDevices()
        devices.put(device("one", -50))
        devices.finish(.failure(LinkError(.adapterOff, link: "hci0")))
        #expect(try await devices.next() == device("one", -50))
        let error = await #expect(throws: LinkError.self) { _ = try await devices.next() }
        #expect(error?.code == .adapterOff)
        #expect(try await devices.next() == nil)
    }

    @Test func aCancelledTaskWaitsNoLonger() async throws {
        let devices = LatestDevices()
        let task = Task { try await devices.next() }
        task.cancel()
        #expect(try await task.value == nil)
    }
}
