import Accept
import JackdawEMV
import JackdawPayments
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// Readers that are found near the computer. Source of the name of Miura's readers: the vendor's sample program for Android
/// (`BluetoothDeviceType`); of the names of Spire's: the integration guide, which shows them to a person.
@Suite struct ReaderSearchTests {
    private static let spire = AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire")

    /// A radio whose devices change.
    private final class Radio: Sendable {
        let devices: Lock<Result<[FoundDevice], LinkError>>
        let openings = Lock<[LinkName]>([])

        init(_ devices: FoundDevice...) { self.devices = Lock(.success(devices)) }

        /// The PosMates among the devices.
        var search: AcceptReaderTerminals.Search {
            AcceptReaderTerminals.Search(vendor: ReaderSearchTests.spire) { () async throws(LinkError) in
                try self.devices.withLock { $0 }.get().filter { AcceptReaderTerminals.Model.posMate.isLikely($0) }
                    .map(self.reader)
            }
        }

        private func reader(_ device: FoundDevice) -> AcceptReaderTerminals.Reader {
            AcceptReaderTerminals.Reader(
                vendor: AcceptTerminalVendor(uuid: "other", displayName: "other"),
                terminal: AcceptTerminal(uuid: device.link.description, displayName: device.name ?? ""),
                model: .posMate,
                open: { () throws(LinkError) in
                    self.openings.withLock { $0.append(device.link) }
                    return MemoryLink.pair(link: device.link).0
                })
        }
    }

    private static func device(_ link: String, _ name: String?, isPaired: Bool = true) throws -> FoundDevice {
        FoundDevice(link: try LinkName(parsing: link), name: name, isPaired: isPaired)
    }

    private static func terminals(
        _ search: AcceptReaderTerminals.Search, and readers: [AcceptReaderTerminals.Reader] = [],
        clock: ManualClock = ManualClock()
    ) -> AcceptReaderTerminals {
        AcceptReaderTerminals(
            readers, searches: [search], clock: clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
            seal: { .tagLengthValue($0) })
    }

    @Test func S1_32_pairedReadersAreFoundAndOpened() async throws {
        let radio = Radio(
            try Self.device("rfcomm:00:00:00:00:00:01", "posmate 0042"),
            try Self.device("rfcomm:00:00:00:00:00:02", "Keyboard"),
            try Self.device("rfcomm:00:00:00:00:00:03", "PosMate 0043", isPaired: false))
        let terminals = Self.terminals(radio.search)
        #expect(await terminals.vendors() == [Self.spire])
        let found = try await terminals.terminals(of: AcceptSpireVendorUUID)
        #expect(found.map(\.displayName) == ["posmate 0042"])
        // The model decides that it needs a configuration.
        #expect(found.map(\.isUnconfigured) == [true])
        #expect(try await terminals.terminals(of: AcceptIDTECHVendorUUID).isEmpty)
        let session = try await Self.open(found[0], of: terminals)
        #expect(radio.openings.withLock { $0.map(\.description) } == ["rfcomm:00:00:00:00:00:01"])
        #expect(await terminals.connectionStatus(of: AcceptSpireVendorUUID) == .connected)
        session.close()
    }

    @Test func aReaderThatIsAwayIsNotOpened() async throws {
        let radio = Radio(try Self.device("rfcomm:00:00:00:00:00:01", "PosMate"))
        let terminals = Self.terminals(radio.search)
        let found = try await terminals.terminals(of: AcceptSpireVendorUUID)
        radio.devices.withLock { $0 = .success([]) }
        #expect(try await terminals.terminals(of: AcceptSpireVendorUUID).isEmpty)
        await #expect(throws: AcceptError.self) { _ = try await Self.open(found[0], of: terminals) }
        #expect(radio.openings.withLock { $0.isEmpty })
    }

    /// Some links take one opener at a time, also if the reader was away during its payment.
    @Test func aReaderInUseStaysAndIsNotOpenedTwice() async throws {
        let radio = Radio(try Self.device("rfcomm:00:00:00:00:00:01", "PosMate"))
        let clock = ManualClock()
        let terminals = Self.terminals(radio.search, clock: clock)
        let found = try await terminals.terminals(of: AcceptSpireVendorUUID)
        let session = try await Self.open(found[0], of: terminals)
        let devices = radio.devices.withLock { devices in
            defer { devices = .success([]) }
            return devices
        }
        #expect(try await terminals.terminals(of: AcceptSpireVendorUUID) == found)
        radio.devices.withLock { $0 = devices }
        #expect(try await terminals.terminals(of: AcceptSpireVendorUUID) == found)
        let second = Task { try await Self.open(found[0], of: terminals) }
        await clock.advance(toFirstOf: 1)
        await #expect(throws: AcceptError.self) { _ = try await second.value }
        #expect(radio.openings.withLock { $0.count } == 1)
        session.close()
    }

    @Test func aSearchThatFailsHasItsErrorUnlessTheProgramHasAReader() async throws {
        let radio = Radio()
        radio.devices.withLock { $0 = .failure(LinkError(.adapterOff, link: "hci0", "off")) }
        do throws(AcceptError) {
            _ = try await Self.terminals(radio.search).terminals(of: AcceptSpireVendorUUID)
            Issue.record("readers were found")
        } catch { #expect(error.code == .pay(.failedBluetoothConnection)) }
        let own = AcceptReaderTerminals.Reader(
            vendor: Self.spire, terminal: AcceptTerminal(uuid: "own", displayName: "own"), model: .posMate,
            open: { () throws(LinkError) in throw LinkError(.notFound, link: "test", "away") })
        let terminals = Self.terminals(radio.search, and: [own])
        #expect(try await terminals.terminals(of: AcceptSpireVendorUUID).map(\.uuid) == ["own"])
    }

    @Test func aSearchThatFailsDoesNotHideTheReadersOfAnother() async throws {
        let (radio, other) = (Radio(), Radio(try Self.device("rfcomm:00:00:00:00:00:01", "PosMate")))
        radio.devices.withLock { $0 = .failure(LinkError(.adapterOff, link: "hci0", "off")) }
        for searches in [[radio.search, other.search], [other.search, radio.search]] {
            let terminals = AcceptReaderTerminals(
                [], searches: searches, clock: ManualClock(),
                date: { RecordedTime(seconds: 1_453_992_427, offset: 60) }, seal: { .tagLengthValue($0) })
            #expect(try await terminals.terminals(of: AcceptSpireVendorUUID).map(\.displayName) == ["PosMate"])
        }
    }

    @Test func aSearchWithoutAnEndIsGivenUp() async throws {
        let clock = ManualClock()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let search = AcceptReaderTerminals.Search(vendor: Self.spire) { () async throws(LinkError) in
            for await _ in ends {}
            return []
        }
        let terminals = Self.terminals(search, clock: clock)
        let task = Task { try await terminals.terminals(of: AcceptSpireVendorUUID) }
        await clock.advance(toFirstOf: 1)
        let error = await #expect(throws: AcceptError.self) { try await task.value }
        #expect(error?.code == .pay(.terminalNotReady))
        end.finish()
    }

    @Test(arguments: [
        (AcceptReaderTerminals.Model.miura, "rfcomm:00:00:00:00:00:01", "Miura 512", true),
        (.miura, "rfcomm:00:00:00:00:00:01", "MIURA M010", true),
        (.miura, "rfcomm:00:00:00:00:00:01", "PosMate", false),
        (.posMate, "rfcomm:00:00:00:00:00:01", "SPm2 17", true),
        (.posMate, "rfcomm:00:00:00:00:00:01", "SPm20 17", false),
        (.posMate, "alsa:hw:1", "PosMate", false),
        (.uniMag, "alsa:hw:1", "USB Audio", true), (.emvSwiper, "alsa:hw:1", "USB Audio", false),
        (.uniMag, "rfcomm:00:00:00:00:00:01", "UniMag", false), (.miura, "ble:00:00:00:00:00:01", "Miura", false),
    ])
    func S1_11_aDeviceIsLikelyAReaderByItsLinkAndName(
        model: AcceptReaderTerminals.Model, link: String, name: String, isLikely: Bool
    ) throws {
        let device = try Self.device(link, name)
        #expect(model.isLikely(device) == isLikely)
        // Other names of a program.
        #expect(model.isLikely(device, names: ["none of them"]) == (model == .uniMag && isLikely))
        #expect(
            model.isLikely(device, names: [name])
                == (model == .uniMag ? isLikely : link.hasPrefix("rfcomm") && name != "SPm20 17"))
    }

    private static func open(
        _ terminal: AcceptTerminal, of terminals: AcceptReaderTerminals
    ) async throws(AcceptError) -> any AcceptTerminalSession {
        try await terminals.open(
            terminal, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978), as: .random()
        ) { _ in }
    }
}
