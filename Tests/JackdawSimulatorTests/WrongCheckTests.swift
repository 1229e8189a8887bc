import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// What simulated readers answer to commands with a wrong check: published commands, of which
/// only the check is changed.
struct WrongCheckTests {
    /// What a reader sends for bytes that come in parts of a size.
    private static func answers(_ family: String, _ commands: [String], step: Int = .max) throws -> [[UInt8]] {
        var reader = SimulatedReader(try #require(SimulatedFamily.named(family)).makeModel())
        reader.setPower(true, at: .zero)
        _ = reader.advance(to: .seconds(1))
        let bytes = commands.flatMap(hex)
        for start in stride(from: 0, to: bytes.count, by: min(step, bytes.count)) {
            let part = Array(bytes[start...].prefix(step))
            reader.receive(part.span, at: .seconds(1))
        }
        return reader.advance(to: .seconds(10)).compactMap { if case .send(let bytes) = $0 { bytes } else { nil } }
    }

    /// Review all and set DUKPT of the iMag manual, which has `15` for what the reader does not take.
    @Test(arguments: ["idtech", "btmag", "unimag"], [1, 3, Int.max])
    func anLRCThatIsWrongIsAnsweredWithNAK(family: String, step: Int) throws {
        let wrong = ["02521F034D", "025358013103 3B"]
        #expect(try Self.answers(family, wrong, step: step) == [[0x15], [0x15]])
        // Nothing was set, and what follows is answered.
        let settings = try Self.answers(family, wrong + ["02521F034C", "0253580131033A", "02521F034C"], step: step)
        #expect(settings == [[0x15], [0x15], hex("06020301"), [0x06], hex("060258013103 69")])
    }

    /// Ping of the NEO 2 manual; the CRC of the answer was computed by other code.
    @Test(arguments: [1, 7, Int.max]) func aCRCThatIsWrongIsAnsweredWithStatus04(step: Int) throws {
        let header = "5669564F746563683200"
        let answers = try Self.answers("neo", [header + "18010000B3CC", header + "18010000B3CD"], step: step)
        #expect(answers == [hex(header + "180400002643"), hex(header + "18000000FA83")])
    }

    /// The driver takes both for a refusal, and not for silence.
    @Test(arguments: [("idtech", "15"), ("neo", "5669564F7465636832001804 0000")])
    func theDriverTakesItForARefusal(family: String, start: String) throws {
        let known = try #require(ReaderFamily.named(family))
        var dialect = try known.makeDialect()
        let request = try #require(dialect.identification.first)
        var damaged = request.bytes
        damaged[damaged.count - 1] ^= 1
        var reader = SimulatedReader(try #require(SimulatedFamily.named(family)).makeModel())
        reader.receive(damaged.span, at: .zero)
        let outputs = reader.advance(to: .seconds(1))
        guard outputs.count == 1, case .send(let answer) = outputs[0] else {
            return #expect(Bool(false), "\(outputs)")
        }
        #expect(answer.starts(with: hex(start)))
        guard case .refused? = dialect.understand(answer.span, answering: request).first else {
            return #expect(Bool(false), "it is no refusal")
        }
    }

    /// Other families ignore such commands, as nothing says what their readers send.
    @Test func otherFamiliesIgnoreIt() throws {
        #expect(try Self.answers("miura", ["010004D0620000B6"]) == [])
    }
}
