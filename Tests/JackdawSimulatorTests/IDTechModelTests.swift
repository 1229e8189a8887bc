import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

/// What ID TECH's simulated readers answer that depends on their keys.
struct IDTechModelTests {
    /// Has a number, and encrypts nothing.
    private struct NumberedCipher: SwipeCipher {
        var isDeriving: Bool { !keySerialNumber.isEmpty }
        let usesPINKey = false
        let keySerialNumber: [UInt8]

        func encrypt(
            _ parts: [[UInt8]], by cipher: ReaderSwipe.Cipher
        ) -> (parts: [[UInt8]], keySerialNumber: [UInt8])? { nil }
        func hash(of text: [UInt8]) -> [UInt8]? { nil }
    }

    private func facts(_ model: IDTechModel) throws -> [ReaderFact]? {
        let dialect = IDTechDialect()
        let request = try #require(try dialect.asking(.keySerialNumber).first)
        var device = SimulatedDevice()
        let answer = try #require(model.answer(request.bytes.span, &device).first)
        try dialect.format(awaiting: request).check(answer.span)
        guard case .done(let facts)? = dialect.understand(answer.span, answering: request).first else { return nil }
        return facts
    }

    @Test func theKeySerialNumberIsReportedIfThereIsOne() throws {
        let number = hex("62994901190000000001")
        #expect(try facts(IDTechModel(cipher: NumberedCipher(keySerialNumber: number))) == [.keySerialNumber(number)])
        #expect(try facts(IDTechModel(cipher: NumberedCipher(keySerialNumber: []))) == nil)
        #expect(try facts(IDTechModel()) == nil)
    }
}
