import ArgumentParser
import Glibc
import JackdawReaders
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport
@testable import JackdawBluetooth
@testable import jackdaw_cli

/// `jackdaw devices` on simulated systems.
@Suite struct DevicesTests {
    private let waiting = ScriptedWaiting()
    private let card = ScriptedDevice(11, [(.jack(1, "Mic Jack"), false), (.jack(2, "Headphone Jack"), true)])

    init() {
        waiting.answer { [card] number in number == card.descriptor ? card.answer : .invalid }
    }

    private static let names = ["null", "default", "pulse"].map {
        PCMHint(name: $0, meaning: "Default Audio Device", directions: [.capture])
    }

    /// Runs the verb, by default on a laptop whose first card has jack detection.
    private func run(
        _ arguments: [String] = [], over files: FakeFiles = .laptop, names: [PCMHint] = [],
        jackFailures: [String: Int32] = [:], adapters: [BluetoothAdapter] = []
    ) throws -> (status: Int32, lines: [String], messages: String) {
        let stereo = PCMAbilities(
            rates: 44_100...192_000, usualRates: [44_100, 48_000, 96_000, 192_000], channels: 2...2,
            formats: ["S16_LE", "S32_LE"])
        let calls = ScriptedDevices(abilities: ["hw:CARD=PCH,DEV=0": stereo], names: names)
        var environment = CommandEnvironment()
        environment.cards = { () throws(LinkError) in try SoundCards(probing: true, files: files, calls: calls) }
        environment.cardJacks = { [pch = card, waiting] card throws(LinkError) in
            let openings = ScriptedOpenings(
                devices: ["hw:0": pch, "hw:1": ScriptedDevice(12)], failures: jackFailures)
            return try JackMonitor(card: card, files: files, openings: openings, waiting: waiting)
        }
        environment.diagnosis = DeviceDiagnosis(files: files)
        // The jack's event was 0.75 s ago.
        environment.wallClock = WallClock(
            now: { .seconds(1_769_850_301) }, monotonic: { .milliseconds(950) })
        let verb = try #require(try JackdawCommand.parseAsRoot(["devices"] + arguments) as? Devices)
        let recorder = ConsoleRecorder()
        var status: Int32
        do throws(CommandError) {
            status = try verb.listSound(adapters, on: recorder.console, in: environment).rawValue
        } catch {
            status = error.status.rawValue
            recorder.console.message(error.message)
        }
        recorder.console.flush()
        return (status, recorder.output.split(separator: "\n").map(String.init), recorder.messages)
    }

    @Test func devicesAndJacksAreListed() throws {
        var files = FakeFiles.laptop
        files.hold("card1/pcm0c", thread: 902, process: 900, name: "pipewire")
        let run = try run(over: files, names: Self.names)
        #expect(run.status == 0)
        #expect(run.messages.isEmpty)
        let cells = run.lines.map { $0.split(separator: /\s{2,}/).map(String.init) }
        #expect(cells[0] == ["link", "direction", "name", "state", "kHz", "channels", "formats"])
        let device = ["ALC269VC Analog", "free", "44.1 48 96 192", "2", "S16_LE S32_LE"]
        #expect(
            cells[1..<7] == [
                ["alsa:default", "capture", "Default Audio Device"],
                ["alsa:pulse", "capture", "Default Audio Device"],
                ["alsa:hw:CARD=PCH,DEV=0", "capture"] + device,
                ["alsa:hw:CARD=PCH,DEV=0", "playback"] + device,
                ["alsa:hw:CARD=PCH,DEV=3", "playback", "HDMI 0", "free"],
                ["alsa:hw:CARD=Device,DEV=0", "capture", "USB Audio", "in use by pipewire (process 900)"],
            ])
        let jacks = [["Mic", "microphone", "empty"], ["Headphone", "headphone", "plugged in"]]
        #expect(Array(cells[7...]) == [["card", "jack", "for", "state"]] + jacks.map { ["PCH"] + $0 })
    }

    @Test func devicesAreObjectsInJSON() throws {
        var files = FakeFiles.laptop
        files.hold("card1/pcm0c", thread: 902, process: 900, name: "pipewire")
        let run = try run(["--json"], over: files, names: Self.names)
        #expect(run.status == 0)
        #expect(run.lines.count == 8)
        let objects = try run.lines.map(jsonObject)
        #expect(objects.map { $0["kind"] as? String } == ["name", "name", "pcm", "pcm", "pcm", "pcm", "jack", "jack"])
        #expect(objects[0]["link"] as? String == "alsa:default")
        #expect(
            fieldNames(run.lines[2]) == [
                "kind", "link", "card", "card_id", "card_name", "device", "direction", "name", "access", "subdevices",
                "in_use", "holders", "rates", "rate_min", "rate_max", "channels_min", "channels_max", "formats",
            ])
        #expect(objects[2]["link"] as? String == "alsa:hw:CARD=PCH,DEV=0")
        #expect(objects[2]["rates"] as? [Int] == [44_100, 48_000, 96_000, 192_000])
        #expect(objects[2]["rate_max"] as? Int == 192_000)
        #expect(objects[2]["formats"] as? [String] == ["S16_LE", "S32_LE"])
        #expect(objects[4]["device"] as? Int == 3)
        #expect(run.lines[4].contains("\"rate_min\":null"))
        #expect(objects[5]["in_use"] as? Int == 1)
        let holders = try #require(objects[5]["holders"] as? [[String: Any]])
        #expect(holders.map { $0["pid"] as? Int } == [900])
        #expect(holders.map { $0["name"] as? String } == ["pipewire"])
        #expect(fieldNames(run.lines[7]) == ["kind", "card", "card_id", "jack", "for", "plugged"])
        #expect(objects.suffix(2).map { $0["plugged"] as? Bool } == [false, true])
    }

    @Test func missingPermissionIsReportedOnceWithItsRemedy() throws {
        var files = FakeFiles.laptop
        files.closed = ["/dev/snd/pcmC0D0c", "/dev/snd/pcmC0D0p", "/dev/snd/pcmC0D3p"]
        files.texts["/dev/snd/pcmC1D0c"] = nil
        let run = try run(over: files, jackFailures: ["hw:0": EACCES])
        #expect(run.status == 0)
        #expect(run.lines.count { $0.contains("not permitted") } == 3)
        #expect(run.lines.count { $0.contains("no device file") } == 1)
        #expect(run.messages.contains("jane may not open /dev/snd/pcmC0D0c"))
        #expect(!run.messages.contains("/dev/snd/pcmC0D3p"))
        #expect(!run.messages.contains("/dev/snd/controlC0"))
        #expect(run.messages.contains("sudo usermod -aG audio jane"))
        #expect(run.messages.contains("--device /dev/snd"))
    }

    @Test(arguments: [[], ["--json"], ["--watch"]])
    func aSystemWithoutCardsSuggestsAnAction(arguments: [String]) throws {
        let run = try run(arguments, over: FakeFiles())
        #expect(run.status == 1)
        #expect(run.lines.isEmpty)
        for word in ["no sound card", "snd-usb-audio", "dmesg", "/dev/snd"] { #expect(run.messages.contains(word)) }
    }

    /// A sound server may offer devices on a system without sound cards.
    @Test func aSoundServerWithoutCardsIsListed() throws {
        let run = try run(over: FakeFiles(), names: Self.names)
        #expect(run.status == 0)
        #expect(run.lines.count == 2)
        #expect(run.messages.contains("no sound card"))
    }

    @Test func aListThatCannotBeReadIsUnavailable() throws {
        for code in [EACCES, EIO] {
            let run = try run(over: FakeFiles(failures: ["/proc/asound/cards": code]))
            #expect(run.status == 69)
            #expect(run.lines.isEmpty)
            #expect(run.messages.contains("cannot be read"))
        }
    }

    // MARK: --watch

    @Test func plugsArePrintedAsTheyComeAndGo() throws {
        waiting.at(200) { [card] in card.turn(1, true) }
        waiting.at(900) { [card] in card.turn(1, false) }
        waiting.at(5000) { [card] in card.condition = .hungUp }
        let run = try run(["--watch"])
        #expect(run.status == 69)
        #expect(
            run.lines == [
                "card  jack       for         state", "PCH   Mic        microphone  empty",
                "PCH   Headphone  headphone   plugged in", "PCH: Mic plugged in",
                "PCH: Mic pulled out", "PCH: gone",
            ])
        #expect(run.messages.contains("no card is left to watch"))
    }

    @Test func eventsAreObjectsToo() throws {
        waiting.at(200) { [card] in card.turn(1, true) }
        waiting.at(5000) { [card] in card.condition = .hungUp }
        let run = try run(["--watch", "--json"])
        #expect(
            run.lines.dropFirst(2) == [
                #"{"kind":"event","card":0,"card_id":"PCH","event":"attached","jack":"Mic","for":"microphone","#
                    + #""time":"2026-01-31T09:05:00.250Z"}"#,
                #"{"kind":"event","card":0,"card_id":"PCH","event":"gone","time":"2026-01-31T09:05:01.000Z"}"#,
            ])
    }

    @Test func jacksThatCannotBeReadAnyMoreEndTheWatch() throws {
        waiting.at(200) { [card] in
            card.failures[.isOn] = EIO
            card.turn(1, true)
        }
        let run = try run(["--watch"])
        #expect(run.status == 74)
        #expect(run.messages.contains("Input/output error"))
    }

    @Test func cardsThatSenseNothingCannotBeWatched() throws {
        card.contents = []
        var run = try run(["--watch"])
        #expect(run.status == 1)
        #expect(run.messages.contains("no sound card has jack detection"))
        run = try self.run(["--watch"], jackFailures: ["hw:0": EACCES])
        #expect(run.status == 69)
        #expect(run.messages.contains("usermod"))
        #expect(!run.messages.contains("jack detection"))
    }

    /// The list has the known and the unknown facts of each family of readers.
    @Test func familiesOfReadersAreListed() throws {
        func lines(_ arguments: String...) throws -> [String] {
            let verb = try #require(try JackdawCommand.parseAsRoot(["devices"] + arguments) as? Devices)
            let recorder = ConsoleRecorder()
            verb.list(ReaderFamily.all, isApart: false, on: recorder.console)
            recorder.console.flush()
            return recorder.output.split(separator: "\n").map(String.init)
        }
        let (table, objects) = (try lines(), try lines("--json"))
        #expect(objects.count == ReaderFamily.all.count)
        for (family, line) in zip(ReaderFamily.all, objects) {
            let object = try jsonObject(line)
            #expect(object["name"] as? String == family.name)
            #expect(object["protocol"] as? String == family.provenance.rawValue)
            #expect(object["unknown"] as? [String] == family.unknowns)
            let place = try #require(table.firstIndex { $0.hasPrefix("\(family.name) ") })
            #expect(table[place].hasSuffix(family.title))
            let more = family.recognition.map { ["known by: \($0)"] } ?? []
            let expected = more + ["tested with: \(family.verification)"] + family.unknowns.map { "not known: \($0)" }
            for (line, wanted) in zip(table[(place + 1)...], expected) { #expect(line.hasSuffix(wanted)) }
            #expect(object["recognition"] as? String == family.recognition)
            #expect((object["values"] as? [[String: Any]])?.count == family.profile.entries.count)
        }
    }

    private static let adapters = [
        BluetoothAdapter(
            name: "hci0", address: BluetoothAddress(bytes: [0xB8, 0x27, 0xEB, 1, 2, 3]), alias: "counter",
            isPowered: true),
        BluetoothAdapter(
            name: "hci1", address: BluetoothAddress(bytes: [0, 0x1A, 0x7D, 1, 2, 3]), alias: "counter #2",
            isPowered: false),
    ]

    @Test func adaptersStandBesideTheCards() throws {
        let table = try run(adapters: Self.adapters)
        #expect(table.status == 0)
        #expect(
            table.lines.suffix(3) == [
                "adapter  address            name        state", "hci0     B8:27:EB:01:02:03  counter     on",
                "hci1     00:1A:7D:01:02:03  counter #2  off",
            ])
        let objects = try run(["--json"], adapters: Self.adapters).lines
        #expect(
            objects.suffix(2).first
                == #"{"kind":"adapter","adapter":"hci0","address":"B8:27:EB:01:02:03","name":"counter","powered":true}"#
        )
        #expect(objects.last?.hasSuffix(#""powered":false}"#) == true)
    }

    /// A machine without sound cards may have a Bluetooth adapter.
    @Test func adaptersAloneAreListed() throws {
        #expect(try run(over: FakeFiles()).status == 1)
        let run = try run(over: FakeFiles(), adapters: Self.adapters)
        #expect(run.status == 0)
        #expect(run.lines.first?.hasPrefix("adapter") == true)
    }

    /// The names come from devices and processes, which are not trusted.
    @Test func namesOfDevicesDoNotSteerATerminal() throws {
        card.contents = [(.jack(1, "Mic\u{1B}[2J Jack"), true)]
        var files = FakeFiles.laptop
        files.hold("card1/pcm0c", thread: 5, process: 5, name: "x\u{1B}[31m")
        for options in [[], ["--json"]] {
            let lines = try run(options, over: files).lines.joined()
            #expect(lines.contains("[2J"))
            #expect(!lines.contains("\u{1B}"))
        }
    }

    /// On the real system of this machine the exit code is one of those in the manual.
    @Test func theRealSystemIsListed() throws {
        let run = try ChildProcess(["devices", "--json"])
        #expect([0, 1].contains(run.status), "\(run.messages)")
        let lines = String(decoding: run.output, as: UTF8.self).split(separator: "\n")
        let families = lines.count { $0.hasPrefix(#"{"kind":"family""#) }
        #expect(families == ReaderFamily.all.count)
        #expect((run.status == 1) == (lines.count == families))
        #expect(!run.messages.contains("ALSA lib"))
    }
}
