#if Payments
import Accept
import JackdawConsole
import JackdawReaders
import JackdawTransport
import Testing

@testable import jackdaw_pay

/// The list of real readers, with devices that a test hands in.
struct NearbyReadersTests {
    private static func readers(
        _ paired: Result<[FoundDevice], LinkError> = .success([]),
        _ cards: Result<[FoundDevice], LinkError> = .success([])
    ) -> NearbyReaders {
        NearbyReaders(
            paired: { () async throws(LinkError) in try paired.get() },
            cards: { () async throws(LinkError) in try cards.get() })
    }

    private static func device(_ link: String, _ name: String) throws -> FoundDevice {
        FoundDevice(link: try LinkName(parsing: link), name: name, isPaired: true)
    }

    @Test func readersAreListedWithTheirLinks() async throws {
        let paired = [
            try Self.device("rfcomm:00:00:00:00:00:01", "Miura 512"),
            try Self.device("rfcomm:00:00:00:00:00:02", "Keyboard"),
            try Self.device("rfcomm:00:00:00:00:00:03", "PosMate"),
        ]
        let cards = [try Self.device("alsa:hw:CARD=Device,DEV=0", "USB Audio")]
        let output = TillOutput()
        let status = try await TerminalsVerb.listNearby(
            Self.readers(.success(paired), .success(cards)), on: output.printer())
        #expect(status == .done)
        let found = output.events("terminal").map { [$0["terminal"]?.text, $0["link"]?.text, $0["name"]?.text] }
        #expect(
            found == [
                ["miura", "rfcomm:00:00:00:00:00:01", "Miura 512"], ["posmate", "rfcomm:00:00:00:00:00:03", "PosMate"],
                ["unimag", "alsa:hw:CARD=Device,DEV=0", "USB Audio"],
            ])
        #expect(output.events("terminal").map { $0["vendor_uuid"]?.text }.last == AcceptIDTECHVendorUUID)
    }

    @Test func oneSearchThatFailsIsReportedAndTheOthersAreListed() async throws {
        let cards = [try Self.device("alsa:hw:1,0", "USB Audio")]
        let output = TillOutput()
        let readers = Self.readers(
            .failure(LinkError(.serviceMissing, link: "bluetoothd", "not running")), .success(cards))
        #expect(try await TerminalsVerb.listNearby(readers, on: output.printer()) == .done)
        #expect(output.events("terminal").map { $0["terminal"]?.text } == ["unimag"])
        // Once, and not for each vendor.
        #expect(output.text.split(separator: "\n").count { $0.contains("bluetoothd") } == 1)
    }

    @Test func noReaderIsAStatusAndAFailureAnError() async throws {
        #expect(try await TerminalsVerb.listNearby(Self.readers(), on: TillOutput().printer()) == .nothingFound)
        let failing = Self.readers(.failure(LinkError(.notPermitted, link: "bluetoothd", "not permitted")))
        let error = await #expect(throws: CommandError.self) {
            try await TerminalsVerb.listNearby(failing, on: TillOutput().printer())
        }
        #expect(error?.status == .unavailable)
    }
}
#endif
