import JackdawPayments
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept

/// Configurations of terminals: the file that the host has, and the version that the journal remembers. The file is that of
/// the sandbox: no source shows the host's.
@Suite struct TerminalConfigurationTests {
    @Test func S1_67_aTerminalIsConfiguredOnceAndTheJournalRemembersIt() async throws {
        let journal = MemoryJournal()
        let till = try await PayTill(journal: journal, chip())
        till.terminals.change { $0.dependsOnConfiguration = true }
        let refused = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(refused?.code == .pay(.cantLoadTerminalConfiguration))
        #expect(till.link.paymentCount == 0)
        #expect(try await till.configureTerminal().configurationVersion == "1")
        #expect(till.link.paths.count { $0 == "/v3/configuration/file.json" } == 1)
        #expect(try await till.pay().isAccepted)
        await till.service.shutDown()

        // Another process on the same journal.
        let next = try await PayTill(journal: journal, chip())
        next.terminals.change { $0.dependsOnConfiguration = true }
        let found = try await next.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID)
        #expect(found.map(\.configurationVersion) == ["1"])
        #expect(try await next.pay(next.config(1000, "A2")).isAccepted)
        // The newest version is there already.
        #expect(try await next.configureTerminal().configurationVersion == "1")
        #expect(!next.link.paths.contains("/v3/configuration/file.json"))
        // Another terminal was never configured, nor was the same one after it changed its name.
        next.terminals.change { $0.uuid = "PosMate 2" }
        #expect(
            try await next.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).map(\.isUnconfigured) == [true])
    }

    @Test func S1_146_aPosMateAndAnSPm2AreSideBySide() async throws {
        let till = try await PayTill(chip())
        let vendor = AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire")
        till.accept.use(
            AcceptReaderTerminals(
                ["PosMate", "SPm2"].map { model in
                    AcceptReaderTerminals.Reader(
                        vendor: vendor, terminal: AcceptTerminal(uuid: "\(model) 1", displayName: model, model: model),
                        model: .posMate,
                        open: { () throws(LinkError) in throw LinkError(.notFound, link: "test", "\(model)") })
                }, clock: till.clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
                seal: { .tagLengthValue($0) }))
        #expect(await till.accept.discoverSupportedVendors() == [vendor])
        var found = try await till.accept.discoverTerminalsForVendor(vendor.uuid)
        #expect(found.map(\.uuid) == ["PosMate 1", "SPm2 1"])
        #expect(found.map(\.isUnconfigured) == [true, true])
        // Each has its own configuration, and its own link.
        for (index, expected) in [(1, [true, false]), (0, [false, false])] {
            _ = try await till.accept.configure(
                found[index], of: vendor.uuid, andToken: till.token, config: ConfigurationTests.backend)
            found = try await till.accept.discoverTerminalsForVendor(vendor.uuid)
            #expect(found.map(\.isUnconfigured) == expected)
        }
        for (number, terminal) in found.enumerated() {
            var config = till.config(1000, "A\(number)")
            config.terminalUUID = terminal.uuid
            let error = await failure { [config] () throws(AcceptError) in try await till.pay(config) }
            #expect(error?.code == .pay(.terminalNotReady))
            #expect(error?.message.contains(terminal.model) == true)
        }
    }

    @Test(arguments: ["garbled", "cut=1", "silent-after", "status=503"])
    func aConfigurationThatDoesNotComeIsNotRemembered(fault: String) async throws {
        let till = try await PayTill(chip())
        till.link.plan(fault, "configuration/file.json")
        let task = Task { try await till.configureTerminal() }
        if fault.hasPrefix("silent") { await till.wait(Accept.requestLimit) }
        let error = await #expect(throws: AcceptError.self) { try await task.value }
        #expect(error?.code == .config(.zipDownload))
        #expect(
            try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).map(\.isUnconfigured) == [true])
    }

    @Test func aConfigurationThatTheJournalCannotKeepIsNone() async throws {
        let till = try await PayTill(chip())
        till.terminals.change { $0.dependsOnConfiguration = true }
        let found = try #require(await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).first)
        await till.service.shutDown()
        let error = await #expect(throws: AcceptError.self) {
            try await till.accept.configure(
                found, of: AcceptSpireVendorUUID, andToken: till.token, config: ConfigurationTests.backend)
        }
        #expect(error?.code == .notRunning)
    }

    @Test func theCompletionHasTheTerminal() async throws {
        let till = try await PayTill(chip())
        till.terminals.change { $0.dependsOnConfiguration = true }
        let found = try #require(await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID).first)
        let (terminals, continuation) = AsyncStream<AcceptTerminal?>.makeStream()
        till.accept.configure(
            found, of: AcceptSpireVendorUUID, andToken: till.token, config: ConfigurationTests.backend
        ) { terminal, error in
            #expect(error == nil)
            continuation.yield(terminal)
            continuation.finish()
        }
        for await terminal in terminals { #expect(terminal?.configurationVersion == "1") }
    }

    // MARK: the file

    private func files(_ text: String) throws -> AcceptTerminalConfigFiles { try AcceptTerminalConfigFiles(body(text)) }

    @Test(arguments: [
        ("/v3/file", "https://a", "/v3/file"), ("https://a/v3/file", "https://a", "/v3/file"),
        ("https://a/v3/file", "https://a/", "/v3/file"), ("https://a:8443/f", "https://a", nil),
        ("https://a.example/f", "https://a", nil), ("https://b/f", "https://a", nil),
        ("https://a/../f", "https://a", nil), ("https://a", "https://a", nil),
    ])
    func aFileIsFetchedFromTheHostAlone(url: String, host: String, path: String?) throws {
        #expect(try files(#"{"version": "1", "url": "\#(url)"}"#).path(at: host) == path)
    }

    @Test(arguments: [
        ("", "", true), ("", "ffffffffffffffffffffffffffffffff", false),
        // The digest of the file by md5sum, in capital letters.
        ("", "59746162977075CFFF0F483BD266017D", true), ("2", "", false), ("[", "", false),
        (#"{"terminals":[1],"version":"1"}"#, "", false), (#"{"version":"1"}"#, "", false), ("{}", "", false),
    ])
    func aFileMustBeTheAnnouncedOne(text: String, md5: String, isRead: Bool) throws {
        let file = text.isEmpty ? #"{"terminals":["PosMate","SPm2"],"version":"1"}"# : text
        let announced = try files(#"{"version": "1", "url": "/f", "md5": "\#(md5)"}"#)
        do throws(AcceptError) {
            let configuration = try TerminalConfiguration(body(file), announcedBy: announced)
            #expect(isRead)
            #expect(configuration.isFor(AcceptTerminal(uuid: "1", displayName: "1", model: "spm2")))
            #expect(!configuration.isFor(AcceptTerminal(uuid: "1", displayName: "1", model: "SPm20")))
        } catch {
            #expect(!isRead)
            #expect(error.code == .config(.zipDownload))
        }
    }

    @Test func anyBytesAreAFileOrAnError() throws {
        var random = SeededRandom(seed: 31)
        let announced = try files(#"{"version": "1", "url": "/f"}"#)
        let valid = Array(#"{"terminals":["PosMate","SPm2"],"version":"1"}"#.utf8)
        for _ in 0..<2000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.remove(at: place)
                }
            }
            do throws(AcceptError) { _ = try TerminalConfiguration(body(bytes), announcedBy: announced) } catch {
                #expect(error.code == .config(.zipDownload))
            }
        }
    }

    /// The test suite of RFC 1321, A.5, and texts around the size of a block by md5sum.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
        (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        (String(repeating: "a", count: 55), "ef1772b6dff9a122358552954ad0df65"),
        (String(repeating: "a", count: 56), "3b0c8ac703f828b04c6c197006d17218"),
        (String(repeating: "a", count: 64), "014842d480b571495a4a0363793f7367"),
    ])
    func digestsAreThoseOfTheStandard(text: String, digest: String) {
        #expect(MD5Digest(of: Array(text.utf8)).octets == hex(digest))
    }
}
