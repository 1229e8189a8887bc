import Glibc
import JackdawSystem
public import JackdawTransport

/// Finds out why a sound device could not be opened, and the command that helps.
public struct DeviceDiagnosis: Sendable {
    private let files: any SystemFiles
    private var sound: KernelSound { KernelSound(files: files) }

    /// A diagnosis for the system that this program runs on.
    public init() { self.init(files: LinuxFiles()) }

    init(files: any SystemFiles) { self.files = files }

    /// Diagnoses a failure to open a device of this system.
    /// - Parameters:
    ///   - device: its ALSA name, as the caller passed it: `hw:1,0`.
    ///   - direction: the direction for which it was opened.
    ///   - code: the number that the library returned, negative or positive.
    /// - Returns: an error with a remedy.
    package static func error(
        opening device: String, _ direction: PCMDirection, errno code: Int32
    ) -> LinkError {
        DeviceDiagnosis().error(opening: device, direction, errno: code)
    }

    /// Diagnoses a failure to open a device.
    /// - Parameters:
    ///   - device: its ALSA name, as the caller passed it: `hw:1,0`.
    ///   - direction: the direction for which it was opened.
    ///   - code: the number that the library returned, negative or positive.
    /// - Returns: an error with a remedy.
    package func error(opening device: String, _ direction: PCMDirection, errno code: Int32) -> LinkError {
        let failure = Failure(device, direction, SystemFailure(code: code.magnitude <= 4095 ? abs(code) : EIO))
        switch failure.cause.code {
        case EBUSY, EAGAIN: return busy(failure)
        case EACCES, EPERM: return notPermitted(failure)
        case ENOENT, ENODEV, ENXIO: return notFound(failure)
        case EINVAL, ENOSYS, ENOTTY, EOPNOTSUPP:
            return failure.error(
                .unsupported, "cannot be opened for \(direction.rawValue) with these settings",
                remedy: "list its capabilities: jackdaw devices")
        default:
            return failure.error(.system, "cannot be opened for \(direction.rawValue)", remedy: nil)
        }
    }

    /// The reason why this user cannot open a device that was found; nil if the user may open it, even if other
    /// programs are using it.
    /// - Parameter device: the device.
    /// - Returns: an error with a remedy.
    public func error(opening device: PCMDevice) -> LinkError? {
        switch device.access {
        case .allowed: nil
        case .denied: error(opening: device.link.address, device.direction, errno: EACCES)
        case .missing: error(opening: device.link.address, device.direction, errno: ENOENT)
        }
    }

    /// A failed attempt: the device, the direction, and the system's error.
    private struct Failure {
        let link: String
        let address: PCMAddress
        let direction: PCMDirection
        let cause: SystemFailure

        init(_ device: String, _ direction: PCMDirection, _ cause: SystemFailure) {
            link = "alsa:\(device)"
            address = PCMAddress(device)
            self.direction = direction
            self.cause = cause
        }

        /// The same attempt with another error.
        init(_ failure: Failure, _ cause: SystemFailure) {
            link = failure.link
            address = failure.address
            direction = failure.direction
            self.cause = cause
        }

        func error(_ code: LinkError.Code, _ message: String, remedy: String?) -> LinkError {
            LinkError(code, link: link, message, remedy: remedy, underlying: cause.message)
        }
    }

    // MARK: Busy

    private func busy(_ failure: Failure) -> LinkError {
        let holders = devices(of: failure).flatMap { sound.holders(of: $0).processes }
        guard let holder = holders.first else {
            return failure.error(
                .busy, "another program uses it", remedy: "find out which: sudo fuser -v /dev/snd/*")
        }
        return failure.error(.busy, "\(holder) uses it", remedy: remedy(for: holder))
    }

    private func remedy(for holder: DeviceHolder) -> String {
        switch holder.name {
        case "pipewire", "wireplumber", "pipewire-pulse", "pipewire-media-":
            return "share it by opening alsa:pipewire instead, or stop it: "
                + "systemctl --user stop pipewire.socket pipewire.service"
        case "pulseaudio":
            return "share it by opening alsa:pulse instead, or stop it: "
                + "systemctl --user stop pulseaudio.socket pulseaudio.service"
        default:
            let isOwn = holder.user == files.user.number || files.user.number == 0
            return "end it: \(isOwn ? "" : "sudo ")kill \(holder.process)"
        }
    }

    // MARK: Not permitted

    private func notPermitted(_ failure: Failure) -> LinkError {
        let closed = devices(of: failure).compactMap { closedFile(of: $0) }.first
        return failure.error(
            .notPermitted, "user \(files.user.name) may not open \(closed ?? "it")", remedy: joining("audio"))
    }

    /// For a card that this user may not open, the library reports that the card does not exist.
    private func closed(_ failure: Failure) -> LinkError {
        notPermitted(Failure(failure, SystemFailure(code: EACCES)))
    }

    /// The file that this user may not open: the device's own, or the file of its card's controls, which the library
    /// needs to find a card by its short name.
    private func closedFile(of device: KernelSound.Device) -> String? {
        [device.file, "/dev/snd/controlC\(device.card)"].first { files.mayOpen($0) == false }
    }

    /// How this user can join a group.
    private func joining(_ group: String) -> String {
        let user = files.user
        // A login session that is older than the membership does not have it.
        return isMember(user, of: group)
            ? "\(user.name) is in group \(group), but this login is older: log out and in again"
            : "sudo usermod -aG \(group) \(user.name), then log out and in again"
    }

    /// How this user can own an input device. Not by joining its group, whose members can also read the keyboard.
    private func owning(_ file: String) -> String {
        "sudo chown \(files.user.name) \(file), each time it is plugged in; group input could also read the keyboard"
    }

    /// Diagnoses a failure to open a device's file that is not a PCM: a card's controls, or an input device.
    func error(openingFile file: String, link: String, _ cause: SystemFailure) -> LinkError {
        // For a card that this user may not open, the library reports that the card does not exist.
        let cause = files.mayOpen(file) == false ? SystemFailure(code: EACCES) : cause
        return switch cause.code {
        case EACCES, EPERM:
            LinkError(
                .notPermitted, link: link, "user \(files.user.name) may not open \(file)",
                remedy: file.hasPrefix("/dev/input/") ? owning(file) : joining("audio"), underlying: cause.message)
        case ENOENT, ENODEV, ENXIO:
            LinkError(
                .notFound, link: link, "\(file) is missing", remedy: "list the devices: jackdaw devices",
                underlying: cause.message)
        default:
            LinkError(.system, link: link, "\(file) cannot be opened", underlying: cause.message)
        }
    }

    private func isMember(_ user: SystemUser, of group: String) -> Bool {
        guard let text = try? files.text(of: "/etc/group") else { return false }
        // "audio:x:29:pulse,jane"
        return text.split(separator: "\n").contains { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 4, fields[0] == group else { return false }
            return fields[3].split(separator: ",").contains { $0 == user.name }
        }
    }

    // MARK: Not found

    private func notFound(_ failure: Failure) -> LinkError {
        let cards = (try? sound.cards()) ?? []
        guard !cards.isEmpty else {
            return failure.error(
                .notFound, "this system has no sound card",
                remedy: "plug one in and read the kernel's log: sudo dmesg | grep -i -e snd -e audio")
        }
        let list = "list the devices: jackdaw devices"
        guard let name = failure.address.card else {
            let devices = devices(of: failure)
            let leadsToCard = ["default", "sysdefault"].contains(failure.address.plugin) && !devices.isEmpty
            if leadsToCard, devices.allSatisfy({ closedFile(of: $0) != nil }) { return closed(failure) }
            let isPlugin = failure.address.plugin == failure.link.dropFirst("alsa:".count)
            return failure.error(.notFound, isPlugin ? "ALSA has no such device name" : "no such device", remedy: list)
        }
        guard let card = cards.first(where: { $0.id == name || String($0.number) == name }) else {
            return failure.error(.notFound, "there is no sound card \(name)", remedy: list)
        }
        let onCard = sound.devices().filter { $0.card == card.number }
        let number = failure.address.device ?? 0
        if failure.address.isHardware, !onCard.contains(where: { $0.number == number }) {
            return failure.error(.notFound, "card \(card.id) has no device \(number)", remedy: list)
        }
        let fitting = onCard.filter { $0.direction == failure.direction }
        guard let device = fitting.first(where: { $0.number == number }) else {
            let verb = failure.direction == .capture ? "record" : "play"
            let others = fitting.map { "alsa:hw:CARD=\(card.id),DEV=\($0.number)" }.joined(separator: " or ")
            return failure.error(
                .notFound, "card \(card.id) cannot \(verb) at device \(number)",
                remedy: others.isEmpty ? "another card may: jackdaw devices" : "open \(others)")
        }
        if closedFile(of: device) != nil { return closed(failure) }
        guard files.mayOpen(device.file) != nil else {
            return failure.error(
                .notFound, "the kernel lists it, but \(device.file) is missing",
                remedy: "start the container with --device /dev/snd, or udev: sudo systemctl restart systemd-udevd")
        }
        return failure.error(.notFound, "ALSA cannot open it by that name", remedy: list)
    }

    /// The devices that a name may refer to; all devices of the direction if the name has no card or device.
    private func devices(of failure: Failure) -> [KernelSound.Device] {
        let cards = (try? sound.cards()) ?? []
        let number = failure.address.card.flatMap { name in
            cards.first { $0.id == name || String($0.number) == name }?.number
        }
        return sound.devices().filter { device in
            let wanted = failure.address.device ?? (failure.address.isHardware ? 0 : device.number)
            return device.direction == failure.direction && device.number == wanted
                && (failure.address.card == nil || device.card == number)
        }
    }
}

/// The kernel's list of its sound cards, below `/proc/asound`; also a user who may not open any card can read it.
struct KernelSound {
    /// A card with its number, the short name that links use, and its names for users.
    struct Card: Hashable {
        let number: Int
        let id: String
        let name: String
        let longName: String
    }

    /// A device of a card, in one direction.
    struct Device: Hashable {
        let card: Int
        let number: Int
        let direction: PCMDirection
        let id: String
        let name: String
        let subdevices: Int

        /// The file that a program opens for the device.
        var file: String { "/dev/snd/pcmC\(card)D\(number)\(direction.letter)" }
    }

    private static let root = "/proc/asound"
    let files: any SystemFiles

    /// The cards, in the order of their numbers.
    /// - Throws: `SystemFailure`: `ENOENT` if the kernel has no sound support.
    func cards() throws(SystemFailure) -> [Card] {
        var cards: [Card] = []
        // The format is " 0 [PCH            ]: HDA-Intel - HDA Intel PCH", and a line with the long name.
        let lines = try files.text(of: "\(Self.root)/cards").split(separator: "\n").map(String.init)
        for (place, line) in lines.enumerated() {
            guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]"),
                let number = Int(line[..<open].trimmed)
            else { continue }
            let id = line[line.index(after: open)..<close].trimmed
            let names = line[close...].drop { $0 == "]" || $0 == ":" || $0 == " " }
            let separator = names.firstRange(of: " - ")
            let name = separator.map { names[$0.upperBound...].trimmed } ?? names.trimmed
            let next = place + 1 < lines.count ? lines[place + 1].trimmed : ""
            cards.append(Card(number: number, id: id, name: name, longName: next.isEmpty ? name : next))
        }
        return cards
    }

    /// The devices of all cards, in the order of their numbers, capture first.
    func devices() -> [Device] {
        guard let text = try? files.text(of: "\(Self.root)/pcm") else { return [] }
        // "00-00: ALC269VC Analog : ALC269VC Analog : playback 1 : capture 1"; a name may contain colons.
        return text.split(separator: "\n").flatMap { line -> [Device] in
            let address = line.prefix { $0 != ":" }.split(separator: "-")
            guard address.count == 2, let card = Int(address[0]), let number = Int(address[1]) else { return [] }
            let fields = line.dropFirst(line.prefix { $0 != ":" }.count + 1).split(separator: ":").map(\.trimmed)
            return PCMDirection.allCases.compactMap { direction in
                let prefix = "\(direction.rawValue) "
                guard let field = fields.last(where: { $0.hasPrefix(prefix) }),
                    let subdevices = Int(field.dropFirst(prefix.count))
                else { return nil }
                let info = files.fields(of: "\(folder(card: card, device: number, direction))/info")
                let id = info["id"] ?? fields.first ?? ""
                let name = info["name"].flatMap { $0.isEmpty ? nil : $0 } ?? id
                return Device(
                    card: card, number: number, direction: direction, id: id, name: name, subdevices: subdevices)
            }
        }
    }

    /// The processes that hold the open subdevices of a device, in the order of the subdevices; each process once.
    func holders(of device: Device) -> (subdevicesInUse: Int, processes: [DeviceHolder]) {
        var count = 0
        var holders: [DeviceHolder] = []
        for index in 0..<device.subdevices {
            let folder = folder(card: device.card, device: device.number, device.direction)
            // The file has "closed" alone, or fields.
            let status = files.fields(of: "\(folder)/sub\(index)/status")
            guard status["state"] != nil else { continue }
            count += 1
            guard let thread = status["owner_pid"].flatMap({ Int32($0) }), thread > 0 else { continue }
            let holder = DeviceHolder(thread: thread, files)
            if !holders.contains(holder) { holders.append(holder) }
        }
        return (count, holders)
    }

    private func folder(card: Int, device: Int, _ direction: PCMDirection) -> String {
        "\(Self.root)/card\(card)/pcm\(device)\(direction.letter)"
    }
}
