internal import CLinux
import Glibc
import JackdawSystem

/// Reads the jacks of an input device from its switches.
final class SwitchJacks: JackSource {
    private let calls: any SwitchCalls
    private let jacks: [UInt16: Jack]
    /// Whether the kernel has dropped events: the rest of the same report is unreliable.
    private var isBehind = false
    let initialStates: [JackState]
    let descriptors: [PollDescriptor]

    /// The most reads at once, so that a device with endless events does not block the other devices.
    private static let longestRun = 16

    init(_ device: InputDevice, _ calls: any SwitchCalls) throws(SystemFailure) {
        self.calls = calls
        let found = device.jacks
        jacks = Dictionary(uniqueKeysWithValues: found)
        let on = try calls.switchesOn()
        initialStates = found.map { JackState(jack: $0.1, isPlugged: on.contains($0.0)) }
        descriptors = [PollDescriptor(number: calls.descriptor, awaited: .readable)]
    }

    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading] {
        let condition = answered.first?.answer ?? []
        guard !condition.isEnd else { throw SystemFailure(code: ENODEV) }
        guard condition.contains(.readable) else { return [] }
        var readings: [JackReading] = []
        for _ in 0..<Self.longestRun {
            do throws(SystemFailure) {
                let events = try calls.events()
                guard !events.isEmpty else { throw SystemFailure(code: ENODEV) }
                for event in events { readings += try reading(of: event) }
            } catch {
                // No more events, or a signal: the remaining events are still there at the next call.
                guard error.code == EAGAIN || error.code == EINTR else { throw error }
                break
            }
        }
        return readings
    }

    private func reading(of event: InputEvent) throws(SystemFailure) -> [JackReading] {
        switch (Int32(event.type), Int32(event.code)) {
        case (EV_SYN, SYN_DROPPED):
            isBehind = true
        case (EV_SYN, SYN_REPORT) where isBehind:
            let on = try calls.switchesOn()
            isBehind = false
            return jacks.sorted { $0.key < $1.key }.map { .state($0.value, isPlugged: on.contains($0.key)) }
        case (EV_SW, _) where !isBehind:
            if let jack = jacks[event.code] { return [.state(jack, isPlugged: event.value != 0)] }
        default: break
        }
        return []
    }
}

/// The system calls that read the switches of an input device; tests script them.
protocol SwitchCalls: AnyObject {
    /// The open descriptor of the device.
    var descriptor: Int32 { get }
    /// The switches that are on, by their numbers. The request is `EVIOCGSW`.
    func switchesOn() throws(SystemFailure) -> Set<UInt16>
    /// The next events, without waiting; empty at the end of the file. The corresponding C function is `read`.
    /// - Throws: `SystemFailure` with `EAGAIN` if there are no events.
    func events() throws(SystemFailure) -> [InputEvent]
}

/// An event of an input device (`struct input_event` of the kernel, without its time).
struct InputEvent: Hashable {
    let type: UInt16
    let code: UInt16
    let value: Int32
}

/// An input device with switches that jacks drive, from the kernel's public list.
struct InputDevice: Hashable {
    /// The device's name: the card's, followed by the jack's if the driver has one device per jack.
    let name: String
    /// The number of the device's card; nil if the device's path in sysfs has no card.
    let card: Int?
    /// The file that a program opens for the device.
    let file: String
    /// The switches that jacks drive, by their numbers.
    let switches: [UInt16]

    private static let kinds: [(code: Int32, kind: Jack.Kind, name: String)] = [
        (SW_HEADPHONE_INSERT, .headphone, "headphone"), (SW_MICROPHONE_INSERT, .microphone, "microphone"),
        (SW_LINEOUT_INSERT, .line, "line out"), (SW_LINEIN_INSERT, .line, "line in"),
    ]

    /// The jacks with the numbers of their switches.
    var jacks: [(UInt16, Jack)] {
        Self.kinds.compactMap { entry in
            let code = UInt16(entry.code)
            guard switches.contains(code) else { return nil }
            let name = switches.count == 1 ? self.name : "\(self.name) (\(entry.name))"
            return (code, Jack(name: name, kind: entry.kind, origin: .inputSwitch(code, file: file)))
        }
    }

    /// The system's devices with jacks, in the order of the kernel's list.
    static func all(_ files: some SystemFiles) -> [InputDevice] {
        guard let text = try? files.text(of: "/proc/bus/input/devices") else { return [] }
        var devices: [InputDevice] = []
        var block = Block()
        // Each device is a block of lines such as "H: Handlers=event12 ", followed by an empty line.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                if let device = block.device { devices.append(device) }
                block = Block()
            } else {
                block.receive(line)
            }
        }
        if let device = block.device { devices.append(device) }
        return devices
    }

    /// The devices that sense the jacks of a card. If no device belongs to the card, the devices of unknown cards
    /// count.
    /// - Parameters:
    ///   - card: the card.
    ///   - cards: all cards, whose names identify devices of other cards.
    ///   - files: provides the kernel's list of devices.
    /// - Returns: an empty array if there is no such device.
    static func ofCard(
        _ card: KernelSound.Card, among cards: [KernelSound.Card], _ files: some SystemFiles
    ) -> [InputDevice] {
        let devices = all(files)
        let owners = devices.map { device in
            device.card
                // The longest matching name counts: one card's name may begin with another's.
                ?? cards.filter { !$0.name.isEmpty && device.name.hasPrefix($0.name) }
                .max { $0.name.count < $1.name.count }?.number
        }
        let own = devices.indices.filter { owners[$0] == card.number }
        let chosen = own.isEmpty ? devices.indices.filter { owners[$0] == nil } : own
        return chosen.map { devices[$0] }
    }

    /// The lines of one device.
    private struct Block {
        private var name = ""
        private var card: Int?
        private var event: Substring?
        private var switches: [UInt16] = []

        var device: InputDevice? {
            guard let event, !switches.isEmpty else { return nil }
            return InputDevice(name: name, card: card, file: "/dev/input/\(event)", switches: switches)
        }

        mutating func receive(_ line: Substring) {
            guard let (key, value) = line.split(around: "=") else { return }
            switch key {
            case "N: Name": name = String(value.drop { $0 == "\"" }.prefix { $0 != "\"" })
            case "S: Sysfs":
                // ".../sound/card0/input12"
                let folders = value.split(separator: "/")
                let place = folders.firstIndex(of: "sound").map { $0 + 1 }
                let folder = place.flatMap { $0 < folders.count ? folders[$0] : nil }
                card = folder.flatMap { $0.hasPrefix("card") ? Int($0.dropFirst(4)) : nil }
            case "H: Handlers": event = value.split(separator: " ").first { $0.hasPrefix("event") }
            case "B: SW":
                // Words in hexadecimal, the lowest last; the switches of jacks are below 32.
                let word = value.split(separator: " ").last.flatMap { UInt64($0, radix: 16) } ?? 0
                switches = InputDevice.kinds.map { UInt16($0.code) }.filter { word >> $0 & 1 == 1 }
            default: break
            }
        }
    }
}

extension Substring {
    /// The text before and after the first separator; nil if there is no separator.
    fileprivate func split(around separator: Character) -> (Substring, Substring)? {
        firstIndex(of: separator).map { (self[..<$0], self[index(after: $0)...]) }
    }
}

/// An input device, through the system calls.
final class EventDevice: SwitchCalls {
    let descriptor: Int32
    /// The kernel returns whole events only.
    private var buffer: [input_event] = Array(repeating: input_event(), count: 64)

    /// Opens a device's file, `/dev/input/event5`.
    init(_ file: String) throws(SystemFailure) {
        descriptor = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
    }

    deinit { close(descriptor) }

    func switchesOn() throws(SystemFailure) -> Set<UInt16> {
        var bits = [UInt8](repeating: 0, count: Int(SW_MAX) / 8 + 1)
        let request = UInt(jackdaw_eviocgsw(UInt32(bits.count)))
        let result = unsafe bits.withUnsafeMutableBytes { unsafe ioctl(descriptor, request, $0.baseAddress!) }
        guard result >= 0 else { throw .last }
        var on: Set<UInt16> = []
        for number in 0...Int(SW_MAX) where bits[number / 8] & (1 << UInt8(number % 8)) != 0 {
            on.insert(UInt16(number))
        }
        return on
    }

    func events() throws(SystemFailure) -> [InputEvent] {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .last }
        return buffer.prefix(count / MemoryLayout<input_event>.stride).map {
            InputEvent(type: $0.type, code: $0.code, value: $0.value)
        }
    }
}
