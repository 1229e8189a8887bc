import Glibc
import JackdawALSA
import JackdawBluetooth
import JackdawCards
import JackdawLinux
import JackdawReaders
import JackdawSimulator
import JackdawSystem
import JackdawTransport
import SwipeController

#if PCSC
import JackdawPCSC
#endif

/// The computer that runs the command, as its verbs see it: clocks, the terminal, key files, sound devices, Bluetooth
/// and links. Tests replace parts of it.
struct CommandEnvironment: Sendable {
    /// Provides the time of day.
    var wallClock = WallClock()
    /// Measures the times of readers, real and simulated.
    var clock: any Clock<Duration> = SuspendingClock()
    /// The monotonic time, independent of the sound's.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Blocks the thread for the duration.
    var sleep: @Sendable (Duration) -> Void = { usleep(UInt32($0 / .microseconds(1))) }
    /// Whether standard input is a terminal, so that a user can answer.
    var isTerminal = isatty(STDIN_FILENO) == 1
    /// Waits for a line from the terminal; nil at the end of the input.
    var typedLine: @Sendable () -> String? = { readLine() }
    /// Whether the user has interrupted the command.
    var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }
    /// Reads a key from a file; the console shows a warning if other users can read it.
    var key: @Sendable (String, Console) throws(CommandError) -> SecretBytes = { path, console throws(CommandError) in
        try KeyFile.read(path, console)
    }

    /// Lists the sound cards.
    var cards: @Sendable () throws(LinkError) -> SoundCards = { () throws(LinkError) in try SoundCards() }
    /// Opens the jacks of a card, given its short name.
    var cardJacks: @Sendable (String) throws(LinkError) -> JackMonitor = { card throws(LinkError) in
        try JackMonitor(card: card)
    }
    #if PCSC
    /// Lists the readers for chip cards.
    var cardReaders: @Sendable () async throws(LinkError) -> [CardReader] = { () async throws(LinkError) in
        try await CardService().readers()
    }
    #endif
    /// Finds the reason why a device cannot be opened.
    var diagnosis = DeviceDiagnosis()
    /// Opens a port that captures sound; gives up once the closure returns false.
    var capture: @Sendable (LinkName, StreamConfiguration, @escaping () -> Bool) throws(LinkError) -> any AudioPort
    /// Opens the mixer of the port's card; nil if the card has none.
    var mixer: @Sendable (LinkName) throws(LinkError) -> Mixer?
    /// Opens the jacks of the port's card; nil if the card has no jack detection.
    var jacks: @Sendable (LinkName) throws(LinkError) -> JackMonitor?
    /// Opens the jack of a link for a swipe controller.
    var swipeEnvironment: @Sendable (LinkName, [ReaderProfile], SwipeMemory) throws(LinkError) -> LinuxSwipeEnvironment

    /// Scans for Bluetooth devices for the given duration.
    var devices: @Sendable (Duration) -> AsyncThrowingStream<FoundDevice, any Error>
    /// The Bluetooth adapters of this computer.
    var adapters: @Sendable () async throws(LinkError) -> [BluetoothAdapter]
    var pair: @Sendable (BluetoothAddress, BluetoothRadio, any PairingAgent) async throws(LinkError) -> Void
    /// Removes the pairing of a device.
    var forget: @Sendable (BluetoothAddress) async throws(LinkError) -> Void
    /// Opens a byte link.
    var connect: @Sendable (LinkName, GATTProfile?, SerialRoute) async throws(LinkError) -> any Transport
    /// Opens a link with a transcript that is masked as given.
    var record:
        @Sendable (LinkName, GATTProfile?, SerialRoute, TranscriptSecrecy) async throws(LinkError) -> any Transport
    /// Opens a sound card that has a reader in its headphone jack; a transcript is masked as given.
    var connectJack: @Sendable (LinkName, ReaderSound, TranscriptSecrecy) async throws(LinkError) -> any Transport = {
        link, sound, secrecy throws(LinkError) in
        try await LinuxDevices.connect(link, sound: sound, secrecy: secrecy)
    }
    /// Plays a simulated reader in sound on a sound card until the first closure returns false; calls the second one
    /// each time that the reader gets power or loses it. The third one makes the reader.
    var simulateJack:
        @Sendable (LinkName, ReaderSound, () -> Bool, (Bool) -> Void, () -> SimulatedReader) throws(LinkError) -> Void =
            { link, sound, goesOn, powerChanged, makeReader throws(LinkError) in
                try LinuxDevices.simulate(link, sound, while: goesOn, powerChanged, makeReader)
            }
    /// Keeps a link open by calling the closure again after the kinds of failures that are given.
    var keep:
        @Sendable (KeptLink.Persistence, @escaping @Sendable () async throws(LinkError) -> any Transport) -> KeptLink =
            {
                persistence, connect in KeptLink(persistence, connect: connect)
            }
    /// Offers a serial port at an RFCOMM channel, and calls the closure with each incoming link until the task is
    /// cancelled; also calls a closure if the system is short of a resource that a link needs.
    var serve:
        @Sendable (
            UInt8, String, @escaping @Sendable (SystemFailure) async -> Void,
            @escaping @Sendable (any Transport) async -> Void
        ) async throws(LinkError) -> Void

    /// How transcripts mask their content.
    private(set) var secrecy = TranscriptSecrecy.usual

    private let linux: LinuxDevices

    /// Ends the verb if the user has interrupted the command.
    /// - Throws: `CommandError` with status `interrupted`.
    func checkInterruption() throws(CommandError) {
        if isInterrupted() { throw .interrupted }
    }

    /// A copy whose simulated readers encrypt their swipes.
    func encrypting(with cipher: any SwipeCipher) -> CommandEnvironment {
        var environment = self
        environment.connect = { [linux] link, profile, route throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, cipher: cipher)
        }
        environment.record = { [linux] link, profile, route, secrecy throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, secrecy: secrecy, cipher: cipher)
        }
        return environment
    }

    /// A copy whose transcripts are masked by the mask of a reader family.
    func recording(_ mask: ReaderMask) -> CommandEnvironment {
        var environment = self
        environment.secrecy = .masked(mask)
        environment.connect = { [record, connect] link, profile, route throws(LinkError) in
            try await link.scheme == .record
                ? record(link, profile, route, .masked(mask)) : connect(link, profile, route)
        }
        return environment
    }

    init() {
        let bluetooth = Bluetooth()
        let linux = LinuxDevices(bluetooth: bluetooth)
        self.linux = linux
        capture = { link, configuration, isWanted throws(LinkError) in
            try linux.capture(link, configuration, while: isWanted)
        }
        mixer = { link throws(LinkError) in try linux.mixer(link) }
        jacks = { link throws(LinkError) in try linux.jacks(link) }
        swipeEnvironment = { link, profiles, memory throws(LinkError) in
            try linux.swipeEnvironment(link, profiles: profiles, memory: memory)
        }
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
