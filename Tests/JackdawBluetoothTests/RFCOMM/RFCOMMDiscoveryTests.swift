import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Connecting to a service whose channel the device has to report.
@Suite struct RFCOMMDiscoveryTests {
    private let loop: EventLoop
    private let calls = ScriptedSocketCalls.bluetooth()
    private let clock = ManualClock()
    private let kept = Lock<[ChannelCache.Service: UInt8]>([:])
    private let connector: RFCOMMConnector
    private let address: RFCOMMAddress

    init() throws {
        loop = try EventLoop()
        connector = RFCOMMConnector(
            loop: loop, calls: calls, channels: ChannelCache { [kept] channels in kept.withLock { $0 = channels } },
            clock: clock)
        address = RFCOMMAddress(device: calls.device)
    }

    /// Answers each question for services at an end of its own.
    private func device(_ records: [ServiceRecord]) {
        let loop = loop
        calls.onSocket { kind, pair in
            guard kind == .l2cap else { return }
            let end = dup(pair.far.descriptor)
            Task {
                let link = try SocketLink.make(end, loop, SystemSocketCalls(), .packets(size: 672))
                try await DiscoveryDevice(records: records).serve(link)
            }
        }
    }

    private var asked: SocketAddress { .l2cap(calls.device, service: 1) }

    @Test func theChannelIsAskedForOnce() async throws {
        device([DiscoveryDevice.record(.serialPort, channel: 12)])
        for _ in 0..<2 {
            let link = try await connector.connect(to: address)
            #expect(link.link.description == "\(address.link)/12")
        }
        let opened = SocketAddress.rfcomm(calls.device, channel: 12)
        #expect(calls.addresses == [asked, opened, opened])
        let key = ChannelCache.Service(device: calls.device, service: .serialPort, name: nil)
        #expect(kept.withLock { $0 } == [key: 12])
    }

    @Test func aChannelThatMovedIsDiscoveredAgain() async throws {
        device([DiscoveryDevice.record(.serialPort, channel: 12)])
        _ = try await connector.connect(to: address)
        device([DiscoveryDevice.record(.serialPort, channel: 13)])
        calls.fail(.connect, ECONNREFUSED)
        let link = try await connector.connect(to: address)
        #expect(link.link.description == "\(address.link)/13")
        #expect(
            calls.addresses.suffix(3) == [
                .rfcomm(calls.device, channel: 12), asked, .rfcomm(calls.device, channel: 13),
            ])
    }

    @Test func aDeviceOutOfRangeKeepsItsChannel() async throws {
        device([DiscoveryDevice.record(.serialPort, channel: 12)])
        _ = try await connector.connect(to: address)
        calls.fail(.connect, EHOSTDOWN)
        #expect(await linkError { _ = try await connector.connect(to: address) }?.code == .outOfRange)
        #expect(calls.addresses.last == .rfcomm(calls.device, channel: 12))
        #expect(kept.withLock { $0.count } == 1)
    }

    @Test func eachServiceHasItsChannel() async throws {
        device([
            DiscoveryDevice.record(.serialPort, channel: 1, name: "first"),
            DiscoveryDevice.record(.serialPort, channel: 2, name: "second"),
            DiscoveryDevice.record(DiscoverySample.vendor, channel: 3),
        ])
        let vendor = try await connector.connect(to: address, service: DiscoverySample.vendor)
        #expect(vendor.link.description == "\(address.link)/3")
        let named = try await connector.connect(to: address, named: "second")
        #expect(named.link.description == "\(address.link)/2")
    }

    /// What was asked for by one name is no answer to another.
    @Test func eachNameHasItsChannel() async throws {
        device([
            DiscoveryDevice.record(.serialPort, channel: 1, name: "first"),
            DiscoveryDevice.record(.serialPort, channel: 2, name: "second"),
        ])
        for (name, channel) in [("first", 1), ("second", 2), (nil, 1), ("second", 2)] {
            let link = try await connector.connect(to: address, named: name)
            #expect(link.link.description == "\(address.link)/\(channel)")
        }
        // The last one was known.
        #expect(calls.addresses.count { $0 == asked } == 3)
    }

    @Test func anUnknownServiceNameListsTheServices() async throws {
        device([
            DiscoveryDevice.record(.serialPort, channel: 1, name: "first"),
            DiscoveryDevice.record(.serialPort, channel: 2, name: "second"),
        ])
        _ = try await connector.connect(to: address)
        let error = await linkError { _ = try await connector.connect(to: address, named: "third") }
        #expect(error?.code == .serviceMissing)
        #expect(error?.message.contains("third") == true)
        #expect(error?.remedy?.contains("first, second") == true)
        // No other service was connected.
        #expect(calls.addresses.suffix(1) == [asked])
    }

    @Test func aDeviceWithoutTheService() async {
        device([])
        let error = await linkError { _ = try await connector.connect(to: address) }
        #expect(error?.code == .serviceMissing)
        #expect(error?.remedy?.contains("\(address.link)/1") == true)
        #expect(calls.openCount == 0)
    }

    @Test func aDeviceThatEndsInsteadOfAnswering() async {
        calls.onSocket { _, pair in pair.far.end() }
        #expect(await linkError { _ = try await connector.connect(to: address) }?.code == .disconnected)
        while calls.openCount > 0 { await Task.yield() }
    }

    @Test func aDeviceThatAnswersNonsense() async {
        calls.onSocket { _, pair in pair.far.send([1, 2, 3]) }
        let error = await linkError { _ = try await connector.connect(to: address) }
        #expect(error?.code == .badAnswer)
        #expect(error?.underlying != nil)
    }

    @Test func aDeviceThatDoesNotAnswerInTime() async {
        let task = Task { [connector, address] in try await connector.connect(to: address, within: .seconds(5)) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await linkError { _ = try await task.value }?.code == .timedOut)
        while calls.openCount > 0 { await Task.yield() }
    }
}
