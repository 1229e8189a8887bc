#if PCSC
import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawPCSC
import JackdawReaders
import JackdawSimulator
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Whole contact transactions over a `pcsc:` link: the kernel and its session, libpcsclite, pcscd, the virtual reader
/// of vsmartcard, and the cards of `cards`. Cryptograms and the issuer's answers were computed by pyemv 1.5.0
/// (`Benchmarks/tools/card-cryptograms`); `CardCryptogramTests` has the same transactions without readers.
@Suite(
    .serialized, .enabled(if: PCSCDaemon.obstacle == nil, "pcscd cannot be started: see PCSCDaemon.obstacle"),
    .timeLimit(.minutes(30)))
struct ContactTransactionTests {
    /// A transaction with a new card, and its outcome.
    struct Payment {
        /// Minor units of EUR.
        let amount: UInt64
        /// The issuer's authentication data (91), with which it approves; nil if it must not be asked.
        var issuer: String?
        let disposition: KernelOutcome.Disposition
        /// The card's last cryptogram; nil for a false issuer, as no other program has computed it.
        var cryptogram: String?
        /// The counter of the last transaction online, which the card sets if it believes its issuer.
        var lastOnline: [UInt8] = [0, 0]
    }

    struct File {
        let name: String
        let application: [UInt8]
        let applicationVersion: [UInt8]
        let pin: [UInt8]
        let payments: [Payment]

        static let all = [
            File(
                name: "visa-dda", application: hex("A0000000031010"), applicationVersion: hex("0096"),
                pin: [1, 2, 3, 4],
                payments: [
                    Payment(amount: 1000, disposition: .approved, cryptogram: "EB5939E76474D126"),
                    Payment(amount: 250_000, disposition: .declined, cryptogram: "E13A95BEE7805B81"),
                    Payment(
                        amount: 6000, issuer: "A7F14960D89E01E23030", disposition: .approved,
                        cryptogram: "3C95A296609B767D", lastOnline: [0, 1]),
                    Payment(amount: 6000, issuer: "00112233445566773030", disposition: .declined),
                ]),
            File(
                name: "m-chip-cda", application: hex("A0000000041010"), applicationVersion: hex("0002"),
                pin: [4, 3, 1, 5],
                payments: [
                    Payment(amount: 1000, disposition: .approved, cryptogram: "4AB9931B533D69D0"),
                    Payment(amount: 250_000, disposition: .declined, cryptogram: "CBF166D499C2347B"),
                    Payment(
                        amount: 6000, issuer: "4FCFF74A8CAEDA2C0012", disposition: .approved,
                        cryptogram: "AFCA7C2B6D6E397E", lastOnline: [0, 1]),
                    Payment(amount: 6000, issuer: "00112233445566773030", disposition: .declined),
                ]),
        ]

        private var text: Data {
            get throws {
                let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
                return try Data(contentsOf: URL(fileURLWithPath: "\(root)/cards/\(name).json"))
            }
        }

        var card: VirtualCard {
            get throws { try VirtualCard(json: Array(try text), LibCryptoPrimitives(mode: .test)) }
        }

        /// The terminal, with the key of the card's certification authority.
        var configuration: KernelConfiguration {
            get throws {
                let object = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
                let entry = try #require((object["applications"] as? [[String: Any]])?.first)
                let rsa = try #require(entry["rsa"] as? [String: Any])
                let authority = try #require(rsa["authority"] as? [String: String])
                var configuration = KernelConfiguration(
                    type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
                    additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
                    country: hex("0528"), applicationVersion: applicationVersion)
                configuration.limits = RiskLimits(floorLimit: 10_000)
                configuration.keys = AuthenticationKeys([
                    CertificationAuthorityKey(
                        provider: Array(application.prefix(5)), index: hex(try #require(rsa["index"] as? String))[0],
                        key: RSAPublicKey(
                            modulus: hex(authority["modulus"] ?? ""), exponent: hex(authority["exponent"] ?? "")))
                ])
                return configuration
            }
        }
    }

    private struct Terminal: ContactTerminal {
        let pin: [UInt8]
        let issuer: String?
        let questions = Shared(0)

        func chooseApplication(_ candidates: [ApplicationCandidate]) async -> Int? { 0 }

        func enterPIN(_ request: PINRequest) async -> PINEntry { .digits(SecretOctets(pin)) }

        func authorise(_ request: OnlineRequest) async -> HostAnswer {
            questions.with { $0 += 1 }
            guard let issuer, let code = AuthorisationResponseCode(hex("3030")) else { return .unreachable }
            return .answered(HostResponse(isApproved: true, responseCode: code, authenticationData: hex(issuer)))
        }
    }

    @Test(arguments: File.all.indices) func theKernelPaysOverTheLink(number: Int) async throws {
        let daemon = try await PCSCDaemon()
        await #expect(processExitsWith: .success) {
            [number = number as Int, socket = daemon.socket as String, port = daemon.port as UInt16] in
            PCSCDaemon.use(socket)
            let file = File.all[number]
            for payment in file.payments { try await Self.pay(payment, file, port) }
        }
    }

    /// Inserts a card, pays, and removes the card.
    private static func pay(_ payment: Payment, _ file: File, _ port: UInt16) async throws {
        let connector = try TCPConnector(loop: EventLoop(name: "vpcd"))
        let reader = try await connector.connect(to: TCPAddress(host: "127.0.0.1", port: port))
        let card = try file.card
        let running = Task {
            var host = VirtualCardHost(card)
            try await host.run(over: reader) { _ in }
        }
        try await awaitReader(.present)
        let link = try await LinuxDevices().connect(LinkName(.pcsc, "0"))
        try await pay(payment, file, over: CardChannel(link))
        await link.close()
        running.cancel()
        _ = await running.result
        await reader.close()
        try await awaitReader(.empty)
    }

    private static func pay(_ payment: Payment, _ file: File, over channel: CardChannel) async throws {
        let terminal = Terminal(pin: file.pin, issuer: payment.issuer)
        // The unpredictable number and the padding of the PIN of pyemv's transactions.
        let session = ContactSession(channel, terminal) { [UInt8](repeating: 0x5A, count: $0) }
        let selection = ApplicationSelection(
            [
                try SupportedApplication(hex("A000000003"), allowsPartialName: true),
                try SupportedApplication(hex("A000000004"), allowsPartialName: true),
            ], on: .contact)
        let step = try await session.select(selection)
        guard case .selected(let application, let objects) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(application.name == file.application)
        let transaction = KernelTransaction(
            amount: payment.amount, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        let outcome = try await session.run(
            try ContactKernel(
                try file.configuration, transaction, application: objects, LibCryptoPrimitives(mode: .test)))
        #expect(outcome.disposition == payment.disposition)
        #expect(outcome.isReversalRequired == (payment.issuer != nil && payment.disposition == .declined))
        #expect(terminal.questions.with { $0 } == (payment.issuer == nil ? 0 : 1))
        if let cryptogram = payment.cryptogram { #expect(outcome.objects[0x9F26] == hex(cryptogram)) }
        #expect(outcome.objects[0x9F36] == [0, 1])
        if payment.disposition == .approved { #expect(outcome.tvr == []) }
        let lastOnline = try await channel.transmit(try CardCommand.getData(0x9F13))
        #expect(lastOnline.data.octets == hex("9F1302") + payment.lastOnline)
    }

    private static func awaitReader(_ state: CardReader.State) async throws {
        for try await readers in CardService().readerChanges() where readers.first?.state == state { return }
    }
}
#endif
