import JackdawEMV
import JackdawTestSupport
import Testing

/// Certificates and signatures in traces. RSA leaves a block as it is, so that the blocks are readable (EMV Book 2,
/// tables 6, 7, 14, 15 and 19).
@Suite struct TraceRecoveryTests {
    private struct OpenPrimitives: AuthenticationPrimitives {
        func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { block }
        func sha1(_ bytes: [UInt8]) -> [UInt8] { [] }
    }

    private static let account = "9999990000000014"
    private static let certificateHash = String(repeating: "C1", count: 20)
    private static let staticHash = String(repeating: "C2", count: 20)
    private static let dynamicHash = String(repeating: "C3", count: 20)
    private static let transactionHash = String(repeating: "C4", count: 20)
    private static let cardKey = String(repeating: "C5", count: 66)
    private static let issuerKey = String(repeating: "B6", count: 110)

    /// A block of a number of octets: fields, padding BB, hash and trailer.
    private static func block(_ fields: String, _ count: Int, _ hash: String) -> String {
        let start = [0x6A] + hex(fields)
        return hexadecimal(start + [UInt8](repeating: 0xBB, count: count - 21 - start.count)) + hash + "BC"
    }

    private static func object(_ tag: EMVTag, _ value: String) -> String {
        hexadecimal(TagLengthValueBuilder.encode(tag, hex(value)))
    }

    /// The dialogue with a card that signs with its cryptogram. Its key has 66 octets, that of the issuer 110,
    /// that of the authority 150.
    private static func dialogue(issuerExponent: String = "03", cardExponent: String = "03") -> String {
        let issuer = block("02 99999912 1249 00AAB1 01 01 6E 01 \(issuerKey)", 150, certificateHash)
        let card = block("04 \(account)FFFF 1148 00AAB2 01 01 42 01 \(cardKey)", 110, certificateHash)
        let data = block("03 01 DAC7", 110, staticHash)
        let signature = block("05 01 22 04 0BADCAFE 80 1122334455667788 \(transactionHash)", 66, dynamicHash)
        return TraceText.select("A0000009990101")
            + TraceText.record(object(0x8F, "77") + object(0x90, issuer) + object(0x9F32, issuerExponent))
            + TraceText.record(object(0x9F46, card))
            + TraceText.record(object(0x9F47, cardExponent) + object(0x93, data))
            + TraceText.send("00880000", "01020304", object(0x77, object(0x9F4B, signature)) + "9000")
    }

    private static func explained(
        _ text: String, isRevealing: Bool = false, authorityExponent: String = "03"
    ) throws -> [ExplainedExchange] {
        let key = RSAPublicKey(modulus: [UInt8](repeating: 0xD7, count: 150), exponent: hex(authorityExponent))
        let authority = CertificationAuthorityKey(provider: hex("A000000999"), index: 0x77, key: key)
        var explainer = TraceExplainer(
            OpenPrimitives(), keys: AuthenticationKeys([authority]), isRevealing: isRevealing)
        return try exchanges(text).map { explainer.explain($0) }
    }

    private static func texts(_ found: [ExplainedExchange]) -> [EMVTag: [String: String]] {
        var texts: [EMVTag: [String: String]] = [:]
        for block in found.flatMap(\.recovered) {
            for field in block.fields { texts[block.tag, default: [:]][field.name] = field.text }
        }
        return texts
    }

    /// The keys of signers are public: a hash over data with the account number, of which only some digits are not
    /// known, can be searched for them.
    @Test func fieldsThatRevealTheAccountNumberAreHidden() throws {
        let found = try Self.explained(Self.dialogue())
        let texts = Self.texts(found)
        #expect(texts.keys.sorted() == [0x90, 0x93, 0x9F46, 0x9F4B])
        #expect(texts[0x9F46]?["account"] == "Account number: 999999******0014")
        #expect(texts[0x9F46]?["expiry"] == "Expiry (MMYY): hidden, 2 octets")
        #expect(texts[0x9F46]?["serial_number"] == "Serial number: hidden, 3 octets")
        #expect(texts[0x9F46]?["public_key"] == "Public key: hidden, 66 octets")
        #expect(texts[0x93]?["data_authentication_code"] == "Data authentication code: hidden, 2 octets")
        for fields in texts.values { #expect(fields["hash"] == "Hash: hidden, 20 octets") }
        // The issuer's own fields, except the last digits of its identifier.
        #expect(texts[0x90]?["issuer_identifier"] == "Issuer identifier: 999999**")
        #expect(texts[0x90]?["expiry"] == "Expiry (MMYY): 1249")
        #expect(texts[0x9F4B]?["dynamic_number"] == "ICC dynamic number: 0BADCAFE")
        #expect(texts[0x9F4B]?["cryptogram"] == "Cryptogram: 1122334455667788")
        // It covers the values that were sent, which may be card data.
        #expect(texts[0x9F4B]?["transaction_data_hash"] == "Transaction data hash: hidden, 20 octets")
        let objects = found.flatMap { $0.answer?.data.objects ?? [] }
        #expect(objects.filter { [0x93, 0x9F46].contains($0.object.tag) }.map { $0.isHidden } == [true, true])

        var shown = ""
        dump(found, to: &shown)
        for secret in [Self.account, Self.staticHash, Self.cardKey, "1148", "00AAB2", "DAC7"] {
            #expect(!shown.contains(secret))
        }
        var revealed = ""
        dump(try Self.explained(Self.dialogue(), isRevealing: true), to: &revealed)
        for secret in [
            Self.account, Self.certificateHash, Self.staticHash, Self.dynamicHash, Self.transactionHash, Self.cardKey,
            "1148",
            "00AAB2", "DAC7",
        ] { #expect(revealed.contains(secret)) }
    }

    /// EMV has the exponents 3 and 65,537 (Book 2, annex B2.1): a key with another one opens nothing.
    @Test(arguments: ["03", "010001", "05", "0003", "FF"])
    func keysWithOtherExponentsOpenNothing(_ exponent: String) throws {
        let isValid = ["03", "010001"].contains(exponent)
        let ofIssuer = Self.texts(try Self.explained(Self.dialogue(issuerExponent: exponent)))
        #expect(ofIssuer.keys.sorted() == (isValid ? [0x90, 0x93, 0x9F46, 0x9F4B] : [0x90]))
        #expect((ofIssuer[0x90]?["public_key_exponent"] != nil) == !isValid)
        let ofCard = Self.texts(try Self.explained(Self.dialogue(cardExponent: exponent)))
        #expect(ofCard.keys.sorted() == (isValid ? [0x90, 0x93, 0x9F46, 0x9F4B] : [0x90, 0x93, 0x9F46]))
        #expect((ofCard[0x9F46]?["public_key_exponent"] != nil) == !isValid)
        let ofAuthority = try Self.explained(Self.dialogue(), authorityExponent: exponent)
        #expect(ofAuthority.contains { !$0.recovered.isEmpty } == isValid)
    }
}
