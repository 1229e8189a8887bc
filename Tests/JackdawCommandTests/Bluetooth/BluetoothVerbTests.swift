import ArgumentParser
import JackdawBytes
import JackdawLinux
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth
@testable import jackdaw_cli

/// The verbs for Bluetooth, with devices and links that are scripted.
@Suite struct BluetoothVerbTests {
    private typealias Status = jackdaw_cli.ExitStatus

    private static let reader = "AA:BB:CC:DD:EE:FF"
    private static let found = [
        FoundDevice(
            link: LinkName(.rfcomm, reader), name: "SP:12", signalStrength: -61,
            services: ["00001101-0000-1000-8000-00805f9b34fb"], isPaired: true),
        FoundDevice(link: LinkName(.ble, "11:22:33:44:55:66"), services: ["0508e6f8-ad82-898f-f843-e3410cb60101"]),
    ]

    /// Runs a verb in an environment.
    private func run(
        _ arguments: String..., by environment: CommandEnvironment
    ) async throws -> (status: Status, output: String, messages: String) {
        try await run(arguments, by: environment)
    }

    private func run(
        _ arguments: [String], by environment: CommandEnvironment, isWatched: Bool = false
    ) async throws -> (status: Status, output: String, messages: String) {
        try await onOwnThread {
            let recorder = ConsoleRecorder(isWatched: isWatched)
            var status: Status
            do throws(CommandError) {
                status =
                    switch try? JackdawCommand.parseAsRoot(arguments) {
                    case let verb as any Verb: try verb.run(on: recorder.console, in: environment)
                    default: .usage
                    }
            } catch {
                status = error.status
                recorder.console.message(error.message)
            }
            recorder.console.flush()
            return (status, recorder.output, recorder.messages)
        }
    }

    private func environment(finding devices: [FoundDevice], _ failure: LinkError? = nil) -> CommandEnvironment {
        var environment = CommandEnvironment()
        environment.devices = { _ in
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: FoundDevice.self)
            for device in devices { continuation.yield(device) }
            continuation.finish(throwing: failure)
            return stream
        }
        return environment
    }

    @Test func aScanListsTheLastStateOfEachDevice() async throws {
        var closer = Self.found[0]
        closer.signalStrength = -40
        let environment = environment(finding: Self.found + [closer])
        let table = try await run("devices", "--scan", by: environment)
        #expect(table.status == .done)
        #expect(
            table.output == """
                link                      name   dBm  state   services
                rfcomm:AA:BB:CC:DD:EE:FF  SP:12  -40  paired  1101
                ble:11:22:33:44:55:66                 new     0508e6f8-ad82-898f-f843-e3410cb60101

                """)
        let objects = try await run("devices", "--scan", "--json", by: environment)
        #expect(objects.output.split(separator: "\n").count == 2)
        #expect(objects.output.contains(#""name":"SP:12","rssi":-40,"paired":true"#))
    }

    @Test func aScanReportsTheReasonWhyItFindsNoDevice() async throws {
        let nothing = try await run("devices", "--scan", by: environment(finding: []))
        #expect(nothing.status == .nothingFound)
        let off = LinkError(.adapterOff, link: "hci0", "the adapter is off")
        let failed = try await run("devices", "--scan", by: environment(finding: Self.found, off))
        #expect(failed.status == .unavailable)
        #expect(failed.messages.contains("the adapter is off"))
    }

    /// The code is sent to the device and printed nowhere.
    @Test func aCodeFromTheCommandLineIsNotAskedFor() async throws {
        var environment = CommandEnvironment()
        environment.pair = { address, radio, agent throws(LinkError) in
            let code = await agent.requestPINCode(for: Self.found[0])
            guard code == "4711", radio == .classic, address.description == Self.reader else {
                throw LinkError(.rejected, link: "rfcomm", "would not pair")
            }
        }
        let link = "rfcomm:\(Self.reader)"
        let paired = try await run("pair", link, "--code", "4711", by: environment)
        #expect(paired.status == .done)
        #expect(paired.output == "\(link): paired\n")
        #expect(!paired.messages.contains("4711"))
        let wrong = try await run("pair", link, "--code", "1", by: environment)
        #expect(wrong.status == .unavailable)
    }

    /// The reader withdraws the code that was shown; the user has nothing to answer, so nothing is printed.
    @Test func aWithdrawnCodeIsNotReported() async throws {
        var environment = CommandEnvironment()
        environment.pair = { _, _, agent throws(LinkError) in
            await agent.display(passkey: "000007", entered: 0, for: Self.found[0])
            await agent.cancelled()
        }
        let run = try await run("pair", "rfcomm:\(Self.reader)", by: environment)
        #expect(run.status == .done)
        #expect(run.messages == "jackdaw: type 000007 on SP:12, and confirm there\n")
    }

    @Test func onlyBluetoothDevicesArePaired() async throws {
        let run = try await run("pair", "alsa:default", by: CommandEnvironment())
        #expect(run.status == .usage)
    }

    /// The bytes of an unknown reader are counted, and shown only with `--reveal`.
    @Test(arguments: [false, true]) func receivedBytesAreCounted(isRevealed: Bool) async throws {
        let card = Array(";4111111111111111=29121010000000000?".utf8)
        let attempts = Shared(0)
        var environment = CommandEnvironment()
        environment.connect = { link, _, _ throws(LinkError) in
            let number = attempts.with { attempts in
                attempts += 1
                return attempts
            }
            guard number == 1 else { throw LinkError(.notPermitted, link: link.description, "may not") }
            let (here, there) = MemoryTransport.pair(link: link)
            try await there.send(card)
            try await there.endSending()
            return here
        }
        environment.keep = { persistence, connect in
            KeptLink(persistence, backOff: BackOff(first: .nanoseconds(1)), connect: connect)
        }
        let link = "rfcomm:\(Self.reader)/1"
        let run = try await run("listen", "--link", link, isRevealed ? "--reveal" : "--failures", by: environment)
        #expect(run.status == .unavailable)
        let digits = card.map(\.lowercaseHexadecimal).joined()
        let reported = isRevealed ? digits : "received \(card.count) bytes"
        #expect(run.output == "\(reported)\n")
        #expect(!run.messages.contains("4111111111111111"))
        // The advice is printed once.
        #expect(run.messages.split(separator: "\n").count { $0.contains("--reader") } == (isRevealed ? 0 : 1))
    }

    /// An environment, and the far ends of the links that it opens.
    private func environment(_ clock: any Clock<Duration>) -> (CommandEnvironment, Shared<[MemoryTransport]>) {
        var environment = CommandEnvironment()
        environment.clock = clock
        let ends = Shared<[MemoryTransport]>([])
        environment.connect = { link, _, _ throws(LinkError) in
            let (here, there) = MemoryTransport.pair(link: link)
            ends.with { $0.append(there) }
            return here
        }
        return (environment, ends)
    }

    /// If the family is unknown, bytes without a pause count as one swipe.
    @Test(arguments: [1, 2]) func theCommandEndsAfterTheRequestedBursts(most: Int) async throws {
        let clock = ManualClock()
        let (environment, ends) = environment(clock)
        let device = Task {
            try await ends.until { !$0.isEmpty }
            let far = ends.with { $0[0] }
            for burst in 1...most {
                if burst > 1 { clock.advance(by: .seconds(1)) }
                for _ in 0..<2 {
                    try await far.send([1, 2, 3])
                    // Until the bytes were counted, and the command waits for more.
                    while far.unread > 0 || far.waitingCount == 0 { await Task.yield() }
                }
            }
            while !Task.isCancelled {
                clock.advance(by: ByteTeller.pause)
                await Task.yield()
            }
        }
        let run = try await run(
            ["listen", "--link", "rfcomm:\(Self.reader)/1", "--swipes", "\(most)"], by: environment)
        device.cancel()
        try await device.value
        #expect(run.status == .done, "\(run)")
        #expect(run.output.contains("received 3 bytes\n"))
    }

    /// A clock on which no sleep ends, as if the end of each wait was noticed too late.
    private struct LateClock: Clock {
        let base = ManualClock()
        var now: ManualClock.Instant { base.now }
        var minimumResolution: Duration { base.minimumResolution }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            while true { try await ManualClock().sleep(for: .seconds(1)) }
        }
    }

    /// A further burst begins before the end of the last wanted one is noticed.
    @Test(.timeLimit(.minutes(30))) func moreBurstsThanWereWantedAreEnough() async throws {
        let clock = LateClock()
        let (environment, ends) = environment(clock)
        let device = Task {
            try await ends.until { !$0.isEmpty }
            let far = ends.with { $0[0] }
            try await far.send([1, 2, 3])
            while far.unread > 0 || far.waitingCount == 0 { await Task.yield() }
            clock.base.advance(by: .seconds(1))
            try await far.send([4])
        }
        let run = try await run("listen", "--link", "rfcomm:\(Self.reader)/1", "--swipes", "1", by: environment)
        try await device.value
        #expect(run.status == .done)
    }

    /// Time passes only by the waits between the attempts.
    @Test(arguments: [false, true])
    func theReasonWhyALinkCannotBeOpenedIsReportedOnceAMinute(isJSON: Bool) async throws {
        let link = "rfcomm:\(Self.reader)"
        let clock = LeapingClock(most: .seconds(30))
        let attempts = Shared(0)
        var environment = CommandEnvironment()
        environment.clock = clock
        environment.keep = { persistence, connect in
            KeptLink(persistence, backOff: BackOff(jitter: 0), clock: clock, wallClock: clock, connect: connect)
        }
        environment.connect = { link, _, _ throws(LinkError) in
            let number = attempts.with { attempts in
                attempts += 1
                return attempts
            }
            throw LinkError(number <= 20 ? .outOfRange : .rejected, link: link.description, "no answer")
        }
        let run = try await run(["listen", "--link", link] + (isJSON ? ["--json"] : []), by: environment)
        #expect(run.status == .unavailable)
        #expect(attempts.with { $0 } == 21)
        // The waits are 1, 2, 4, 8 and 16 s, and then 30 s each.
        let reported = run.messages.split(separator: "\n").filter { $0.contains("trying again") }
        #expect(reported.count == 8, "\(reported)")
        let objects = run.output.split(separator: "\n").count { $0.contains(#""event":"waiting""#) }
        #expect(objects == (isJSON ? reported.count : 0))
    }

    /// Errors, whether standard error is a terminal, and whether the command retries after them. With `--keep-trying`
    /// it retries after every error.
    @Test(arguments: [
        (LinkError.Code.notFound, true, false), (.notPermitted, true, false), (.unsupported, true, false),
        (.notFound, false, true), (.notPermitted, false, false), (.refused, true, true),
        // A device without the service, or one with another.
        (.serviceMissing, true, false), (.serviceMissing, false, true),
    ])
    func permanentErrorsEndTheCommandAtATerminal(code: LinkError.Code, isWatched: Bool, isRetried: Bool) async throws {
        let (attempts, others) = (Shared(0), Shared(0))
        func environment(_ attempts: Shared<Int>) -> CommandEnvironment {
            var environment = CommandEnvironment()
            environment.keep = { persistence, connect in
                KeptLink(persistence, backOff: BackOff(first: .nanoseconds(1)), connect: connect)
            }
            environment.isInterrupted = { attempts.with { $0 >= 3 } }
            environment.connect = { link, _, _ throws(LinkError) in
                attempts.with { $0 += 1 }
                throw LinkError(code, link: link.description, "no")
            }
            return environment
        }
        let line = ["listen", "--link", "tcp:192.0.2.7:4000", "--reader", "miura"]
        let ended = try await run(line, by: environment(attempts), isWatched: isWatched)
        #expect(ended.status == (isRetried ? .interrupted : .unavailable))
        #expect((attempts.with { $0 } >= 3) == isRetried)
        let kept = try await run(line + ["--keep-trying"], by: environment(others), isWatched: isWatched)
        #expect(kept.status == .interrupted)
        #expect(others.with { $0 } >= 3)
    }

    /// The battery becomes low while the system sleeps.
    @Test(arguments: [false, true]) func batteriesAndSleepsAreReported(isJSON: Bool) async throws {
        let link = "rfcomm:\(Self.reader)"
        let (clock, wallClock) = (ManualClock(), ManualClock())
        let attempts = Shared(0)
        var environment = CommandEnvironment()
        environment.wallClock.now = { .milliseconds(1_769_850_300_250) }
        environment.keep = { persistence, connect in
            KeptLink(persistence, clock: clock, wallClock: wallClock, connect: connect)
        }
        environment.connect = { link, _, _ throws(LinkError) in
            let isFirst = attempts.with { attempts in
                attempts += 1
                return attempts == 1
            }
            guard isFirst else { throw LinkError(.notPermitted, link: link.description, "may not") }
            return ReaderWithBattery(link) { wallClock.advance(by: .seconds(30)) }
        }
        let retry = Task {
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            wallClock.advance(by: .seconds(1))
        }
        let run = try await run("listen", "--link", link, isJSON ? "--json" : "--failures", by: environment)
        await retry.value
        #expect(run.status == .unavailable)
        let lines = [
            "\(link): the system was asleep for 30.0 s", "\(link): battery 50 %",
            "\(link): the system was asleep for 30.0 s", "\(link): battery 14 %",
            "\(link): battery 14 %: charge the reader",
        ]
        for line in lines { #expect(run.messages.contains("jackdaw: \(line)\n")) }
        let time = "2026-01-31T09:05:00.250Z"
        let objects = [
            #"{"link":"\#(link)","event":"battery","percent":50,"charging":null,"time":"\#(time)"}"#,
            #"{"link":"\#(link)","event":"battery","percent":14,"charging":false,"time":"\#(time)"}"#,
            #"{"link":"\#(link)","event":"battery_low","percent":14,"charging":false,"time":"\#(time)"}"#,
        ]
        for object in objects { #expect(run.output.contains("\(object)\n") == isJSON) }
        #expect(run.output.contains(#""event":"slept","reason":null,"seconds":30.0,"time":"\#(time)"}"#) == isJSON)
    }

    /// An error that does not pass by itself ends the command; its message has a remedy.
    @Test(arguments: [(["--route", "bluetoothd"], SerialRoute.bluetoothd), ([], .kernel)])
    func aReaderIsConnectedTheWayThatWasAskedFor(options: [String], expected: SerialRoute) async throws {
        let routes = Shared<[SerialRoute]>([])
        var environment = CommandEnvironment()
        environment.connect = { link, _, route throws(LinkError) in
            routes.with { $0.append(route) }
            throw LinkError(.unsupported, link: link.description, "no sockets", remedy: "do this")
        }
        let run = try await run(["listen", "--link", "rfcomm:\(Self.reader)"] + options, by: environment)
        #expect(routes.with { $0 } == [expected])
        #expect(run.status == .unavailable)
        #expect(run.messages.contains("do this"))
    }

    @Test(arguments: ["rfcomm:\(reader)/1", "ble:\(reader)", "alsa:default"])
    func bluetoothdIsAskedForSerialPortsOnly(link: String) {
        #expect(throws: (any Error).self) {
            try JackdawCommand.parseAsRoot(["listen", "--route", "bluetoothd", "--link", link])
        }
    }

    private static let adapter = BluetoothAdapter(
        name: "hci0", address: BluetoothAddress(bytes: [1, 2, 3, 4, 5, 0xFA]), alias: "counter", isPowered: true)

    @Test(arguments: [
        (nil, [adapter], ""), (LinkError.Code.serviceMissing, [], ""),
        (.notPermitted, [], "jackdaw: bluetooth: may not; join the group\n"),
    ])
    func adaptersAreListedIfThereIsBluetooth(
        code: LinkError.Code?, expected: [BluetoothAdapter], messages: String
    ) async throws {
        var environment = CommandEnvironment()
        environment.adapters = { () throws(LinkError) in
            if let code { throw LinkError(code, link: "bluetooth", "may not", remedy: "join the group") }
            return [Self.adapter]
        }
        let (adapters, reported) = try await onOwnThread { [environment] in
            let recorder = ConsoleRecorder()
            return (try Devices.adapters(on: recorder.console, in: environment), recorder.messages)
        }
        #expect(adapters == expected)
        #expect(reported == messages)
    }

    /// If the link breaks while the echo sends, the received bytes are overwritten in memory.
    @Test func theEchoOverwritesBytesThatItCannotSend() async throws {
        let link = BrokenLink()
        var environment = CommandEnvironment()
        environment.serve = { _, _, _, serve throws(LinkError) in
            await serve(link)
            throw LinkError(.serviceMissing, link: "rfcomm:7", "bluetoothd ended")
        }
        _ = try await run("simulate", "echo", "--link", "rfcomm:7", by: environment)
        let address = try #require(link.sent.with { $0 })
        let memory = try processMemory(at: address, count: BrokenLink.bytes.count)
        // The allocator and later allocations write to this memory, too: a few such bytes prove nothing.
        let left = memory.split { $0 != BrokenLink.bytes[0] }.map(\.count).max() ?? 0
        #expect(left < 32)
    }

    /// The bytes that a program sends come back.
    @Test func theEchoReturnsTheReceivedBytes() async throws {
        let received = Shared<[UInt8]>([])
        var environment = CommandEnvironment()
        environment.serve = { channel, _, _, serve throws(LinkError) in
            let (here, there) = MemoryTransport.pair(link: LinkName(.rfcomm, "\(Self.reader)/\(channel)"))
            let served = Task { await serve(here) }
            try await there.send([1, 2, 3])
            _ = try await there.receive { bytes in
                let copy = bytes.indices.map { bytes[$0] }
                received.with { $0 += copy }
            }
            try await there.endSending()
            await served.value
            throw LinkError(.serviceMissing, link: "rfcomm:\(channel)", "bluetoothd ended")
        }
        let run = try await run("simulate", "echo", "--link", "rfcomm:7", by: environment)
        #expect(run.status == .unavailable)
        #expect(received.with { $0 } == [1, 2, 3])
        #expect(run.messages.contains("rfcomm:\(Self.reader)/7: ended, 3 bytes"))
    }
}
