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

    /// 9F02 and 9F03 are n 12; 81, 9F04 and 9F1B have four octets.
    @Test(
        arguments: [
            (UInt64(0xFFFF_FFFF), nil, nil), (0x1_0000_0000, 0x81, 0x9F04), (999_999_999_999, 0x81, 0x9F04),
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

    @Test func theGreatestAmountReachesTheCard() throws {
        var transaction = try KernelTransaction.test()
        transaction.amount = KernelTransaction.maxAmount
        var application = DataObjectStore()
        application[0x9F38] = hex("9F0206" + "8104")
        var run = KernelRun(
            try ContactKernel(.test(), transaction, application: application, PlainPrimitives()), .plain())
        _ = try run.finish()
        #expect(run.card.commands[0].dropLast().suffix(10).elementsEqual(hex("004294967295" + "FFFFFFFF")))
    }
}
