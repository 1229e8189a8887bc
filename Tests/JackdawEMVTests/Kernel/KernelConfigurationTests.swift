import JackdawEMV
import JackdawTestSupport
import Testing

/// Values of terminal and transaction that their data objects cannot hold: EMV Book 3, annex A.
@Suite struct KernelConfigurationTests {
    private func error(
        _ change: (inout KernelConfiguration, inout KernelTransaction) -> Void
    ) throws -> KernelConfigurationError? {
        var configuration = try KernelConfiguration.test()
        var transaction = try KernelTransaction.test()
        change(&configuration, &transaction)
        do throws(KernelConfigurationError) {
            _ = try ContactKernel(configuration, transaction, application: DataObjectStore(), PlainPrimitives())
            return nil
        } catch { return error }
    }

    /// 9F02 and 9F03 are n 12; 9F1B has four octets.
    @Test(
        arguments: [
            (UInt64(0xFFFF_FFFF), nil, nil), (0x1_0000_0000, nil, nil), (999_999_999_999, nil, nil),
            (1_000_000_000_000, 0x9F02, 0x9F03), (.max, 0x9F02, 0x9F03),
        ] as [(UInt64, JackdawEMV.Tag?, JackdawEMV.Tag?)])
    func amountsThatDoNotFitAreRefused(
        _ amount: UInt64, _ authorised: JackdawEMV.Tag?, _ other: JackdawEMV.Tag?
    ) throws {
        let first = try error { _, transaction in transaction.amount = amount }
        #expect(first?.tag == authorised && first?.code == authorised.map { _ in .value })
        let second = try error { _, transaction in transaction.otherAmount = amount }
        #expect(second?.tag == other && second?.code == other.map { _ in .value })
    }

    @Test func furtherValuesThatDoNotFitAreRefused() throws {
        #expect(try error { configuration, _ in configuration.limits.floorLimit = 0x1_0000_0000 }?.tag == 0x9F1B)
        #expect(try error { _, transaction in transaction.sequenceNumber = 100_000_000 }?.tag == 0x9F41)
        #expect(try error { _, transaction in transaction.currencyExponent = 10 }?.tag == 0x5F36)
        let country = try error { configuration, _ in configuration.country = [0x28] }
        #expect(country?.tag == 0x9F1A && country?.code == .length)
        #expect(try error { configuration, _ in configuration.applicationVersion = [] }?.tag == 0x9F09)
        #expect(try error { _, transaction in transaction.currency = [0, 9, 78] }?.tag == 0x5F2A)
        #expect(try error { _, transaction in transaction.time = [] }?.tag == 0x9F21)
    }

    /// 81 and 9F04 have four octets: a card that asks for one of them refuses greater amounts, and no other card does.
    @Test(
        arguments: [
            ("9F02069F0306", nil), ("9F02068104", 0x81), ("9F02069F0404", 0x9F04),
        ] as [(String, JackdawEMV.Tag?)])
    func amountsAreRefusedIfTheCardAsksForFourOctets(_ list: String, _ tag: JackdawEMV.Tag?) throws {
        var transaction = try KernelTransaction.test()
        transaction.amount = 0x1_0000_0000
        transaction.otherAmount = 0x1_0000_0000
        var application = DataObjectStore()
        application[0x9F38] = hex(list)
        var run = KernelRun(
            try ContactKernel(.test(), transaction, application: application, PlainPrimitives()), .plain())
        let reason = try run.finish().termination
        #expect(reason?.code == (tag == nil ? nil : KernelTermination.Code.amountTooLarge))
        #expect(reason?.tag == tag)
        guard tag == nil else {
            #expect(run.card.commands.isEmpty)
            return
        }
        #expect(run.card.commands[0].dropLast().suffix(12).elementsEqual(hex("004294967296" + "004294967296")))
    }

    @Test func theGreatestAmountReachesTheCard() throws {
        var transaction = try KernelTransaction.test()
        transaction.amount = KernelTransaction.maxBinaryAmount
        var application = DataObjectStore()
        application[0x9F38] = hex("9F0206" + "8104")
        var run = KernelRun(
            try ContactKernel(.test(), transaction, application: application, PlainPrimitives()), .plain())
        _ = try run.finish()
        #expect(run.card.commands[0].dropLast().suffix(10).elementsEqual(hex("004294967295" + "FFFFFFFF")))
    }
}
