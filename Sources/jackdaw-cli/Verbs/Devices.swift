#if Command
import ArgumentParser
import JackdawALSA
import JackdawBluetooth
import JackdawReaders
import JackdawTransport

struct Devices: Verb {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List sound cards, jacks, Bluetooth adapters, chip card readers and reader families, or watch jacks.",
        discussion: """
            Each device has the link name that opens it, whether you may open it, which process uses it, and its \
            capabilities while it is free. A jack is listed if the card detects plugs; many cards do not. Bluetooth \
            adapters are listed if bluetoothd runs, readers of chip cards (PC/SC) if pcscd runs. --scan finds \
            Bluetooth devices: switch the reader on first, and disconnect it from other devices. The list ends with \
            the reader families that jackdaw listen --reader takes: their transports, the source of the protocol, the \
            tests of the driver, unknowns, and the link of a simulated reader. They are the same on every system and \
            do not count as devices.

            EXAMPLES
              jackdaw devices
              jackdaw devices --json
              jackdaw devices --watch
              jackdaw devices --scan --seconds 10
            """)

    @Flag(help: "Print each plug that is inserted or removed, until interrupted or no card is left.")
    var watch = false

    @Flag(help: "Scan for Bluetooth devices instead.")
    var scan = false

    @Option(help: ArgumentHelp("Duration of the scan, 1 to 3600.", valueName: "s"))
    var seconds = 5

    @Flag(help: "Print one JSON object for each device, jack, adapter, chip card reader, reader family or event.")
    var json = false

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds must be 1 to 3600.") }
        guard !scan || !watch else { throw ValidationError("Give either --watch (jacks) or --scan (Bluetooth).") }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        guard !scan else { return try listFound(on: console, in: environment) }
        guard !watch else { return try listSound([], on: console, in: environment) }
        // Each kind of device is listed, even if another kind cannot be.
        var isFound = false
        var failures: [CommandError] = []
        func attempt(_ list: () throws(CommandError) -> Bool) throws(CommandError) {
            do throws(CommandError) {
                if try list() { isFound = true }
            } catch {
                guard error.status != .interrupted else { throw error }
                failures.append(error)
            }
        }
        var adapters: [BluetoothAdapter] = []
        try attempt { () throws(CommandError) in
            adapters = try Self.adapters(on: console, in: environment)
            return false
        }
        try attempt { () throws(CommandError) in
            try listSound(adapters, on: console, in: environment) == .done
        }
        if !adapters.isEmpty { isFound = true }
        try attempt { () throws(CommandError) in
            try listCardReaders(isApart: isFound, on: console, in: environment)
        }
        list(ReaderFamily.all, isApart: isFound, on: console)
        for failure in failures.dropFirst() { console.message(failure.message) }
        if let failure = failures.first { throw failure }
        return isFound ? .done : .nothingFound
    }

    func list(_ families: [ReaderFamily], isApart: Bool, on console: Console) {
        var table = FamilyReport.table
        for family in families {
            let report = FamilyReport(family: family)
            if json { console.result(report.json) } else { report.add(to: &table) }
        }
        guard !table.rows.isEmpty else { return }
        if isApart { console.result("") }
        table.lines.forEach(console.result)
    }

    /// The adapters if bluetoothd runs; without it the list is empty and there is no error, as Bluetooth is optional
    /// here.
    static func adapters(
        on console: Console, in environment: CommandEnvironment
    ) throws(CommandError) -> [BluetoothAdapter] {
        let conversation = try Conversation()
        console.status("asking bluetoothd")
        defer { console.clearStatus() }
        return try conversation.run(on: console) { () async throws(CommandError) in
            do throws(LinkError) {
                return try await environment.adapters()
            } catch {
                if error.code != .serviceMissing { conversation.message(error.description) }
                return []
            }
        }
    }

    /// Lists the readers for chip cards if pcscd runs; without it there is no error, as they are optional here.
    /// - Returns: whether there are any.
    func listCardReaders(
        isApart: Bool, on console: Console, in environment: CommandEnvironment
    ) throws(CommandError) -> Bool {
        #if PCSC
        let conversation = try Conversation()
        console.status("asking pcscd")
        let readers = try conversation.run(on: console) { () async throws(CommandError) in
            do throws(LinkError) {
                return try await environment.cardReaders()
            } catch {
                if error.code != .serviceMissing { conversation.message(error.description) }
                return []
            }
        }
        console.clearStatus()
        guard !readers.isEmpty else { return false }
        var table = CardReaderReport.table
        for reader in readers {
            let report = CardReaderReport(reader: reader)
            if json { console.result(report.json) } else { report.add(to: &table) }
        }
        if isApart, !json { console.result("") }
        if !json { table.lines.forEach(console.result) }
        return true
        #else
        return false
        #endif
    }

    /// Scans for Bluetooth devices, and lists those that are found.
    private func listFound(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let conversation = try Conversation()
        let duration = Duration.seconds(seconds)
        let isJSON = json
        console.status("scanning for Bluetooth devices for \(counted(seconds, "second"))")
        let found = try conversation.run(on: console) { () async throws(CommandError) in
            // The latest state of each device, in the order in which they were found.
            var found: [FoundDevice] = []
            do {
                for try await device in environment.devices(duration) {
                    if let index = found.firstIndex(where: { $0.link == device.link }) {
                        found[index] = device
                    } else {
                        found.append(device)
                        if isJSON { continue }
                        conversation.status("\(counted(found.count, "device")) so far")
                    }
                }
            } catch let error as LinkError {
                throw CommandError(error)
            } catch {
                throw CommandError(.inputOutput, "\(error)")
            }
            return found
        }
        console.clearStatus()
        guard !found.isEmpty else {
            console.message("no Bluetooth device found: switch the reader on, and disconnect it from other devices")
            return .nothingFound
        }
        var table = FoundDeviceReport.table
        for device in found {
            let report = FoundDeviceReport(device: device)
            if json { console.result(report.json) } else { report.add(to: &table) }
        }
        if !json { table.lines.forEach(console.result) }
        return .done
    }

    /// Lists the sound cards, their jacks and the given adapters, or watches the jacks. If the sound cards cannot be
    /// listed, the adapters are.
    func listSound(
        _ adapters: [BluetoothAdapter], on console: Console, in environment: CommandEnvironment
    ) throws(CommandError) -> ExitStatus {
        let found: SoundCards
        do throws(LinkError) {
            found = try environment.cards()
        } catch {
            list(adapters, isApart: false, on: console)
            throw CommandError(.unavailable, error.description)
        }
        var watched: [WatchedCard] = []
        var complaints: [String] = []
        var isIncomplete = false
        for card in found.cards {
            do throws(LinkError) {
                watched.append(WatchedCard(report: JackReport(card: card), monitor: try environment.cardJacks(card.id)))
            } catch {
                // Most cards have no jack detection; that is not an error while other devices are listed.
                guard error.code != .unsupported else { continue }
                isIncomplete = true
                // The devices of a card that the user may not open are reported below.
                let isClosed = card.devices.contains { $0.access == .denied }
                if error.code != .notPermitted || !isClosed { complaints.append(error.description) }
            }
        }
        if !watch { list(found, on: console) }
        list(watched, isApart: !watch, on: console)
        list(adapters, isApart: !found.cards.isEmpty || !found.named.isEmpty, on: console)
        for message in complaints + Self.closed(found, environment.diagnosis) { console.message(message) }
        if found.cards.isEmpty { console.message(Self.nothingFound) }
        guard watch else {
            return found.cards.isEmpty && found.named.isEmpty && adapters.isEmpty ? .nothingFound : .done
        }
        guard !watched.isEmpty else {
            if !found.cards.isEmpty && !isIncomplete {
                console.message("no sound card has jack detection")
            }
            return isIncomplete ? .unavailable : .nothingFound
        }
        return try follow(watched, environment, on: console)
    }

    private static let nothingFound =
        "no sound card found: read the kernel's log with sudo dmesg | grep -i -e snd -e audio, load the driver of a "
        + "USB card with sudo modprobe snd-usb-audio, and in a container share /dev/snd"

    private func list(_ found: SoundCards, on console: Console) {
        var table = DeviceReport.table
        for name in found.named {
            if json { console.result(name.json) } else { name.add(to: &table) }
        }
        for card in found.cards {
            for device in card.devices {
                let report = DeviceReport(card: card, device: device)
                if json { console.result(report.json) } else { report.add(to: &table) }
            }
        }
        if !table.rows.isEmpty { table.lines.forEach(console.result) }
    }

    private func list(_ cards: [WatchedCard], isApart: Bool, on console: Console) {
        var table = JackReport.table
        for card in cards {
            for state in card.monitor.states {
                if json { console.result(card.report.json(state)) } else { card.report.add(state, to: &table) }
            }
        }
        guard !table.rows.isEmpty else { return }
        if isApart { console.result("") }
        table.lines.forEach(console.result)
    }

    private func list(_ adapters: [BluetoothAdapter], isApart: Bool, on console: Console) {
        var table = AdapterReport.table
        for adapter in adapters {
            let report = AdapterReport(adapter: adapter)
            if json { console.result(report.json) } else { report.add(to: &table) }
        }
        guard !table.rows.isEmpty else { return }
        if isApart { console.result("") }
        table.lines.forEach(console.result)
    }

    /// Why this user cannot open some devices, each reason once.
    private static func closed(_ found: SoundCards, _ diagnosis: DeviceDiagnosis) -> [String] {
        var reported: Set<PCMDevice.Access> = []
        return found.cards.flatMap(\.devices).compactMap { device in
            guard device.access != .allowed, reported.insert(device.access).inserted else { return nil }
            return diagnosis.error(opening: device).map(\.description)
        }
    }

    /// Prints plug events until every card was disconnected.
    private func follow(
        _ cards: [WatchedCard], _ environment: CommandEnvironment, on console: Console
    ) throws(CommandError) -> ExitStatus {
        var cards = cards
        while !cards.isEmpty {
            console.flush()
            JackMonitor.wait(for: cards.map(\.monitor), within: .milliseconds(500))
            try environment.checkInterruption()
            var gone: Set<Int> = []
            for card in cards {
                do throws(LinkError) {
                    _ = try card.monitor.receive(within: .zero) { event in
                        if json {
                            console.result(card.report.json(event, environment.wallClock))
                        } else {
                            console.result(card.report.line(event))
                        }
                        if event == .gone { gone.insert(card.report.card.number) }
                    }
                } catch {
                    throw CommandError(error)
                }
            }
            cards.removeAll { gone.contains($0.report.card.number) }
        }
        console.message("no card is left to watch")
        return .unavailable
    }
}

/// A card whose jacks are watched.
private struct WatchedCard {
    let report: JackReport
    let monitor: JackMonitor
}
#endif
