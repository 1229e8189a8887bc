import JackdawCards
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The books: changes, the memory that they take, and that no card data is in them.
@Suite struct SandboxBooksTests {
    /// A sandbox with every kind of entry.
    private func filled() throws -> SandboxFixture {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a", more: "payment[items][][note]=tea&payment[tip]=1&payment[custom_fields][x]=y")
        fixture.act("refund", "a", "amount=400&unique_id=r&note=ä")
        fixture.pay("b", 5105, counter: 2)
        fixture.pay("c", counter: 3, more: "payment[transaction_type]=authorize")
        fixture.act("capture", "c", "amount=7&unique_id=k")
        fixture.close("k")
        fixture.pay("d", counter: 4)
        fixture.act("reverse", "d")
        fixture.close("late")
        fixture.close("too-late")
        fixture.pay("too-late", counter: 5)
        _ = fixture.send(.post, "user/reset_password.json", "external_id=till-2")
        return fixture
    }

    private func books(_ fixture: SandboxFixture) throws -> MemorySandboxStore {
        try #require(fixture.sandbox.store as? MemorySandboxStore)
    }

    @Test func changesRestoreTheBooks() throws {
        var fixture = try filled()
        let lines = try books(fixture).lines
        let restored = try MemorySandboxStore(lines: lines)
        #expect(restored.lines == lines)
        var other = try SandboxFixture.loggedIn(store: restored)
        for name in ["a", "b", "c", "d", "r", "k", "late", "too-late", "no"] {
            #expect(other.status(name).body == fixture.status(name).body, "\(name)")
        }
        // What was answered once is answered again, and no money moves twice.
        #expect(
            other.pay("a", more: "payment[items][][note]=tea&payment[tip]=1&payment[custom_fields][x]=y").booked == 600)
        #expect(other.sandbox.issuer.ledger.entries.isEmpty)
        #expect(other.act("refund", "a", "amount=601").error == "amount_too_high")
        #expect(other.pay("late", counter: 9).state == "rejected")
        #expect(other.logIn("till-2").status == 400)
    }

    @Test func changesOneByOneGiveTheSameBooks() throws {
        var fixture = try SandboxFixture.loggedIn(store: RecordingStore())
        fixture.pay("a")
        fixture.act("refund", "a", "amount=400&unique_id=r")
        fixture.close("late")
        let recording = try #require(fixture.sandbox.store as? RecordingStore)
        #expect(recording.lines.count == 3)
        var books = MemorySandboxStore()
        for line in recording.lines {
            #expect(!line.contains(UInt8(ascii: "\n")))
            try books.write(SandboxChange(encoded: line))
        }
        #expect(books.lines == recording.books.lines)
    }

    @Test func booksThatContradictThemselvesAreRefused() throws {
        let text = String(decoding: try books(filled()).lines, as: UTF8.self)
        func code(_ old: String, _ new: String) -> SandboxStoreError.Code? {
            let changed = text.replacing(old, with: new, maxReplacements: 1)
            #expect(changed != text, "\(old)")
            do throws(SandboxStoreError) {
                _ = try MemorySandboxStore(lines: Array(changed.utf8))
                return nil
            } catch { return error.code }
        }
        #expect(code("\"amount\":400", "\"amount\":1001") == .contradiction)
        #expect(code("\"amount\":400", "\"amount\":-1") == .unreadable)
        #expect(code("\"amount\":400", "\"amount\":1e300") == .unreadable)
        #expect(code("\"amount\":400", "\"amount\":4.5") == .unreadable)
        #expect(code("\"number\":2", "\"number\":1") == .contradiction)
        #expect(code("\"number\":2", "\"number\":3") == .contradiction)
        #expect(code("\"unique_id\":\"b\"", "\"unique_id\":\"a\"") == .contradiction)
        #expect(code("\"unique_id\":\"b\"", "\"unique_id\":\"\"") == .unreadable)
        #expect(code("\"currency\":978", "\"currency\":977978") == .unreadable)
        #expect(code("\"kind\":\"refund\"", "\"kind\":\"gift\"") == .unreadable)
        #expect(code("\"approved\":true", "\"approved\":1") == .unreadable)
    }

    @Test func damagedBooksAreBooksOrAnError() throws {
        let lines = try books(filled()).lines
        var random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            var damaged = lines
            for _ in 0...Int.random(in: 0...3, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0...damaged.count, using: &random)) }
            do throws(SandboxStoreError) {
                let books = try MemorySandboxStore(lines: damaged)
                #expect(books.paymentCount <= 5)
            } catch { #expect(!error.message.isEmpty) }
        }
    }

    @Test func aChangeThatChangesNothingIsNotWritten() throws {
        var fixture = try SandboxFixture.loggedIn(store: RecordingStore())
        fixture.pay("a")
        func lines() -> Int { (fixture.sandbox.store as? RecordingStore)?.lines.count ?? 0 }
        let forms = [
            "payment[signature]=iVBORw0KGgo", "payment[receipt_requested]=1&payment[customer_phone]=987654321",
            "payment[cnp_transaction_certificate]=9F2608AC000000000000019F2701409F36020001",
        ]
        for form in forms {
            let before = lines()
            for _ in 0..<3 { #expect(fixture.send(.put, "payments/a.json", form).status == 200) }
            #expect(lines() == before + 1, "\(form)")
        }
    }

    @Test func theMemoryOfPaymentsIsLimited() throws {
        var rules = SandboxRules()
        rules.limits.bookBytes = 20_000
        var fixture = try SandboxFixture.loggedIn("till-1", rules)
        let note = "payment[note]=" + String(repeating: "x", count: 200)
        var count = 0
        while count < 100, fixture.pay("p\(count)", counter: count + 1, more: note).status == 201 { count += 1 }
        #expect((5...20).contains(count))
        let asked = fixture.sandbox.issuer.ledger.entries.count
        #expect(fixture.pay("more", counter: 200).status == 507)
        #expect(fixture.sandbox.issuer.ledger.entries.count == asked)
        #expect(fixture.pay("p0", counter: 1, more: note).status == 201)
        #expect(fixture.act("refund", "p0", "amount=1").status == 507)
        #expect(fixture.send(.put, "payments/p0.json", "payment[signature]=iVBORw0KGgo").status == 507)
        #expect(fixture.act("reverse", "p0").state == "reversed")
        // The memory of books that a store had before counts, too.
        let store = fixture.sandbox.store
        var other = try SandboxFixture.loggedIn("till-1", rules, store: store)
        #expect(other.pay("more", counter: 200).status == 507)
    }

    @Test func noCardDataIsInBooksAnswersAndDescriptions() throws {
        var fixture = try filled()
        var texts = [String(decoding: try books(fixture).lines, as: UTF8.self)]
        let reply = fixture.pay("z", counter: 20, more: "payment[callback_url]=http://x")
        texts.append(String(decoding: reply.body, as: UTF8.self))
        texts.append("\(reply.output) \(fixture.sandbox)")
        texts.append(String(decoding: fixture.send(.get, "payments/search.json").body, as: UTF8.self))
        let swipe = SandboxFixture.form("s", card: "57119999990000000014D3012201123450000F")
        texts.append(String(decoding: fixture.send(.post, "payments.json", swipe).body, as: UTF8.self))
        texts.append(String(decoding: try books(fixture).lines, as: UTF8.self))
        for text in texts {
            #expect(!text.contains("9999990000000014"))
            #expect(!text.contains("TEST/CARD"))
            #expect(!text.contains("544553542F43415244"))
            #expect(!text.contains("D3012201"))
        }
    }
}

/// Books that keep each change as a program would write it.
struct RecordingStore: SandboxStore {
    private(set) var books = MemorySandboxStore()
    private(set) var lines: [[UInt8]] = []

    var paymentCount: Int { books.paymentCount }
    func payment(_ number: Int) -> SandboxPayment? { books.payment(number) }
    func entry(_ key: SandboxKey) -> SandboxEntry? { books.entry(key) }
    func passwordHash(ofUser user: String) -> String? { books.passwordHash(ofUser: user) }

    mutating func write(_ change: SandboxChange) throws(SandboxStoreError) {
        try books.write(change)
        lines.append(change.encoded)
    }
}
