import JackdawEMV
import JackdawTestSupport
import Testing

/// Dialogues with cards of public projects: each is read, explained and masked.
@Suite(.enabled(if: ThirdPartyVectors.has("apdu_traces"), Comment(rawValue: ThirdPartyVectors.comment)))
struct TraceDialogueTests {
    private struct Row: Decodable {
        struct Exchange: Decodable {
            let c: String
            let r: String?
        }

        let id: String
        let exchanges: [Exchange]

        /// The dialogue as lines without labels.
        var text: String { exchanges.map { "\($0.c)\n" + ($0.r.map { "\($0)\n" } ?? "") }.joined() }
    }

    private static let dialogues = Result { try ThirdPartyVectors.rows("apdu_traces", as: Row.self) }

    private func exchanges(_ row: Row) throws -> [TraceExchange] {
        var reader = TraceReader()
        let octets = Array(row.text.utf8)
        return try reader.receive(octets.span) + (row.exchanges.isEmpty ? [] : reader.finish())
    }

    @Test func dialoguesAreRead() throws {
        let rows = try Self.dialogues.get()
        #expect(rows.count == 50)
        var known = 0
        var all = 0
        for row in rows {
            var explainer = TraceExplainer()
            for exchange in try exchanges(row) {
                let explained = explainer.explain(exchange)
                all += 1
                known += explained.command.name.hasPrefix("Command ") || explained.command.header == nil ? 0 : 1
            }
        }
        #expect(all > 250)
        // 13 answers have no command in the file, and three commands are of tests for transports.
        #expect(known >= all - 16, "\(all - known) commands are not known")
    }

    /// No number, track or name of a card is in the default output, and no text of it either.
    @Test func cardDataIsMasked() throws {
        for row in try Self.dialogues.get() {
            var explainer = TraceExplainer()
            var shown = ""
            var secrets: Set<String> = []
            for exchange in try exchanges(row) {
                dump(explainer.explain(exchange), to: &shown)
                for message in [exchange.command, exchange.answer].compactMap(\.self) {
                    secrets.formUnion(Self.cardData(message.octets.octets))
                }
            }
            for secret in secrets { #expect(!shown.contains(secret), "\(row.id) shows card data") }
        }
    }

    /// The account numbers, tracks and names in octets, in digits and as text.
    private static func cardData(_ octets: [UInt8]) -> [String] {
        let answer = Array(octets.dropLast(2))
        guard let objects = try? TagLengthValue.list(answer.span) else { return [] }
        return objects.flatMap { object -> [String] in
            guard [0x5A, 0x57, 0x5F20, 0x56, 0x9F6B, 0x9F1F, 0x9F20].contains(object.tag), object.value.count > 6 else {
                return []
            }
            let value = answer[object.value]
            let digits = value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
            let number = digits.prefix { ("0"..."9").contains($0) }
            let text = String(decoding: value, as: UTF8.self).trimmingSuffix { $0 == " " }
            return [digits, String(number.prefix(16)), String(text)].filter { $0.count > 8 }
        }
    }

    /// American Express test key A1: the fields of certificates and signatures, as binaryfoo/emv-bertlv reports them.
    @Test func certificatesAreOpened() throws {
        let row = try #require(try Self.dialogues.get().first { $0.id == "apdu_traces-0001" })
        let keys = AuthenticationKeys([SchemeKeys.americanExpressA1])
        var explainer = TraceExplainer(PlainPrimitives(), keys: keys)
        let blocks = try exchanges(row).flatMap { explainer.explain($0).recovered }
        #expect(blocks.map { $0.tag } == [0x90, 0x9F46, 0x93, 0x9F4B])
        func text(_ tag: EMVTag, _ name: String) -> String? {
            let field = blocks.first { $0.tag == tag }?.fields.first { $0.name == name }
            return field.flatMap { $0.text.split(separator: ": ").last.map(String.init) }
        }
        #expect(text(0x90, "issuer_identifier") == "374245FF" && text(0x90, "expiry") == "1218")
        #expect(text(0x90, "serial_number") == "01000E" && text(0x90, "public_key_length") == "128")
        #expect(text(0x90, "hash") == "A803D5C5D9C20748AD03D12B70122001CF148C57")
        #expect(text(0x93, "data_authentication_code") == "DAC1")
        #expect(text(0x9F46, "account") == "374245*****1007" && text(0x9F46, "serial_number") == "010101")
        #expect(text(0x9F4B, "dynamic_number") == "B1BD198460DEBA64")
        #expect(text(0x9F4B, "cryptogram") == "51F4F65DDE43732D")
        #expect(text(0x9F4B, "transaction_data_hash") == "19EBB3BF2DB99DE3117419BB473D0A88BF4F3CEB")
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
        dropLast(reversed().prefix(while: isTrimmed).count)
    }
}
