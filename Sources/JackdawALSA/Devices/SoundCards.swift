import Glibc
import JackdawSystem
public import JackdawTransport

/// The sound cards of a system with their devices, and the names that ALSA's configuration defines for them.
public struct SoundCards: Sendable {
    /// The cards, in the order of their numbers.
    public let cards: [SoundCard]
    /// The useful configured names: the default device and the sound servers.
    public let named: [NamedPCM]

    /// Finds the cards of this system, including those that this user may not open.
    /// - Parameter probing: whether free devices are opened for a moment to find their capabilities.
    /// - Throws: `LinkError` if the kernel's list cannot be read.
    public init(probing: Bool = true) throws(LinkError) {
        try self.init(probing: probing, files: LinuxFiles(), calls: LibraryDevices())
    }

    init(probing: Bool, files: some SystemFiles, calls: some DeviceCalls) throws(LinkError) {
        let sound = KernelSound(files: files)
        let found: [KernelSound.Card]
        do throws(SystemFailure) {
            found = try sound.cards()
        } catch {
            guard error.code == ENOENT else {
                throw LinkError(
                    error.code == EACCES || error.code == EPERM ? .notPermitted : .system, link: "/proc/asound",
                    "the list of sound cards cannot be read",
                    remedy: "check its permissions: ls -l /proc/asound", underlying: error.message)
            }
            found = []
        }
        let devices = sound.devices()
        cards = found.map { card in
            let own = devices.filter { $0.card == card.number }
            return SoundCard(
                number: card.number, id: card.id, name: card.name, longName: card.longName,
                devices: own.map { PCMDevice($0, of: card, sound, probing ? calls : nil) })
        }
        // Without a card, the names refer to nothing, except for sound servers outside this system.
        named = calls.hints().compactMap { hint in
            guard NamedPCM.useful.contains(hint.name), hint.name != "default" || !found.isEmpty else { return nil }
            return NamedPCM(
                link: LinkName(.alsa, hint.name), meaning: hint.meaning, directions: hint.directions)
        }
    }
}

extension SoundCards {
    /// Finds the device that a link opens, directly or with a conversion.
    /// - Parameters:
    ///   - link: `alsa:` and a name with a card; without a device it is the first one.
    ///   - direction: the direction of the sound.
    /// - Returns: the device; nil if the name has no card, or no card has the device.
    package func device(_ link: LinkName, _ direction: PCMDirection) -> PCMDevice? {
        let address = PCMAddress(link.address)
        return cards.first { $0.id == address.card || String($0.number) == address.card }?.devices.first {
            $0.number == address.device ?? 0 && $0.direction == direction
        }
    }
}

extension SoundCards {
    /// The devices that capture and play, as a reader on an audio jack needs: one for each number on a card, under the name of
    /// the card. Those that this user may not open are among them.
    package var duplexDevices: [FoundDevice] {
        cards.flatMap { card in
            card.devices.filter { device in
                device.direction == .capture
                    && card.devices.contains { $0.number == device.number && $0.direction == .playback }
            }.map { FoundDevice(link: $0.link, name: card.name) }
        }
    }
}

/// A sound card with its devices.
public struct SoundCard: Sendable, Hashable {
    /// The card's number, which may change from one start of the system to the next.
    public let number: Int
    /// The card's short name, which does not change.
    public let id: String
    /// A name for users: `HDA Intel PCH`.
    public let name: String
    /// A longer name for users, with the connection of the card.
    public let longName: String
    /// The devices of the card; one for each direction.
    public let devices: [PCMDevice]
}

/// A device of a sound card, in one direction.
public struct PCMDevice: Sendable, Hashable {
    /// Whether this user may open a device.
    public enum Access: String, Sendable, Hashable {
        /// This user may open it.
        case allowed
        /// This user may not open it.
        case denied
        /// The kernel has the device, but there is no file to open: in a container, for example.
        case missing
    }

    /// The link that opens the device: `alsa:hw:CARD=PCH,DEV=0`.
    public let link: LinkName
    /// The device's number on the card.
    public let number: Int
    /// The direction of the sound.
    public let direction: PCMDirection
    /// The driver's short name for the device.
    public let id: String
    /// A name for users: `ALC269VC Analog`.
    public let name: String
    /// Number of programs that can use it at the same time.
    public let subdevices: Int
    /// Number of programs that use it now.
    public let subdevicesInUse: Int
    /// The processes that use it, as far as they are known.
    public let holders: [DeviceHolder]
    /// Whether this user may open the device.
    public let access: Access
    /// The device's capabilities; nil if it could not be opened to find them.
    public let abilities: PCMAbilities?

    /// Whether no other program can open it now.
    public var isBusy: Bool { subdevicesInUse >= subdevices }

    init(
        _ device: KernelSound.Device, of card: KernelSound.Card, _ sound: KernelSound, _ calls: (any DeviceCalls)?
    ) {
        let address = "hw:CARD=\(card.id),DEV=\(device.number)"
        link = LinkName(.alsa, address)
        number = device.number
        direction = device.direction
        id = device.id
        name = device.name
        subdevices = device.subdevices
        (subdevicesInUse, holders) = sound.holders(of: device)
        access =
            switch sound.files.mayOpen(device.file) {
            case true: .allowed
            case false: .denied
            case nil: .missing
            }
        let isFree = access == .allowed && subdevicesInUse < subdevices
        abilities = isFree ? calls.flatMap { try? $0.abilities(of: address, device.direction) } : nil
    }
}

/// A name that ALSA's configuration defines for a device.
public struct NamedPCM: Sendable, Hashable {
    /// The link that opens the device: `alsa:default`.
    public let link: LinkName
    /// The configuration's description of the device.
    public let meaning: String
    /// The directions of sound that the device supports.
    public let directions: [PCMDirection]

    /// The useful names of the dozens in a configuration: all others refer to a card's device in another way, or to
    /// nothing.
    static let useful: Set<String> = ["default", "pipewire", "pulse"]
}

/// The capabilities of a PCM device, as its driver reports them while it is free.
public struct PCMAbilities: Sendable, Hashable {
    /// The lowest and the highest rate (Hz).
    public let rates: ClosedRange<Int>
    /// The usual rates that it supports, in ascending order (Hz).
    public let usualRates: [Int]
    /// The fewest and the most channels.
    public let channels: ClosedRange<Int>
    /// The sample formats by their ALSA names, the ones that this module uses: `S16_LE`.
    public let formats: [String]

    /// Usual sample rates of recordings (Hz).
    static let usualRates = [
        8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
    ]
}

/// The process that holds a device for exclusive use.
public struct DeviceHolder: Sendable, Hashable, CustomStringConvertible {
    /// The number of the process (PID).
    public let process: Int32
    /// The name of its command, cut by the kernel at 15 bytes; nil if it is unknown.
    public let name: String?
    /// The number of the user that it runs for; nil if it is unknown.
    let user: UInt32?

    /// Name and number: `arecord (process 1234)`.
    public var description: String { name.map { "\($0) (process \(process))" } ?? "process \(process)" }

    /// Finds the process of a thread: the kernel reports the thread that opened a device, and a sound server opens it
    /// in a thread whose number and name do not identify the server.
    init(thread: Int32, _ files: some SystemFiles) {
        let status = files.fields(of: "/proc/\(thread)/status")
        process = status["Tgid"].flatMap { Int32($0) } ?? thread
        name = files.line(of: "/proc/\(process)/comm")
        user = status["Uid"]?.split(whereSeparator: \.isWhitespace).first.flatMap { UInt32($0) }
    }
}
