import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// `jackdaw listen` reports a low battery once, whether the link or the reader reports it.
@Suite struct ListenBatteryTests: ListeningSuite {
    private static let link = "tcp:192.0.2.7:4000"
    private static let visa = SimulatedCard.deck[0]

    /// Each family that reports its battery (`miura` at connection, `edynamo` with a swipe), over a link that is opened
    /// once and over one that is kept open.
    @Test(arguments: [
        ("miura", "sim:miura"), ("miura", link), ("edynamo", "sim:edynamo"), ("edynamo", "ble:00:00:5E:00:53:01"),
    ])
    func aLowBatteryThatTheReaderReportsIsReported(family: String, link: String) async throws {
        let reader = ([Presentation(Self.visa)], [PlannedFault(.lowBattery)])
        let environment = try environment([reader], family: family)
        let run = try await run(["--link", link, "--reader", family, "--json", "--swipes", "1"], by: environment)
        #expect(run.status == .done, "\(run.messages)")
        let low = try run.lines.map(jsonObject).filter { $0["event"] as? String == "battery_low" }
        #expect(low.map { $0["percent"] as? Int } == [5])
        #expect(low.map { $0["link"] as? String } == [link])
    }

    @Test func aLowBatteryIsReportedOnceAfterALoss() async throws {
        let (low, lost) = (PlannedFault(.lowBattery), PlannedFault(.disconnect, 4..<5))
        let environment = try environment([
            ([Presentation(Self.visa)], [low, lost]), ([Presentation(Self.visa)], [low]),
        ])
        let run = try await run(["--link", Self.link, "--reader", "miura", "--json", "--swipes", "2"], by: environment)
        #expect(run.status == .done, "\(run.messages)")
        let events = try run.lines.map { try jsonObject($0)["event"] as? String }
        #expect(events.count { $0 == "identified" } == 2)
        #expect(events.count { $0 == "battery_low" } == 1)
    }

    /// The link and the reader report the same battery: at most one `battery_low` follows.
    @Test(arguments: [(80, 0), (16, 0), (15, 1)])
    func aBatteryThatTheLinkAndTheReaderReportIsLowOnce(percent: Int, count: Int) async throws {
        var device = SimulatedDevice()
        device.battery = percent
        var environment = try environment([])
        environment.connect = { [device] link, _, _ throws(LinkError) in
            let base = SimulatorHost.open(link, clock: LeapingClock(most: .seconds(10))) {
                SimulatedReader(MiuraModel(), device: device, deck: [Presentation(Self.visa)])
            }
            return LinkWithBattery(base: base, report: BatteryReport(percent: device.battery))
        }
        let run = try await run(["--link", Self.link, "--reader", "miura", "--json", "--swipes", "1"], by: environment)
        #expect(run.status == .done, "\(run.messages)")
        let events = try run.lines.map { try jsonObject($0)["event"] as? String }
        #expect(events.count { $0 == "battery_low" } == count)
    }

    /// A link whose device reports its battery.
    private struct LinkWithBattery: Transport, BatteryReporting {
        let base: any Transport
        let report: BatteryReport

        var link: LinkName { base.link }

        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }
        func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
        func endSending() async throws(LinkError) { try await base.endSending() }
        func close() async { await base.close() }
        func batteryReports() async -> AsyncStream<BatteryReport> {
            AsyncStream { continuation in
                continuation.yield(report)
                continuation.finish()
            }
        }
    }
}
