import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A transaction of 4.56 GBP.
func miuraTransaction(
    amount: UInt64 = 456, currency: String = "0826", time: String = "121530"
) throws -> KernelTransaction {
    let date = try #require(CardDate(year: 2026, month: 7, day: 28))
    var transaction = KernelTransaction(amount: amount, currency: hex(currency), type: .purchase, date: date)
    transaction.time = hex(time)
    return transaction
}

/// The commands of a payment. Their bytes are written by hand, as `MpiClient` of Miura's SDK for Android builds them
/// (`makeStartTransactionCommand`, `makeStartContactlessTransactionCommand`, `makeOnlinePinCommand`), which states no bytes.
@Suite struct MiuraPaymentCommandTests {
    @Test func aPaymentByChipBegins() throws {
        let command = try MiuraCommand.startTransaction(try miuraTransaction())
        #expect(
            command.apdu
                == hex(
                    "DED10000 28 E026 9C0100 9F0206000000000456 9A03260728 9F2103121530 DFA2040101 DFA2030100 5F2A020826"
                ))
    }

    @Test func cashbackAndNumberAreSentIfThereAreAny() throws {
        var transaction = try miuraTransaction()
        (transaction.otherAmount, transaction.sequenceNumber) = (100, 42)
        let options = MiuraCommand.StartOptions(applicationSelection: 0, riskManagement: 1)
        let command = try MiuraCommand.startTransaction(transaction, options)
        #expect(
            command.apdu
                == hex(
                    """
                    DED10000 38 E036 9C0100 9F0206000000000456 9F0306000000000100 9A03260728 9F2103121530 9F410400000042
                    DFA2040100 DFA2030101 5F2A020826
                    """))
    }

    @Test func aPaymentByTapBegins() throws {
        #expect(
            try MiuraCommand.startContactless(try miuraTransaction(), language: "en").apdu
                == hex("DEC10000 24 E022 9C0100 9F0206000000000456 9A03260728 9F2103121530 5F2A020826 DFA20C02656E"))
        #expect(
            try MiuraCommand.startContactless(try miuraTransaction()).apdu
                == hex("DEC10000 1E E01C 9C0100 9F0206000000000456 9A03260728 9F2103121530 5F2A020826"))
    }

    /// The response codes of the SDK's sample programs; 91 and a script from EMV.
    @Test func theAnswerOfTheIssuerContinuesAPayment() throws {
        let code = try #require(AuthorisationResponseCode(Array("00".utf8)))
        let response = HostResponse(
            isApproved: true, responseCode: code, authenticationData: hex("0102030405060708 3030"),
            scripts: hex("72 06 86 04 841E0000"))
        #expect(
            try MiuraCommand.continueTransaction(response).apdu
                == hex("DED20000 1A E018 8A023030 910A01020304050607083030 72068604841E0000"))
        #expect(
            try MiuraCommand.continueTransaction(HostResponse(isApproved: true, responseCode: code)).apdu
                == hex("DED20000 06 E004 8A023030"))
    }

    /// The name of the application as `getE0SelectApplication` has it, in tests of a payment SDK with Miura's readers.
    @Test func theChoiceOfAnApplicationContinuesAPayment() throws {
        #expect(
            try MiuraCommand.continueTransaction(application: hex("A0000000031010")).apdu
                == hex("DED20000 0C E00A 9F0607A0000000031010"))
    }

    @Test func aPINOfASwipeIsAskedFor() throws {
        let track = Array(";476173******0010=1512201**********?*".utf8)
        let command = try MiuraCommand.onlinePIN(try miuraTransaction(), maskedTrack2: track, label: "VISA")
        #expect(
            command.apdu
                == hex("DED60100 3F E03D 9F0206000000000456 500456495341 5F2A020826 DFAE2225") + track)
    }

    @Test func valuesThatDoNotFitAreRefused() throws {
        for wrong in [
            try miuraTransaction(amount: 1_000_000_000_000), try miuraTransaction(currency: "08"),
            try miuraTransaction(time: "1215"),
        ] {
            #expect(throws: FrameFault.self) { try MiuraCommand.startTransaction(wrong) }
            #expect(throws: FrameFault.self) { try MiuraCommand.startContactless(wrong) }
        }
        let transaction = try miuraTransaction()
        #expect(throws: FrameFault.self) { try MiuraCommand.startContactless(transaction, language: "eng") }
        #expect(throws: FrameFault.self) { try MiuraCommand.onlinePIN(transaction, maskedTrack2: [], label: "Ü") }
        let code = try #require(AuthorisationResponseCode(Array("00".utf8)))
        for (count, fits) in [(242, true), (243, false)] {
            let response = HostResponse(
                isApproved: true, responseCode: code, scripts: [UInt8](repeating: 0x72, count: count))
            let command = try? MiuraCommand.continueTransaction(response)
            #expect((command != nil) == fits, "\(count)")
        }
    }

    @Test func commandsAreFrames() throws {
        let frames = [
            try MiuraCommand.startTransaction(try miuraTransaction()),
            try MiuraCommand.startContactless(try miuraTransaction()),
            try MiuraCommand.continueTransaction(code: "00"), .abort,
        ].map { $0.frame() }
        verify(MiuraFormat(.command), frames: frames, garbage: [0, 3, 0x90])
        let first = frames[0]
        let fields = MiuraFormat(.command).fields(of: first.span, isRevealing: false)
        #expect(fields.contains { $0.name == "DFA204 application selection" && $0.value == "1 byte: 01" })
    }
}
