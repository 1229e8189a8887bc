#if PCSC
import ArgumentParser
import JackdawPCSC
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth
@testable import jackdaw_cli

/// The readers of chip cards in `jackdaw devices`, without pcscd.
@Suite struct CardReaderListTests {
    private static let readers = [
        CardReader(number: 0, name: "ACS ACR39U 00 00", state: .present, answerToReset: hex("3B 65 00 00 02")),
        CardReader(number: 1, name: "Virtual PCD 00 00", state: .empty),
    ]

    private func run(
        _ arguments: [String] = [], _ readers: @escaping @Sendable () throws(LinkError) -> [CardReader]
    ) async throws -> (isListed: Bool, lines: [String], messages: String) {
        var environment = CommandEnvironment()
        environment.cardReaders = { () async throws(LinkError) in try readers() }
        return try await onOwnThread { [environment] in
            let verb = try #require(try JackdawCommand.parseAsRoot(["devices"] + arguments) as? Devices)
            let recorder = ConsoleRecorder()
            let isListed = try verb.listCardReaders(isApart: false, on: recorder.console, in: environment)
            recorder.console.flush()
            return (isListed, recorder.output.split(separator: "\n").map(String.init), recorder.messages)
        }
    }

    @Test func readersAreListed() async throws {
        let run = try await run { Self.readers }
        #expect(run.isListed)
        let cells = run.lines.map { $0.split(separator: /\s{2,}/).map(String.init) }
        #expect(
            cells == [
                ["link", "number", "state", "answer to reset"],
                ["pcsc:ACS ACR39U 00 00", "pcsc:0", "present", "3B65000002"],
                ["pcsc:Virtual PCD 00 00", "pcsc:1", "empty"],
            ])
    }

    @Test func objectsHaveTheValuesOfAReader() async throws {
        let run = try await run(["--json"]) { Self.readers }
        #expect(
            run.lines == [
                #"{"kind":"card_reader","link":"pcsc:ACS ACR39U 00 00","number":0,"name":"ACS ACR39U 00 00","#
                    + #""state":"present","atr":"3B65000002"}"#,
                #"{"kind":"card_reader","link":"pcsc:Virtual PCD 00 00","number":1,"name":"Virtual PCD 00 00","#
                    + #""state":"empty","atr":null}"#,
            ])
    }

    /// The whole list, on a system whose sound cards cannot be read.
    @Test(arguments: [false, true]) func readersAreListedIfSoundCardsCannotBe(hasAdapter: Bool) async throws {
        var environment = CommandEnvironment()
        environment.cards = { () throws(LinkError) in throw LinkError(.notPermitted, link: "alsa", "not readable") }
        environment.adapters = { () async throws(LinkError) in
            guard hasAdapter else { return [] }
            return [
                BluetoothAdapter(
                    name: "hci0", address: BluetoothAddress(bytes: [0xB8, 0x27, 0xEB, 1, 2, 3]), alias: "counter",
                    isPowered: true)
            ]
        }
        environment.cardReaders = { () async throws(LinkError) in Self.readers }
        let (error, lines) = try await onOwnThread { [environment] in
            let verb = try #require(try JackdawCommand.parseAsRoot(["devices"]) as? Devices)
            let recorder = ConsoleRecorder()
            var failure: CommandError?
            do throws(CommandError) {
                _ = try verb.run(on: recorder.console, in: environment)
            } catch {
                failure = error
            }
            recorder.console.flush()
            let lines = recorder.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return (failure, lines)
        }
        #expect(error?.status == .unavailable)
        #expect(error?.message.contains("not readable") == true)
        let first = try #require(lines.firstIndex { $0.hasPrefix("link ") })
        #expect(lines[first + 1].hasPrefix("pcsc:ACS ACR39U 00 00 "))
        // Kinds are apart from each other.
        #expect(lines.prefix(first).contains { $0.hasPrefix("hci0 ") } == hasAdapter)
        #expect(first == (hasAdapter ? 3 : 0))
        #expect(lines.contains { $0.hasPrefix("\(ReaderFamily.all[0].name) ") })
    }

    @Test(arguments: [LinkError.Code.serviceMissing, .notPermitted])
    func onlyAnAbsentServiceIsQuiet(code: LinkError.Code) async throws {
        let run = try await run { () throws(LinkError) in throw LinkError(code, link: "pcsc", "refused") }
        #expect(!run.isListed)
        #expect(run.lines.isEmpty)
        #expect(run.messages.contains("refused") == (code != .serviceMissing))
    }
}
#endif
