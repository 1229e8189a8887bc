import JackdawEMV
import JackdawTestSupport
import Testing

/// Dialogues with cards of public projects: each is read, explained and masked.
@Suite(RecordedDialogue.areThere)
struct TraceDialogueTests {
    @Test func dialoguesAreRead() throws {
        let rows = try RecordedDialogue.all.get()
        #expect(rows.count == 50)
        var known = 0
        var all = 0
        for row in rows {
            var explainer = TraceExplainer()
            for exchange in try row.read() {
                let explained = explainer.explain(exchange)
                all += 1
                known += explained.command.name.hasPrefix("Command ") || explained.command.header == nil ? 0 : 1
            }
        }
        #expect(all > 250)
        // 13 answers have no command in the file, and three commands are of tests for transports.
        #expect(known >= all - 16, "\(all - known) commands are not known")
    }

    /// No number, track or name of a card is in the default output, and no text of it either. All that an answer has is
    /// there if card data is revealed, so that a search for it would find it.
    @Test func cardDataIsMasked() throws {
        var answeredCount = 0
        for row in try RecordedDialogue.all.get() {
            var explainer = TraceExplainer()
            var revealing = TraceExplainer(isRevealing: true)
            var shown = ""
            var revealed = ""
            var secrets: Set<String> = []
            var answered: Set<String> = []
            for exchange in try row.read() {
                let explained = explainer.explain(exchange)
                dump(explained, to: &shown)
                dump(revealing.explain(exchange), to: &revealed)
                let found = [exchange.command, exchange.answer].compactMap(\.self)
                    .flatMap { Self.cardData($0.octets.octets) }
                secrets.formUnion(found)
                // Answers without a command in the file are read as commands, and are never shown.
                if explained.command.header != nil { answered.formUnion(found) }
            }
            answeredCount += answered.count
            let leaked = secrets.filter { shown.contains($0) }
            #expect(leaked.isEmpty, "\(row.id) shows card data")
            let missing = answered.filter { !revealed.contains($0) }
            #expect(missing.isEmpty, "\(row.id) does not have the card data that the test looks for")
        }
        #expect(answeredCount >= 40)
    }

    /// The account numbers, tracks and names in octets, in digits and as text.
    private static func cardData(_ octets: [UInt8]) -> [String] {
        let answer = Array(octets.dropLast(2))
        guard let objects = try? TagLengthValue.list(answer.span) else { return [] }
        return objects.flatMap { object -> [String] in
            let value = answer[object.value]
            let digits = hexadecimal(value)
            let found: [String]
            switch object.tag {
            case 0x5A, 0x57, 0x9F6B, 0x9F20:
                found = [digits, String(digits.prefix { ("0"..."9").contains($0) }.prefix(16))]
            case 0x5F20, 0x56, 0x9F1F:
                // What is not ASCII has no text.
                let isText = value.allSatisfy { (0x20...0x7E).contains($0) }
                found = [digits] + (isText ? [String(decoding: value, as: UTF8.self)] : [])
            default: found = []
            }
            // Shorter ones are not card data alone, such as a name without letters.
            return found.map { String($0.trimmingSuffix { $0 == " " }) }.filter { $0.count > 8 }
        }
    }

    /// American Express test key A1: the fields of certificates and signatures, as binaryfoo/emv-bertlv reports them.
    @Test func certificatesAreOpened() throws {
        func texts(isRevealing: Bool) throws -> [EMVTag: [String: String]] {
            let keys = AuthenticationKeys([SchemeKeys.americanExpressA1])
            var explainer = TraceExplainer(PlainPrimitives(), keys: keys, isRevealing: isRevealing)
            let blocks = try RecordedDialogue.find("apdu_traces-0001").read().flatMap {
                explainer.explain($0).recovered
            }
            #expect(blocks.map { $0.tag } == [0x90, 0x9F46, 0x93, 0x9F4B])
            return Dictionary(
                uniqueKeysWithValues: blocks.map { block in
                    let fields = block.fields.map {
                        ($0.name, $0.text.split(separator: ": ").last.map(String.init) ?? "")
                    }
                    return (block.tag, Dictionary(uniqueKeysWithValues: fields))
                })
        }
        let revealed = try texts(isRevealing: true)
        #expect(revealed[0x90]?["hash"] == "A803D5C5D9C20748AD03D12B70122001CF148C57")
        #expect(revealed[0x93]?["data_authentication_code"] == "DAC1")
        #expect(revealed[0x9F46]?["serial_number"] == "010101")
        #expect(revealed[0x9F4B]?["transaction_data_hash"] == "19EBB3BF2DB99DE3117419BB473D0A88BF4F3CEB")
        let masked = try texts(isRevealing: false)
        for texts in [revealed, masked] {
            #expect(texts[0x90]?["issuer_identifier"] == "374245FF" && texts[0x90]?["expiry"] == "1218")
            #expect(texts[0x90]?["serial_number"] == "01000E" && texts[0x90]?["public_key_length"] == "128")
            #expect(texts[0x9F4B]?["dynamic_number"] == "B1BD198460DEBA64")
            #expect(texts[0x9F4B]?["cryptogram"] == "51F4F65DDE43732D")
        }
        #expect(masked[0x9F46]?["account"] == "374245*****1007")
        for (tag, name) in [
            (0x90, "hash"), (0x93, "data_authentication_code"), (0x93, "hash"), (0x9F46, "expiry"),
            (0x9F46, "serial_number"), (0x9F46, "public_key"), (0x9F46, "hash"), (0x9F4B, "transaction_data_hash"),
            (0x9F4B, "hash"),
        ] as [(EMVTag, String)] {
            #expect(masked[tag]?[name]?.hasPrefix("hidden, ") == true, "\(tag) \(name)")
        }
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
        dropLast(reversed().prefix(while: isTrimmed).count)
    }
}
