import JackdawBluetooth
import JackdawLinux
import JackdawReaders
import JackdawSystem
import JackdawTransport

/// The Bluetooth and the links of the system that the command runs on; tests have one of their own.
struct BluetoothSystem: Sendable {
    /// Looks for devices so long.
    var devices: @Sendable (Duration) -> AsyncThrowingStream<FoundDevice, any Error>
    /// The radios of this computer.
    var adapters: @Sendable () async throws(LinkError) -> [BluetoothAdapter]
    /// Pairs a device.
    var pair: @Sendable (BluetoothAddress, BluetoothRadio, any PairingAgent) async throws(LinkError) -> Void
    /// Forgets a device.
    var forget: @Sendable (BluetoothAddress) async throws(LinkError) -> Void
    /// Opens a link of bytes.
    var connect: @Sendable (LinkName, GATTProfile?, SerialRoute) async throws(LinkError) -> any Transport
    /// Opens a link of which a transcript is kept, masked as it is said here.
    var record:
        @Sendable (LinkName, GATTProfile?, SerialRoute, TranscriptSecrecy) async throws(LinkError) -> any Transport
    /// Keeps open what is opened by this, and tries again after these failures.
    var keep:
        @Sendable (KeptLink.Persistence, @escaping @Sendable () async throws(LinkError) -> any Transport) -> KeptLink =
            {
                persistence, connect in KeptLink(persistence, connect: connect)
            }
    /// Offers a serial port at a channel, and calls with each link that another machine opens, until it is cancelled; calls, too,
    /// if the system is short of what a link needs.
    var serve:
        @Sendable (
            UInt8, String, @escaping @Sendable (SystemFailure) async -> Void,
            @escaping @Sendable (any Transport) async -> Void
        ) async throws(LinkError) -> Void
    /// Measures the times of readers, real and simulated.
    var clock: any Clock<Duration> = SuspendingClock()
    /// The time of day.
    var wallClock = WallClock()
    /// Whether the user wants the command to end.
    var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }

    /// What transcripts keep.
    private(set) var secrecy = TranscriptSecrecy.usual

    private let linux: LinuxDevices

    /// The same with readers that are simulated in this process and encrypt their swipes.
    func encrypting(with cipher: any SwipeCipher) -> BluetoothSystem {
        var system = self
        system.connect = { [linux] link, profile, route throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, cipher: cipher)
        }
        system.record = { [linux] link, profile, route, secrecy throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, secrecy: secrecy, cipher: cipher)
        }
        return system
    }

    /// The same with transcripts that keep what a mask of a family of readers lets through.
    func recording(_ mask: ReaderMask) -> BluetoothSystem {
        var system = self
        system.secrecy = .masked(mask)
        system.connect = { [record] link, profile, route throws(LinkError) in
            try await link.scheme == .record
                ? record(link, profile, route, .masked(mask)) : connect(link, profile, route)
        }
        return system
    }

    /// This computer's.
    init() {
        let bluetooth = Bluetooth()
        let linux = LinuxDevices(bluetooth: bluetooth)
        self.linux = linux
        devices = { duration in bluetooth.scanner().devices(for: duration) }
        adapters = { () throws(LinkError) in try await bluetooth.adapters() }
        pair = { address, radio, agent throws(LinkError) in
            try await bluetooth.pair(address, radio: radio, agent: agent)
        }
        forget = { address throws(LinkError) in try await bluetooth.forget(address) }
        connect = { link, profile, route throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route)
        }
        record = { link, profile, route, secrecy throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, secrecy: secrecy)
        }
        serve = { channel, name, whenShort, serve throws(LinkError) in
            let service = try await bluetooth.offerSerial(name: name, channel: channel)
            do throws(LinkError) {
                while true { await serve(try await service.accept(whenShort: whenShort)) }
            } catch {
                await service.close()
                throw error
            }
        }
    }
}
