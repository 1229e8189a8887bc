import Accept
import JackdawCards
import JackdawTestSupport
import Testing

/// The payment view of the guide's demo, which is ported in docs/examples/accept-port. `PaymentView.swift` is that file.
@Suite struct DemoViewTests {
    @Test func S1_30_thePaymentViewOfTheDemoIsPorted() async throws {
        let till = try await PayTill(chip(2000))
        let view = PaymentView(till.accept, ConfigurationTests.backend)
        #expect(await view.tokenLabel == "No Token")
        await view.pay()
        #expect(await view.infoLabel == "The token expired, please login again")
        await view.login("till-1", secret("till-1-password"))
        #expect(await view.tokenLabel == "Valid token")
        #expect(await view.vendor?.displayName == "Spire")
        #expect(await view.terminal?.uuid == "PosMate 1")
        await view.pay()
        #expect(await view.infoLabel == "Please write some amount")
        await view.enter("20.00")
        await view.pay()
        #expect(await view.infoLabel == "approved 20.00 EUR")
        #expect(await view.isRevertEnabled)
        await view.revert()
        #expect(await view.infoLabel == "reversed")
        #expect(await !view.isRevertEnabled)
        #expect(till.link.paymentCount == 1)
        #expect(till.link.paths.contains { $0.hasPrefix("/v3/unique_ids/") && $0.hasSuffix("/reverse.json") })
    }

    @Test func aWrongPasswordIsShown() async throws {
        let till = try await PayTill(chip())
        let view = PaymentView(till.accept, ConfigurationTests.backend)
        await view.login("till-1", secret("wrong"))
        #expect(await view.tokenLabel == "No Token")
        #expect(await view.infoLabel == "The name or the password is wrong.")
    }
}
