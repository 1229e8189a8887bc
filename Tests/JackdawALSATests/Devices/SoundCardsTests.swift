import Foundation
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport
import JackdawSystem

/// What the system has is found, whether this user may open it or not.
@Suite struct SoundCardsTests {
    private static let stereo = PCMAbilities(
        rates: 44_100...48_000, usualRates: [44_100, 48_000], channels: 1...2, formats: ["S16_LE"])

    private func devices(_ files: FakeFiles, _ calls: ScriptedDevices = ScriptedDevices()) throws -> [PCMDevice] {
        try SoundCards(probing: true, files: files, calls: calls).cards.flatMap(\.devices)
    }

    @Test func cardsAndTheirDevicesAreFound() throws {
        let cards = try SoundCards(probing: true, files: FakeFiles.laptop, calls: ScriptedDevices()).cards
        #expect(cards.map(\.number) == [0, 1])
        #expect(cards.map(\.id) == ["PCH", "Device"])
        #expect(cards.map(\.name) == ["HDA Intel PCH", "USB PnP Sound Device"])
        #expect(cards[0].longName == "HDA Intel PCH at 0xf7f10000 irq 33")
        let devices = cards.flatMap(\.devices)
        let links = ["hw:CARD=PCH,DEV=0", "hw:CARD=PCH,DEV=0", "hw:CARD=PCH,DEV=3", "hw:CARD=Device,DEV=0"]
        #expect(devices.map(\.link.address) == links)
        #expect(devices.map(\.link.scheme) == Array(repeating: .alsa, count: 4))
        #expect(devices.map(\.direction) == [.capture, .playback, .playback, .capture])
        #expect(devices.map(\.name) == ["ALC269VC Analog", "ALC269VC Analog", "HDMI 0", "USB Audio"])
        #expect(devices.allSatisfy { $0.access == .allowed && !$0.isBusy && $0.holders.isEmpty })
    }

    @Test func theDeviceOfALinkIsFound() throws {
        let cards = try SoundCards(probing: true, files: FakeFiles.laptop, calls: ScriptedDevices())
        for (name, direction, found) in [
            ("hw:0", PCMDirection.playback, "hw:CARD=PCH,DEV=0" as String?), ("hw:0,3", .playback, "hw:CARD=PCH,DEV=3"),
            ("plughw:CARD=Device,DEV=0", .capture, "hw:CARD=Device,DEV=0"), ("hw:PCH", .capture, "hw:CARD=PCH,DEV=0"),
            ("hw:0,3", .capture, nil), ("hw:2", .playback, nil), ("default", .playback, nil),
        ] {
            let device = cards.device(LinkName(.alsa, name), direction)
            #expect(device?.link.address == found, "\(name)")
            #expect(device == nil || device?.direction == direction)
        }
    }

    @Test func devicesThatCaptureAndPlayAreFound() throws {
        let cards = try SoundCards(probing: false, files: FakeFiles.laptop, calls: ScriptedDevices())
        // The HDMI output only plays, and the other card only captures.
        #expect(cards.duplexDevices.map(\.link.address) == ["hw:CARD=PCH,DEV=0"])
        #expect(cards.duplexDevices.map(\.name) == ["HDA Intel PCH"])
    }

    /// Names of drivers and makers have brackets, hyphens and colons in them.
    @Test func oddNamesAreReadWhole() throws {
        var files = FakeFiles()
        files.texts["/proc/asound/cards"] = """
            10 [Loopback       ]: Loopback - Loop - back [2]: x
                                  Loopback 1
            """
        files.texts["/proc/asound/pcm"] = "10-00: Loop: PCM : Loop: PCM : playback 8 : capture 8\n"
        files.texts["/proc/asound/card10/pcm0c/info"] = """
            card: 10
            device: 0
            id: Loop: PCM
            name: Loop: PCM two
            """
        let card = try #require(try SoundCards(probing: true, files: files, calls: ScriptedDevices()).cards.first)
        #expect(card.number == 10)
        #expect(card.id == "Loopback")
        #expect(card.name == "Loop - back [2]: x")
        #expect(card.devices.map(\.subdevices) == [8, 8])
        #expect(card.devices[0].id == "Loop: PCM")
        #expect(card.devices[0].name == "Loop: PCM two")
    }

    @Test func theProcessThatUsesADeviceIsNamed() throws {
        var files = FakeFiles.laptop
        files.hold("card0/pcm0c", thread: 902, process: 900, name: "pipewire")
        let calls = ScriptedDevices()
        let device = try devices(files, calls)[0]
        #expect(device.isBusy)
        #expect(device.subdevicesInUse == 1)
        #expect(device.holders.map(\.description) == ["pipewire (process 900)"])
        #expect(!calls.log.opened.contains("hw:CARD=PCH,DEV=0 capture"), "what is in use is left alone")
    }

    /// In another container, for example: the kernel has no number for it here.
    @Test func aHolderThatIsHiddenHasNoNumber() throws {
        var files = FakeFiles.laptop
        files.hold("card0/pcm0c", thread: 0, process: 0, name: "x")
        let device = try devices(files)[0]
        #expect(device.isBusy)
        #expect(device.holders.isEmpty)
    }

    /// Some devices can be had by several at a time.
    @Test func aDeviceWithRoomLeftIsNotBusy() throws {
        var files = FakeFiles.laptop
        files.texts["/proc/asound/pcm"] = "00-00: ALC : ALC : capture 3\n"
        files.hold("card0/pcm0c", thread: 5, process: 5, name: "arecord")
        files.texts["/proc/asound/card0/pcm0c/sub2/status"] = files.texts["/proc/asound/card0/pcm0c/sub0/status"]
        let device = try devices(files)[0]
        #expect(device.subdevices == 3)
        #expect(device.subdevicesInUse == 2)
        #expect(device.holders.count == 1)
        #expect(!device.isBusy)
    }

    @Test func thePermissionToOpenADeviceIsReported() throws {
        var files = FakeFiles.laptop
        files.closed = ["/dev/snd/pcmC0D0c"]
        files.texts["/dev/snd/pcmC1D0c"] = nil
        let calls = ScriptedDevices()
        #expect(try devices(files, calls).map(\.access) == [.denied, .allowed, .allowed, .missing])
        #expect(calls.log.opened == ["hw:CARD=PCH,DEV=0 playback", "hw:CARD=PCH,DEV=3 playback"])
    }

    @Test func onlyFreeDevicesAreAskedForTheirCapabilities() throws {
        var calls = ScriptedDevices(abilities: ["hw:CARD=Device,DEV=0": Self.stereo])
        calls.failures["hw:CARD=PCH,DEV=0"] = EBUSY
        #expect(try devices(.laptop, calls).map(\.abilities) == [nil, nil, nil, Self.stereo])
        let quiet = ScriptedDevices(abilities: calls.abilities)
        let cards = try SoundCards(probing: false, files: FakeFiles.laptop, calls: quiet).cards
        #expect(cards.flatMap(\.devices).allSatisfy { $0.abilities == nil })
        #expect(quiet.log.opened.isEmpty)
    }

    @Test func ofTheConfiguredNamesTheUsefulOnesAreLeft() throws {
        let names = [
            "null", "pipewire", "default", "sysdefault:CARD=PCH", "front:CARD=PCH,DEV=0", "pulse",
            "dmix:CARD=PCH,DEV=0",
        ]
        let hints = names.map { PCMHint(name: $0, meaning: "", directions: [.capture]) }
        let calls = ScriptedDevices(names: hints)
        let found = try SoundCards(probing: true, files: FakeFiles.laptop, calls: calls)
        #expect(found.named.map(\.link.description) == ["alsa:pipewire", "alsa:default", "alsa:pulse"])
        #expect(found.named[0].directions == [.capture])
        let none = try SoundCards(probing: true, files: FakeFiles(), calls: calls)
        #expect(none.named.map(\.link.description) == ["alsa:pipewire", "alsa:pulse"])
    }

    @Test func aSystemWithoutSoundHasNoCards() throws {
        for text in [nil, "--- no soundcards ---\n", "", "garbage\n[\n]\n 0 [", "\n\n"] {
            let files = FakeFiles(texts: ["/proc/asound/cards": text].compactMapValues(\.self))
            #expect(try SoundCards(probing: true, files: files, calls: ScriptedDevices()).cards.isEmpty)
        }
    }

    @Test func aListThatCannotBeReadIsAnError() {
        let files = FakeFiles(failures: ["/proc/asound/cards": EACCES])
        let error = #expect(throws: LinkError.self) {
            try SoundCards(probing: true, files: files, calls: ScriptedDevices())
        }
        #expect(error?.code == .notPermitted)
        #expect(error?.underlying == "Permission denied")
    }

    @Test func listsThatAreDamagedAreReadAsFarAsTheyGo() throws {
        let whole = FakeFiles.laptop
        for path in ["/proc/asound/cards", "/proc/asound/pcm"] {
            let text = try #require(whole.texts[path])
            for length in 0...text.count {
                var files = whole
                files.texts[path] = String(text.prefix(length))
                let cards = try SoundCards(probing: true, files: files, calls: ScriptedDevices()).cards
                #expect(cards.count <= 2)
                #expect(cards.flatMap(\.devices).count <= 4)
            }
        }
    }

    // MARK: libasound itself

    /// Its `null` device needs no hardware and can do anything; what it says is what `hw_params` says.
    @Test func theLibraryReportsTheCapabilitiesOfADevice() throws {
        let abilities = try #require(try LibraryDevices().abilities(of: "null", .capture))
        #expect(abilities.usualRates == PCMAbilities.usualRates)
        #expect(abilities.rates.contains(192_000))
        #expect(abilities.channels.contains(32))
        #expect(abilities.formats.starts(with: ["S16_LE", "S24_LE"]))
        #expect(throws: SystemFailure(code: ENOENT)) {
            try LibraryDevices().abilities(of: "no such name", .playback)
        }
    }

    @Test func theLibraryHintsAtNames() {
        let hints = LibraryDevices().hints()
        #expect(hints.contains { $0.name == "null" })
        #expect(hints.allSatisfy { !$0.meaning.contains("\n") && !$0.directions.isEmpty })
    }

    @Test func theLibraryPrintsNothingOfDevices() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = try SoundCards()
            for name in ["hw:31", "default", "nonsense", "plughw:CARD=Nobody", "dmix", "surround51"] {
                _ = try? LibraryDevices().abilities(of: name, .capture)
            }
        }
        #expect(String(decoding: result?.standardErrorContent ?? [1], as: UTF8.self) == "")
    }
}
