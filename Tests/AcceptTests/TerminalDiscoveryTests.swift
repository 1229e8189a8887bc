import Accept
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// Vendors, terminals, their batteries and connections. Source of the calls: the Accept SDK integration guide 1.6.182, chapter 3.1.
@Suite struct TerminalDiscoveryTests {
    @Test func S1_31_vendorsAreThoseOfTheProgramAndTheFile() async throws {
        var till = try await PayTill(chip())
        #expect(await till.accept.discoverSupportedVendors().map(\.displayName) == ["Spire", "ID-Tech"])
        till = try await PayTill(methods: PayTill.methods(), chip())
        #expect(await till.accept.discoverSupportedVendors().map(\.uuid) == [AcceptSpireVendorUUID])
    }

    @Test func S1_32_terminalsOfAVendorAreFound() async throws {
        let till = try await PayTill(methods: PayTill.methods(), chip())
        let found = try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID)
        #expect(found.map(\.uuid) == ["PosMate 1"])
        #expect(found.first?.alternativeDisplayName == "PosMate 1")
        for vendor in [AcceptIDTECHVendorUUID, "other"] {
            do throws(AcceptError) {
                _ = try await till.accept.discoverTerminalsForVendor(vendor)
                Issue.record("it was found")
            } catch { #expect(error.code == .common(.vendorNotFound)) }
        }
        till.terminals.change { $0.model = "SPm9" }
        #expect(try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).isEmpty)
    }

    @Test(arguments: [
        (AcceptBatteryLevel.percent(55), 55), (.percent(0), 0), (.percent(101), 100), (.notAvailable, -1),
        (.noAnswer, -2), (.charging, -3),
    ])
    func S1_42_S1_43_S1_44_S1_45_batteriesHaveTheNumbersOfTheSDK(level: AcceptBatteryLevel, number: Int) async throws {
        let till = try await PayTill(chip())
        till.terminals.setLevel(level)
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == number)
        #expect(await till.accept.percentageBatteryRemainingForTerminal("other") == -1)
    }

    @Test func S1_46_aPaymentIsNotInterruptedByAQuestionForTheBattery() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == -2)
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .connected)
        #expect(till.terminals.batteryQuestions == 0)
        #expect(await run.cancel())
        #expect(await till.accept.percentageBatteryRemainingForTerminal(AcceptSpireVendorUUID) == 80)
    }

    @Test func S1_47_anEmptyBatteryStopsThePayment() async throws {
        let till = try await PayTill(
            chip(1000, ["prepare": [.reason(.lowBatteryLevel), .payment(.preparationFailed)]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.lowBatteryLevel))
        #expect(error?.decline?.advice == .checkTerminal)
        #expect(till.link.paymentCount == 0)
    }

    @Test func S1_137_theConnectionOfATerminalIsKnown() async throws {
        let till = try await PayTill(chip())
        #expect(await till.accept.terminalConnectionStatus(AcceptSpireVendorUUID) == .connected)
        #expect(await till.accept.terminalConnectionStatus(AcceptIDTECHVendorUUID) == .disconnected)
    }
}
