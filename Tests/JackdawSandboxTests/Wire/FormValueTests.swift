import JackdawEMV
import JackdawSandbox
import JackdawTestSupport
import Testing

/// Forms with nested names. The name `payment[items][][gross_price]` is that of the host's v3; the other examples are
/// this project's, and follow Rack's rules for nested names.
@Suite struct FormValueTests {
    private func fields(_ text: String, _ limits: FormLimits = FormLimits()) throws(FormError) -> FormFields {
        try FormFields(form: Array(text.utf8).span, limits)
    }

    private func code(_ text: String, _ limits: FormLimits = FormLimits()) -> FormError.Code? {
        do throws(FormError) {
            _ = try fields(text, limits)
            return nil
        } catch { return error.code }
    }

    /// A short form of a tree: `{a:"1",b:[..]}`.
    private func shape(_ fields: FormFields) -> String {
        "{" + fields.all.map { "\($0.name):\(shape($0.value))" }.joined(separator: ",") + "}"
    }

    private func shape(_ value: FormValue) -> String {
        switch value {
        case .text(let octets): "\"" + String(decoding: octets.octets, as: UTF8.self) + "\""
        case .list(let list): "[" + list.map { shape($0) }.joined(separator: ",") + "]"
        case .fields(let fields): shape(fields)
        }
    }

    @Test(arguments: [
        ("", "{}"), ("&&", "{}"), ("a=1", "{a:\"1\"}"), ("a", "{a:\"\"}"), ("a=", "{a:\"\"}"), ("a=b=c", "{a:\"b=c\"}"),
        ("a=x+y%20z%26", "{a:\"x y z&\"}"), ("a%5Bb%5D=1", "{a:{b:\"1\"}}"), ("a[b]=1&a[c]=2", "{a:{b:\"1\",c:\"2\"}}"),
        ("a[]=1&a[]=2", "{a:[\"1\",\"2\"]}"), ("a[b][]=1&a[c]=2&a[b][]=3", "{a:{b:[\"1\",\"3\"],c:\"2\"}}"),
        ("grüße=ä", "{grüße:\"ä\"}"),
    ])
    func nestedNamesMakeATree(_ text: String, _ wanted: String) throws {
        #expect(shape(try fields(text)) == wanted)
    }

    @Test func anItemEndsWhereOneOfItsNamesComesAgain() throws {
        let text =
            "payment[items][][gross_price]=1000&payment[items][][note]=tea&payment[items][][gross_price]=250"
            + "&payment[items][][quantity]=2&payment[amount]=1500"
        #expect(
            shape(try fields(text))
                == "{payment:{items:[{gross_price:\"1000\",note:\"tea\"},{gross_price:\"250\",quantity:\"2\"}]"
                + ",amount:\"1500\"}}")
    }

    @Test func aNestedListInAnElementGoesOn() throws {
        #expect(
            shape(try fields("a[][b][]=1&a[][b][]=2&a[][c][d]=3&a[][c][d]=4"))
                == "{a:[{b:[\"1\",\"2\"],c:{d:\"3\"}},{c:{d:\"4\"}}]}")
    }

    @Test(arguments: [
        ("a=%", FormError.Code.encoding), ("a=%2", .encoding), ("a=%GG", .encoding), ("%=1", .encoding),
        ("%FF=1", .encoding), ("=1", .name), ("[a]=1", .name), ("a[=1", .name), ("a]=1", .name), ("a[b=1", .name),
        ("a[b]c=1", .name), ("a[[b]]=1", .name), ("a[b]]=1", .name), ("a[][]=1", .name), ("a%00=1", .name),
        ("a[1][2][3][4][5][6]=1", .name), ("a=1&a=2", .conflict), ("a=1&a[]=2", .conflict), ("a[]=1&a=2", .conflict),
        ("a[]=1&a[b]=2", .conflict), ("a[b]=1&a[]=2", .conflict), ("a=1&a[b]=2", .conflict), ("a[b]=1&a=2", .conflict),
        ("a[][b]=1&a[][b][c]=2", .conflict),
    ])
    func otherBodiesAreErrors(_ text: String, _ wanted: FormError.Code) {
        #expect(code(text) == wanted)
    }

    @Test func limitsHold() {
        var limits = FormLimits()
        limits.bytes = 40
        limits.pairs = 3
        limits.nameBytes = 10
        limits.elements = 2
        limits.depth = 2
        #expect(code(String(repeating: "a", count: 41), limits) == .size)
        #expect(code("a&b&c", limits) == nil)
        #expect(code("a&b&c&d", limits) == .size)
        #expect(code("aaaaaaaaaa=1", limits) == nil)
        #expect(code("aaaaaaaaaaa=1", limits) == .name)
        #expect(code("a[]=1&a[]=2", limits) == nil)
        #expect(code("a[]=1&a[]=2&a[]=3", limits) == .size)
        #expect(code("a[b][c]=1", limits) == .name)
    }

    @Test func errorsHaveThePairAndNoValue() {
        #expect(throws: FormError(code: .encoding, pair: 2, message: "% without two digits")) {
            try FormFields(form: Array("a=1&pin=1234%".utf8).span)
        }
    }

    @Test func valuesAreHiddenInDescriptions() throws {
        let fields = try fields("payment[raw_data]=9999990000000014")
        #expect(!"\(fields)".contains("999999"))
        #expect(!String(reflecting: fields).contains("999999"))
    }

    @Test func randomBytesAreFieldsOrAnError() {
        var random = SeededRandom(seed: 30)
        let pieces = ["a", "b", "[", "]", "[]", "=", "&", "%", "%41", "+", "1", "[a]", "\u{0}", "é"]
        for _ in 0..<3_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                if Int.random(in: 0..<8, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                } else {
                    bytes += Array(pieces.randomElement(using: &random)?.utf8 ?? "".utf8)
                }
            }
            do throws(FormError) {
                let fields = try FormFields(form: bytes.span)
                #expect(leaves(.fields(fields)) <= bytes.count + 1)
            } catch { #expect(error.pair <= bytes.count + 1) }
        }
    }

    /// Each pair is one text.
    private func leaves(_ value: FormValue) -> Int {
        switch value {
        case .text: 1
        case .list(let list): list.reduce(0) { $0 + leaves($1) }
        case .fields(let fields): fields.all.reduce(0) { $0 + leaves($1.value) }
        }
    }
}
