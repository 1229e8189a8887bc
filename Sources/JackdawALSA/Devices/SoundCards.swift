import Glibc
import JackdawSystem
public import JackdawTransport

/// The sound cards of a system with their devices, and the names that lead to them by way of ALSA's configuration.
public struct SoundCards: Sendable {
    /// The cards, in the order of their numbers.
    public let cards: [SoundCard]
    /// The configured names that are of use: the default device and the sound servers.
    public let named: [NamedPCM]

    /// Finds the cards of this system. Also those are found that this user may not open.
    /// - Parameter probing: whether devices that are free are opened for a moment to learn what they can do.
    /// - Throws: `LinkError` where the kernel's list cannot be read.
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
                    remedy: "see who may read it: ls -l /proc/asound", underlying: error.message)
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
        // Without a card the names lead nowhere, but for sound servers that are elsewhere.
        named = calls.hints().compactMap { hint in
            guard NamedPCM.useful.contains(hint.name), hint.name != "default" || !found.isEmpty else { return nil }
            return NamedPCM(
                link: LinkName(.alsa, hint.name), meaning: hint.meaning, directions: hint.directions)
        }
    }
}

/// A sound card.
public struct SoundCard: Sendable, Hashable {
    /// Its number, which may change from one start of the system to the next.
    public let number: Int
    /// Its short name, which stays.
    public let id: String
    /// Its name.
    public let name: String
    /// Its name, and where it is plugged in.
    public let longName: String
    /// What sound goes through; one for each direction.
    public let devices: [PCMDevice]
}

/// A device of a sound card, one way.
public struct PCMDevice: Sendable, Hashable {
    /// Whether this user may open a device.
    public enum Access: String, Sendable, Hashable {
        /// This user may.
        case allowed
        /// This user may not.
        case denied
        /// The kernel has it, but there is no file to open: in a container, for example.
        case missing
    }

    /// The name that opens it: `alsa:hw:CARD=PCH,DEV=0`.
    public let link: LinkName
    /// Its number on the card.
    public let number: Int
    /// Which way sound goes.
    public let direction: PCMDirection
    /// The driver's short name for it.
    public let id: String
    /// Its name.
    public let name: String
    /// How many programs can have it at the same time.
    public let subdevices: Int
    /// How many have it now.
    public let subdevicesInUse: Int
    /// Who has it, as far as that is known.
    public let holders: [DeviceHolder]
    /// Whether this user may open it.
    public let access: Access
    /// What it can do; nil where it could not be opened to ask.
    public let abilities: PCMAbilities?

    /// Whether nobody else can have it now.
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

/// A name that leads to a device by way of ALSA's configuration.
public struct NamedPCM: Sendable, Hashable {
    /// The name that opens it: `alsa:default`.
    public let link: LinkName
    /// What it leads to, in words.
    public let meaning: String
    /// Which ways sound can go.
    public let directions: [PCMDirection]

    /// Of the dozens that a configuration has: all others lead to a card's device by a detour, or nowhere.
    static let useful: Set<String> = ["default", "pipewire", "pulse"]
}

/// What a PCM device can do, as its driver says while nobody has it.
public struct PCMAbilities: Sendable, Hashable {
    /// The lowest and the highest rate (Hz).
    public let rates: ClosedRange<Int>
    /// Those of the usual rates that it can, from low to high (Hz).
    public let usualRates: [Int]
    /// The fewest and the most channels.
    public let channels: ClosedRange<Int>
    /// The sample formats by their ALSA names, the ones that this module uses: `S16_LE`.
    public let formats: [String]

    /// Rates that recordings are made at (Hz).
    static let usualRates = [
        8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
    ]
}

/// The process that holds a device which only one can have.
public struct DeviceHolder: Sendable, Hashable, CustomStringConvertible {
    /// The number of the process.
    public let process: Int32
    /// The name of its command, cut at 15 bytes by the kernel; nil where it is not known.
    public let name: String?
    /// The number of the user it runs for; nil where it is not known.
    let user: UInt32?

    /// Name and number: `arecord (process 1234)`.
    public var description: String { name.map { "\($0) (process \(process))" } ?? "process \(process)" }

    /// The process that a thread belongs to: the kernel names the thread that opened a device, and a sound server does so in
    /// a thread whose number and name say little.
    init(thread: Int32, _ files: some SystemFiles) {
        let status = files.fields(of: "/proc/\(thread)/status")
        process = status["Tgid"].flatMap { Int32($0) } ?? thread
        name = files.line(of: "/proc/\(process)/comm")
        user = status["Uid"]?.split(whereSeparator: \.isWhitespace).first.flatMap { UInt32($0) }
    }
}
