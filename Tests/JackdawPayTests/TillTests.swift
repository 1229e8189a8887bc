#if Payments
import Accept
import Foundation
import Glibc
import JackdawCards
import JackdawConsole
import JackdawCryptography
import JackdawLinux
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawStore
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_pay

/// The commands of a till in this process, at a sandbox over HTTP.
@Suite struct TillTests {
    @Test func aLoginKeepsTheTokenForThisUserAlone() async throws {
        try await TillFixture.run { till in
            let output = TillOutput()
            #expect(try await till.logIn(output) == .done)
            let event = try #require(output.events("login").first)
            #expect(event["expires_in"]?.number == 900)
            #expect(event["currencies"] == .array(["EUR", "USD", "JPY", "KWD"].map { .text($0) }))
            for name in ["till/token", "till/secret", "till/host.json"] {
                #expect(try till.files.mode(name) == 0o600, "\(name)")
            }
            let token = try till.folder.login().token.revealedText()
            #expect(token.count == 64)
            #expect(!output.text.contains(token))
            let files = try ["token", "secret", "host.json"].flatMap { try till.files.read("till/\($0)") }
            #expect(!String(decoding: files, as: UTF8.self).contains(TillFixture.password))
        }
    }

    /// A token beside the host of another login would be sent to it.
    @Test func aLoginThatIsKeptInPartHasNoHost() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            // A directory is at the path of the token, which cannot be written.
            try FileManager.default.removeItem(atPath: till.files("till/token"))
            try FileManager.default.createDirectory(
                atPath: till.files("till/token/a"), withIntermediateDirectories: true)
            #expect(await failure { try await till.logIn(user: "other", password: "other-password") } != nil)
            let host = try till.folder.host()
            #expect(host == nil)
            #expect(await failure { try await till.sell() } == .unavailable)
            try FileManager.default.removeItem(atPath: till.files("till/token"))
            #expect(try await till.logIn() == .done)
            // Of the same merchant the host stays.
            try FileManager.default.removeItem(atPath: till.files("till/token"))
            try FileManager.default.createDirectory(
                atPath: till.files("till/token/a"), withIntermediateDirectories: true)
            #expect(await failure { try await till.logIn() } != nil)
            #expect(try till.folder.host()?.address == till.host.address)
        }
    }

    @Test(arguments: ["", "{", "{}", #"{"host":"https://pay.example.com","client":"jackdaw"}"#])
    func aLoginReplacesADamagedHost(text: String) async throws {
        let faults = [
            "status-after=500,route=POST payments.json,times=1",
            "status=503,route=POST unique_ids/{id}/reverse.json,times=1",
        ]
        try await TillFixture.run(faults: faults) { till in
            _ = try await till.logIn()
            try till.files.write(Array(text.utf8), to: "till/host.json")
            #expect(await failure { try await till.sell() } == .badData)
            #expect(try await till.logIn() == .done)
            // The journal has a message for a host that is not known.
            #expect(try await till.sell(wait: .zero, retry: .seconds(600)) == .unsettled)
            try till.files.write(Array(text.utf8), to: "till/host.json")
            #expect(await failure { try await till.logIn() } == .unavailable)
            try FileManager.default.removeItem(atPath: till.files("till/host.json"))
            #expect(try await till.logIn() == .done)
        }
    }

    @Test func aRefusedLoginKeepsNothing() async throws {
        try await TillFixture.run { till in
            #expect(await failure { try await till.logIn(password: "wrong") } == .badData)
            let host = try till.folder.host()
            #expect(host == nil)
            #expect(await failure { try await till.sell() } == .unavailable)
        }
    }

    @Test(arguments: TillTerminal.Kind.linked.map(\.name))
    func aSaleIsApprovedAtEachTerminal(name: String) async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            // A cardholder who swipes the card signs.
            let isSigned = TillTerminal.Kind.named(name)?.onlySwipes == true
            let status = try await till.sell(at: name, to: output) { order in
                if isSigned { order.signature = [0x89, 0x50, 0x4E, 0x47] }
            }
            #expect(status == .done)
            let basket = try #require(output.events("basket").first)
            #expect(basket["amount"]?.number == 600)
            #expect(basket["currency"]?.text == "EUR")
            #expect(basket["payment"]?.text == "P1")
            let steps = output.events("step").compactMap { $0["step"]?.text }
            #expect(steps.first == "initialize")
            #expect(steps.contains("onlineProcessingData"))
            #expect(steps.contains("removeCard") == !isSigned)
            let attempt = try #require(output.events("attempt").last)
            #expect(attempt["state"]?.text == "approved")
            #expect(attempt["card"]?.text == "476173******0010")
            #expect(attempt["queued"] == .null)
            #expect(try await till.booked("P1") == 600)
            #expect(try await till.status("P1") == .done)
        }
    }

    @Test func aSwipeAtAUniMagIsReversedWithoutASignature() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            #expect(try await till.sell(1000, at: "unimag", to: output) == .nothingFound)
            let steps = output.events("step").compactMap { $0["step"]?.text }
            #expect(steps.contains("waitingForSwipe") && !steps.contains("removeCard"))
            let attempt = try #require(output.events("attempt").last)
            #expect(attempt["outcome"]?.text == "declined_signature")
            #expect(attempt["state"]?.text == "reversed")
            #expect(try await till.booked("P1") == 0)
        }
    }

    @Test(arguments: [true, false])
    func aSignatureIsTakenFromTheMerchant(isSigned: Bool) async throws {
        // Cardholder verification by signature, always (EMV Book 3, annex C3: 1E 00).
        let text = PaymentSetup.readyText.replacing("1F00\",", with: "1E00\",")
        let issuer = try SimulatedIssuer.ready()
        let card = try PaymentSetup(
            "till", json: Array(text.utf8), payer: SimulatedPayer(json: Array(PaymentSetup.readyPayerText.utf8)),
            issuer: issuer, LibCryptoPrimitives(mode: .test)
        ) { _ in nil }
        // A PosMate has the signature compared at the reader.
        let kind = try #require(TillTerminal.Kind.named("miura"))
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            let status = try await till.sell(
                1000, to: output, terminal: TillTerminal(simulated: kind, card: card)
            ) { order in
                if isSigned { order.signature = [0x89, 0x50, 0x4E, 0x47] }
            }
            #expect(status == (isSigned ? .done : .nothingFound))
            let attempt = try #require(output.events("attempt").last)
            #expect(attempt["outcome"]?.text == (isSigned ? "approved" : "declined_signature"))
            #expect(attempt["state"]?.text == (isSigned ? "approved" : "reversed"))
            #expect(try await till.booked("P1") == (isSigned ? 1000 : 0))
        }
    }

    /// A reader of another program, over TCP.
    @Test func aSaleIsPaidAtALink() async throws {
        let listener = try TCPListener(at: TCPAddress(host: "127.0.0.1", port: 0))
        let card = PaymentSetup.builtIn()
        let reader = Task {
            let model = try #require(card.terminal(of: .miura, LibCryptoPrimitives(mode: .test)))
            await SimulatorHost(try await listener.accept()) { SimulatedReader(model) }.run()
        }
        let kind = try #require(TillTerminal.Kind.named("miura"))
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let terminal = TillTerminal(kind, at: listener.address.link)
            #expect(try await till.sell(1000, terminal: terminal) == .done)
            #expect(try await till.booked("P1") == 1000)
        }
        reader.cancel()
        _ = await reader.result
    }

    @Test func aTerminalIsConfiguredBeforeItsFirstSale() async throws {
        // The first request for the file fails, the second does not, and all others would.
        let faults = [
            "status=404,route=GET configuration/file.json,times=1",
            "status=404,route=GET configuration/file.json,after=2",
        ]
        try await TillFixture.run(faults: faults) { till in
            _ = try await till.logIn()
            #expect(await failure { try await till.sell(1000) } == .unavailable)
            #expect(try await till.booked("P1") == 0)
            #expect(try await till.sell(1000) == .done)
            // The journal of the till remembers it.
            #expect(try await till.sell(1000, payment: "P2") == .done)
            #expect(try await till.booked("P2") == 1000)
        }
    }

    /// A serial line and a sound card that are not there.
    @Test(arguments: [("miura", "pty:/dev/none"), ("unimag", "alsa:jackdaw-none")])
    func aTerminalThatIsAwayIsUnavailable(name: String, address: String) async throws {
        let kind = try #require(TillTerminal.Kind.named(name))
        let link = try LinkName(parsing: address)
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(
                await failure { try await till.sell(terminal: TillTerminal(kind, at: link)) } == .unavailable)
        }
    }

    @Test func aSaleIsDeclined() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            // The amount that the issuer of the sandbox declines.
            #expect(try await till.sell(5105, to: output) == .nothingFound)
            #expect(output.events("attempt").last?["state"]?.text == "declined")
            let decline = try #require(output.events("decline").last)
            #expect(decline["code"]?.text == "transactionNotApproved")
            #expect(decline["group"]?.text == "host")
            #expect(decline["advice"]?.text == "useOtherCard")
            #expect(try await till.booked("P1") == 0)
            #expect(try await till.status("P1") == .nothingFound)
        }
    }

    /// The payment is booked, its answer is lost, and the first reversal is refused for a while.
    @Test func anUnknownOutcomeIsClearedUpByTheNextCommand() async throws {
        let faults = [
            "status-after=500,route=POST payments.json,times=1",
            "status=503,route=POST unique_ids/{id}/reverse.json,times=1",
        ]
        try await TillFixture.run(faults: faults) { till in
            _ = try await till.logIn()
            let output = TillOutput()
            #expect(try await till.sell(to: output, wait: .zero, retry: .seconds(600)) == .unsettled)
            let attempt = try #require(output.events("attempt").last)
            #expect(attempt["state"]?.text == "unknown")
            #expect(attempt["queued"]?.text == "reversal")
            #expect(output.events("decline").last?["advice"]?.text == "waitForOutcome")
            #expect(try await till.booked("P1") == 600)
            #expect(try await till.status("P1") == .unsettled)

            let list = TillOutput()
            #expect(try await JournalReading(folder: till.folder, printer: list.printer()).list() == .done)
            #expect(list.events("attempt").map { $0["payment"]?.text } == ["P1"])

            // A login at another host would send the reversal there.
            let other = TillHost(address: "http://127.0.0.1:1", authority: nil, client: "jackdaw")
            let refused = await failure {
                try await LoggingIn(folder: till.folder, host: other, printer: list.printer()).run(
                    "till-1", TillFixture.text(TillFixture.password), TillFixture.text(TillFixture.secret))
            }
            #expect(refused == .unavailable)
            #expect(try till.folder.host()?.address == till.host.address)

            // Without a login the message stays.
            till.server.clock.advance(by: .seconds(1000))
            let flush = TillOutput()
            let flushAll: @Sendable () async throws -> JackdawConsole.ExitStatus = {
                try await till.use(flush) { till, printer throws(CommandError) in
                    try await JournalFlush(till: till, wait: .seconds(60), printer: printer).run()
                }
            }
            #expect(await failure(flushAll) == .unavailable)
            #expect(try await till.status("P1") == .unsettled)
            #expect(try await till.logIn() == .done)
            #expect(try await flushAll() == .done)
            #expect(flush.events("attempt").last?["state"]?.text == "reversed")
            #expect(try await till.booked("P1") == 0)
            #expect(try await till.status("P1") == .nothingFound)
        }
    }

    /// The users till-1 and till-2 are of one merchant, the user other of another one.
    @Test func aLoginOfAnotherMerchantWaitsForTheJournal() async throws {
        let faults = [
            "status-after=500,route=POST payments.json,times=1",
            "status=503,route=POST unique_ids/{id}/reverse.json,times=1",
        ]
        try await TillFixture.run(faults: faults) { till in
            _ = try await till.logIn()
            #expect(try await till.sell(wait: .zero, retry: .seconds(600)) == .unsettled)
            let merchant = try #require(try till.folder.host()?.merchant)
            #expect(await failure { try await till.logIn(user: "other", password: "other-password") } == .unavailable)
            #expect(try till.folder.host()?.merchant == merchant)
            #expect(try await till.logIn(user: "till-2", password: "till-2-password") == .done)
            #expect(try till.folder.host()?.merchant == merchant)
            _ = try await till.use { till, printer throws(CommandError) in
                try await JournalFlush(till: till, wait: .seconds(60), printer: printer).run()
            }
            #expect(try await till.status("P1") == .nothingFound)
            #expect(try await till.booked("P1") == 0)
            #expect(try await till.logIn(user: "other", password: "other-password") == .done)
            let other = try #require(try till.folder.host()?.merchant)
            #expect(other != merchant)
        }
    }

    /// Another till has used the identifier for another amount.
    @Test func aPersonSettlesAPayment() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let output = TillOutput()
            _ = try await till.server.send(
                "POST", "payments.json", PayFixture.payment("P1", 999), token: till.server.token())
            #expect(try await till.sell(to: output) == .unsettled)
            #expect(output.events("attempt").last?["state"]?.text == "needsAttention")
            func settle(
                _ payment: String, _ result: AttentionResult
            ) async throws(CommandError) -> JackdawConsole.ExitStatus {
                try await till.use(output) { open, printer throws(CommandError) in
                    guard let name = AttemptIdentifier(rawValue: payment) else { throw CommandError(.usage, "no name") }
                    return try await JournalFlush(till: open, wait: .seconds(60), printer: printer).settle(
                        name, result, note: "by phone")
                }
            }
            #expect(await failure { try await settle("P2", .unpaid) } == .nothingFound)
            #expect(try await settle("P1", .sendAgain) == .unsettled)
            #expect(try await settle("P1", .unpaid) == .nothingFound)
            #expect(output.events("attempt").last?["state"]?.text == "failed")
            #expect(await failure { try await settle("P1", .paid) } == .nothingFound)
        }
    }

    @Test func aRepeatedSaleIsTheSamePayment() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            for _ in 0..<2 { #expect(try await till.sell(1000) == .done) }
            #expect(try await till.booked("P1") == 1000)
            // The same identifier with another basket is another request.
            #expect(await failure { try await till.sell(1100) } == .nothingFound)
        }
    }

    @Test func anExpiredLoginReadsNoCard() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            till.server.clock.advance(by: .seconds(1000))
            let output = TillOutput()
            #expect(await failure { try await till.sell(to: output) } == .unavailable)
            #expect(output.events("step").isEmpty)
            #expect(try await till.logIn() == .done)
            #expect(try await till.sell() == .done)
        }
    }

    @Test func aBasketThatTheMerchantDoesNotTakeIsAnErrorOfUsage() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            #expect(await failure { try await till.sell { $0.currency = "CHF" } } == .usage)
            #expect(await failure { try await till.sell(0) } == .usage)
            #expect(await failure { try await till.sell(1000) { $0.items = [] } } == .usage)
        }
    }

    @Test func oneCommandUsesAJournal() async throws {
        try await TillFixture.run { till in
            _ = try await till.logIn()
            let journal = try await OpenTill.openJournal(till.folder)
            #expect(await failure { try await till.status("P1") } == .unavailable)
            #expect(await failure { try await till.sell() } == .unavailable)
            await journal.close()
            #expect(await failure { try await till.status("P1") } == .nothingFound)
        }
    }

    /// Otherwise a sale could begin between the check of the journal and the change of the login.
    @Test func aLoginHoldsTheJournalUntilItsEnd() async throws {
        try await TillFixture.run(faults: ["slow=1000,route=GET user.json,times=1"]) { till in
            async let ending = till.logIn()
            await till.server.clock.sleepers(1)
            #expect(await failure { try await till.status("P1") } == .unavailable)
            till.server.clock.advance(by: .seconds(1))
            #expect(try await ending == .done)
            #expect(await failure { try await till.status("P1") } == .nothingFound)
            let journal = try await OpenTill.openJournal(till.folder)
            #expect(await failure { try await till.logIn() } == .unavailable)
            await journal.close()
        }
    }

    @Test func resultsThatCannotBeWrittenAreAnErrorOfOutput() throws {
        let messages = Shared<[UInt8]>([])
        let printer = TillPrinter(
            Console(
                results: { _ throws(SystemFailure) in throw SystemFailure(code: ENOSPC) },
                messages: { bytes throws(SystemFailure) in messages.with { $0 += bytes } }, isWatched: false),
            isJSON: true)
        printer.print("step", []) { _ in }
        #expect(printer.hasFailed)
        let done = try printer.status { () throws(CommandError) in .done }
        #expect(done == .inputOutput)
        let unsettled = try printer.status { () throws(CommandError) in
            throw CommandError(.unsettled, "the outcome is not known")
        }
        #expect(unsettled == .inputOutput)
        // The error of the work is reported, too.
        let lines = String(decoding: messages.with { $0 }, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.contains("the outcome is not known") })
    }

    @Test func writtenResultsLeaveTheStatusOfTheWork() async throws {
        let printer = TillOutput().printer()
        printer.print("step", []) { _ in }
        let status = try printer.status { () throws(CommandError) in .nothingFound }
        #expect(status == .nothingFound)
        let refused = await failure {
            try printer.status { () throws(CommandError) in throw CommandError(.unavailable, "no login") }
        }
        #expect(refused == .unavailable)
    }

    // MARK: the command line

    @Test(arguments: [
        ("Coffee:2.50:2:19%", AcceptBasketItem(grossPrice: 250, note: "Coffee", quantity: 2, taxRate: 1900)),
        ("Tea:3", AcceptBasketItem(grossPrice: 300, note: "Tea")),
        ("Käse und Brot:1,5:3", AcceptBasketItem(grossPrice: 150, note: "Käse und Brot", quantity: 3)),
        ("Book:10.00:1:7.7%", AcceptBasketItem(grossPrice: 1000, note: "Book", taxRate: 770)),
    ])
    func itemsAreRead(text: String, item: AcceptBasketItem) {
        #expect(AcceptBasketItem(argument: text) == item)
    }

    @Test(arguments: [
        "", "Coffee", ":2.50", "Coffee:", "Coffee:-1", "Coffee:2.505", "Coffee:2.50:", "Coffee:2.50:two",
        "Coffee:2.50:+2", "Coffee:2.50:2:19", "Coffee:2.50:2:%", "Coffee:2.50:2:19%:x", "Coffee:2.50:2:1e2%",
        "Coffee:9999999999999", "Coffee:2.50:99999999999999999999",
    ])
    func otherItemsAreNot(text: String) {
        #expect(AcceptBasketItem(argument: text) == nil)
    }

    @Test func placesOfSecretsAreRead() throws {
        #expect(SecretPlace("-") == .standardInput)
        #expect(SecretPlace("credential:token") == .credential("token"))
        #expect(SecretPlace("./credential:token") == .file("./credential:token"))
        let files = try TemporaryFolder()
        #expect(try SecretPlace(files.write(Array("word\n".utf8), to: "a")).read() == TillFixture.text("word"))
        for (bytes, name, mode, status) in [
            ("word", "b", 0o644, JackdawConsole.ExitStatus.noInput), ("", "c", 0o600, .badData),
            ("\n", "d", 0o600, .badData),
        ] {
            let path = try files.write(Array(bytes.utf8), to: name, mode: mode)
            let error = #expect(throws: CommandError.self, "\(name)") { try SecretPlace(path).read() }
            #expect(error?.status == status, "\(name)")
        }
        let missing = #expect(throws: CommandError.self) { try SecretPlace(files("none")).read() }
        #expect(missing?.status == .noInput)
    }

    @Test(arguments: [
        ("https://pay.example.com/v3", "https://pay.example.com"),
        ("https://pay.example.com/v3/", "https://pay.example.com"),
        ("https://pay.example.com", "https://pay.example.com"),
        ("https://pay.example.com/a", "https://pay.example.com/a"),
    ])
    func thePathOfTheVersionIsLeftOut(address: String, base: String) {
        #expect(TillHost(address: address, authority: nil, client: "jackdaw").address == base)
    }

    @Test func eachModelOfTheSDKHasATerminal() {
        let kinds = TillTerminal.Kind.all
        #expect(Set(kinds.compactMap(\.model)) == Set(AcceptReaderTerminals.Model.allCases))
        #expect(kinds.map(\.name) == ["emvswiper", "miura", "posmate", "spm20", "unimag"])
        #expect(kinds.map(\.vendor.displayName) == ["BBPOS", "miura", "Spire", "Spire", "ID TECH"])
        #expect(Set(kinds.map(\.name)).count == kinds.count)
        for kind in kinds {
            #expect(TillTerminal.Kind.named(kind.name) == kind)
            #expect(TillTerminal.Kind.named(kind.family) == kind)
            #expect(kind.simulatedLink.description == "sim:\(kind.name)")
        }
    }

    @Test(arguments: AttemptState.allCases)
    func eachStateHasAStatus(state: AttemptState) {
        let status = state.exitStatus
        #expect((status == .done) == (state == .approved))
        #expect((status == .unsettled) == !state.isFinal)
    }
}
#endif
