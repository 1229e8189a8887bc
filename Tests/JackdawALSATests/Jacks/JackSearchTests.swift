import Glibc
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Which card's jacks are read from what.
@Suite struct JackSearchTests {
    /// As kernel 6.1 lists them, with a lid and a keyboard among them.
    private static let inputs = """
        I: Bus=0019 Vendor=0000 Product=0005 Version=0000
        N: Name="Lid Switch"
        P: Phys=PNP0C0D/button/input0
        S: Sysfs=/devices/LNXSYSTM:00/LNXSYBUS:00/PNP0C0D:00/input/input1
        H: Handlers=event1
        B: EV=21
        B: SW=1

        I: Bus=0011 Vendor=0001 Product=0001 Version=ab41
        N: Name="AT Translated Set 2 keyboard"
        S: Sysfs=/devices/platform/i8042/serio0/input/input0
        H: Handlers=sysrq kbd event0 leds
        B: EV=120013
        B: KEY=402000000 3803078f800d001 feffffdfffefffff fffffffffffffffe

        I: Bus=0000 Vendor=0000 Product=0000 Version=0000
        N: Name="HDA Intel PCH Mic"
        P: Phys=ALSA
        S: Sysfs=/devices/pci0000:00/0000:00:1b.0/sound/card0/input12
        H: Handlers=event12
        B: EV=21
        B: SW=10

        I: Bus=0000 Vendor=0000 Product=0000 Version=0000
        N: Name="HDA Intel PCH Headphone"
        P: Phys=ALSA
        S: Sysfs=/devices/pci0000:00/0000:00:1b.0/sound/card0/input13
        H: Handlers=event13
        B: EV=21
        B: SW=4

        I: Bus=0006 Vendor=1234 Product=5678 Version=0001
        N: Name="Sim Reader Headset Jack"
        S: Sysfs=/devices/virtual/input/input20
        H: Handlers=event20
        B: EV=21
        B: SW=2054
        """

    private var files: FakeFiles {
        var files = FakeFiles.laptop
        files.texts["/proc/bus/input/devices"] = Self.inputs + "\n\n"
        return files
    }

    private func monitor(_ card: String, _ openings: ScriptedOpenings, _ files: FakeFiles) throws -> JackMonitor {
        try JackMonitor(card: card, files: files, openings: openings, waiting: ScriptedWaiting())
    }

    @Test func inputDevicesWithJacksAreFound() {
        let devices = InputDevice.all(files)
        #expect(devices.map(\.file) == ["/dev/input/event12", "/dev/input/event13", "/dev/input/event20"])
        #expect(devices.map(\.card) == [0, 0, nil])
        #expect(devices.map(\.switches) == [[4], [2], [2, 4, 6, 13]])
        let jacks = devices.flatMap { $0.jacks.map(\.1) }
        #expect(jacks.map(\.kind) == [.microphone, .headphone, .headphone, .microphone, .line, .line])
        #expect(Set(jacks.map(\.name)).count == 6)
        #expect(jacks[0].name == "HDA Intel PCH Mic")
        #expect(InputDevice.all(FakeFiles()).isEmpty)
    }

    @Test func aListThatIsDamagedIsReadAsFarAsItGoes() {
        for length in 0..<Self.inputs.count {
            let files = FakeFiles(texts: ["/proc/bus/input/devices": String(Self.inputs.prefix(length))])
            #expect(InputDevice.all(files).count <= 3)
        }
    }

    @Test(arguments: ["0", "PCH", "hw:0", "hw:PCH,0", "plughw:CARD=PCH,DEV=0"])
    func aCardsControlElementsComeFirst(name: String) throws {
        let card = ScriptedDevice(3, [(.jack(1, "Mic Jack"), true)])
        let openings = ScriptedOpenings(devices: ["hw:0": card, "/dev/input/event12": ScriptedDevice(4)])
        #expect(try monitor(name, openings, files).states.map(\.jack.name) == ["Mic"])
    }

    /// Jacks that are always on sense nothing.
    @Test func inputSwitchesAreUsedIfACardDetectsNoPlugs() throws {
        let switches = [ScriptedDevice(4), ScriptedDevice(5)]
        switches[1].on = [2]
        var openings = ScriptedOpenings(devices: [
            "hw:0": ScriptedDevice(3, [(.jack(1, "Mic Phantom Jack"), true)]), "/dev/input/event12": switches[0],
            "/dev/input/event13": switches[1],
        ])
        let states = try monitor("0", openings, files).states
        #expect(states.map(\.jack.name) == ["HDA Intel PCH Mic", "HDA Intel PCH Headphone"])
        #expect(states.map(\.isPlugged) == [false, true])
        // Or where its elements may not be read.
        openings.failures["hw:0"] = EACCES
        #expect(try monitor("0", openings, files).states.count == 2)
        // One of them is enough.
        openings.failures["/dev/input/event12"] = EACCES
        #expect(try monitor("0", openings, files).states.count == 1)
    }

    /// The place in the system does not say, but the name does; and what says nothing counts for
    /// a card that has no other.
    @Test func inputDevicesBelongToACardByPlaceOrName() throws {
        let cards = try KernelSound(files: files).cards()
        var files = files
        func devices(_ card: Int) -> [String] { InputDevice.ofCard(cards[card], among: cards, files).map(\.file) }
        #expect(devices(0) == ["/dev/input/event12", "/dev/input/event13"])
        #expect(devices(1) == ["/dev/input/event20"])
        files.texts["/proc/bus/input/devices"] = Self.inputs.replacing("/sound/card0", with: "/virtual")
        #expect(devices(0) == ["/dev/input/event12", "/dev/input/event13"])
        files.texts["/proc/bus/input/devices"] = Self.inputs.replacing("Sim Reader", with: "USB PnP Sound Device")
        #expect(devices(1) == ["/dev/input/event20"])
        files.texts["/proc/bus/input/devices"] = Self.inputs.replacing("/card0/", with: "/card1/")
        #expect(devices(0) == ["/dev/input/event20"])
    }

    /// Whatever the order of the cards.
    @Test func oneCardsNameMayBeginWithAnothers() {
        let cards = ["HDA Intel", "HDA Intel PCH", ""].enumerated().map {
            KernelSound.Card(number: $0.offset, id: "C\($0.offset)", name: $0.element, longName: "")
        }
        let inputs = Self.inputs.replacing("/sound/card0", with: "/virtual")
        let files = FakeFiles(texts: ["/proc/bus/input/devices": inputs])
        for cards in [cards, cards.reversed()] {
            let owned = cards.sorted { $0.number < $1.number }.map {
                InputDevice.ofCard($0, among: cards, files).map(\.file)
            }
            let own = ["/dev/input/event12", "/dev/input/event13"]
            #expect(owned == [["/dev/input/event20"], own, ["/dev/input/event20"]])
        }
    }

    @Test func devicesThatCannotBeOpenedSuggestACommand() throws {
        var openings = ScriptedOpenings(failures: ["hw:0": EACCES])
        var error = #expect(throws: LinkError.self) { try monitor("0", openings, files) }
        #expect(error?.code == .notPermitted)
        #expect(error?.message == "user jane may not open /dev/snd/controlC0")
        #expect(error?.remedy?.hasPrefix("sudo usermod -aG audio jane") == true)
        openings = ScriptedOpenings(
            devices: ["hw:0": ScriptedDevice(3)],
            failures: ["/dev/input/event12": EPERM, "/dev/input/event13": EPERM])
        error = #expect(throws: LinkError.self) { try monitor("0", openings, files) }
        #expect(error?.remedy?.hasPrefix("sudo chown jane /dev/input/event12,") == true)
        openings.failures = ["hw:0": EMFILE]
        error = #expect(throws: LinkError.self) { try monitor("0", openings, files) }
        #expect(error?.code == .system)
        openings = ScriptedOpenings()
        var closed = files
        closed.closed = ["/dev/snd/controlC0"]
        error = #expect(throws: LinkError.self) { try monitor("0", openings, closed) }
        #expect(error?.code == .notPermitted, "of a closed card the library says that there is none")
        error = #expect(throws: LinkError.self) { try monitor("0", openings, files) }
        #expect(error?.code == .notFound)
        #expect(error?.message == "/dev/snd/controlC0 is missing")
    }

    @Test func aCardWithoutJackDetectionIsUnsupported() throws {
        let openings = ScriptedOpenings(devices: ["hw:0": ScriptedDevice(3)])
        let error = #expect(throws: LinkError.self) { try monitor("0", openings, .laptop) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(" PCH ") == true)
    }

    @Test(arguments: ["7", "hw:7,0", "Nobody"]) func aMissingCardIsNotFound(name: String) throws {
        let error = #expect(throws: LinkError.self) { try monitor(name, ScriptedOpenings(), .laptop) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("there is no sound card") == true)
    }
}
