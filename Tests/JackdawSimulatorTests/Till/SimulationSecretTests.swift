import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Printed forms of issuer, cardholder, till and their messages show no card data, no PIN and no key.
@Suite struct SimulationSecretTests {
    private static let number = "9999990000000014"
    private static let track = number + "D49122010000000000"
    private static let pin = "7391"

    /// Every printed form of a value.
    private func printed(_ value: some Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    private func expectNoSecret(in text: String) {
        let key = "00112233445566778899AABBCCDDEEFF"
        let characters = text.filter { $0.isNumber || $0.isLetter }.uppercased()
        for secret in [Self.number, Self.pin, "247391FF", "37333931", String(key.prefix(8))] {
            #expect(!characters.contains(secret), "\(secret)")
        }
        // `dump` shows octets one by one, in decimal.
        let numbers = " " + text.split { !$0.isNumber }.joined(separator: " ") + " "
        for octets in [hex(Self.number), Array(Self.number.utf8), Array(Self.pin.utf8), [7, 3, 9, 1], hex(key)] {
            let secret = octets.prefix(8).map { String($0) }.joined(separator: " ")
            #expect(!numbers.contains(" \(secret) "), "\(secret)")
        }
    }

    @Test func messagesShowNoSecret() throws {
        let objects = PlainIssuer.objects(changes: [0x57: Self.track])
        var issuer = try PlainIssuer.issuer()
        let found = issuer.pinBlock(of: SecretOctets(Array(Self.pin.utf8)), for: objects)
        let block: [UInt8] = try #require(found)
        let contents: [IssuerRequest.Content] = [
            .authorisation(objects, pinBlock: block), .reversal(objects), .confirmation(objects),
            .advice(objects),
        ]
        for content in contents {
            let request = IssuerRequest(reference: "r", content)
            expectNoSecret(in: printed(request) + printed(content) + printed([request]))
            expectNoSecret(in: printed(issuer.receive(request, at: .zero)) + printed(issuer.ledger) + printed(issuer))
        }
        #expect("\(IssuerRequest(reference: "r", contents[0]))" == "authorisation of payment r")
    }

    /// A payment whose PIN the issuer verifies, after each step.
    @Test func tillsShowNoSecret() throws {
        let payer = "{\"pin\": {\"digits\": \"\(Self.pin)\"}}"
        var till = try PlainTill.till(
            payer,
            card: [
                ("\"8E\": \"00\"", "\"8E\": \"000000000000000042031E031F00\", \"57\": \"\(Self.track)\"")
            ])
        till.start()
        repeat {
            expectNoSecret(in: printed(till) + printed(till.card) + printed(till.issuer) + printed(till.payment))
        } while till.advance()
        #expect(till.events.contains(.pinRequested))
        #expect(till.issuer.ledger["1"]?.reason == .pin)
        expectNoSecret(in: printed(till.log) + printed(till.steps) + printed(till.issuer.ledger))
        expectNoSecret(in: printed(try #require(till.kernelOutcome)) + printed(try #require(till.decision)))
        #expect("\(till)".hasPrefix("simulated till, "))
        #expect(Mirror(reflecting: till).children.isEmpty)
    }

    @Test func cardsOfDecksShowNoSecret() throws {
        let text = """
            {
              "note": "a card", "base": "plain",
              "changes": {"pin.digits": "\(Self.pin)", "stripe": "\(Self.track)"},
              "ends": {
                "amount": 1000, "outcome": "approved", "reasons": [], "why": "a rule",
                "payer": {"pin": {"digits": "\(Self.pin)"}}
              }
            }
            """
        let card = try DeckCard("card", json: Array(text.utf8), PlainCryptography()) { file in
            switch file {
            case .card: Array(PlainCard.text.utf8)
            case .issuer: Array(PlainIssuer.text.utf8)
            case .payer: nil
            }
        }
        expectNoSecret(in: printed(card))
    }

    @Test func cardsInReadersAndCardholdersShowNoSecret() throws {
        let payer = try SimulatedPayer(json: Array("{\"pin\": {\"digits\": \"\(Self.pin)\"}}".utf8))
        expectNoSecret(in: printed(payer))
        let host = VirtualCardHost(try PlainCard.card(("\"digits\": \"1234\"", "\"digits\": \"\(Self.pin)\"")))
        expectNoSecret(in: printed(host))
        #expect(Mirror(reflecting: host).children.isEmpty)
    }
}
