import JackdawEMV
import JackdawTestSupport
import Testing

// Mastercard-style cards with functions that the kernel does not have, and broken ones.

extension MastercardCardTests {
    // MARK: functions that are not covered

    @Test func magneticStripeModeIsNotCovered() throws {
        let (outcome, run, _) = try transact { card, _ in card.profile = hex("1900") }
        #expect(outcome.disposition == .tryAnotherInterface)
        #expect(outcome.reason == .notCovered(.magneticStripeMode))
        #expect(outcome.display == DisplayRequest(.insertOrSwipe, .processingError))
        guard case .ending(.notCovered(.magneticStripeMode))? = run.steps.last else {
            Issue.record("no step")
            return
        }
    }

    @Test func relayResistanceIsNotCovered() throws {
        let refused = try transact { card, _ in card.profile = hex("1981") }
        #expect(refused.outcome.disposition == .tryAnotherInterface)
        #expect(refused.outcome.reason == .notCovered(.relayResistance))
        let accepted = try transact { card, reader in
            card.profile = hex("1981")
            reader.profile.refused.remove(.relayResistance)
        }
        #expect(accepted.outcome.disposition == .approved)
        #expect(accepted.outcome.tvr == .reservedContactless2)
    }

    @Test func aTornTransactionIsNotRecovered() throws {
        let plain = try transact { card, _ in card.replaced[0xAE] = .some(nil) }
        #expect(plain.outcome.disposition == .tryAgain)
        #expect(plain.outcome.start == .protocolActivation)
        #expect(plain.outcome.termination?.code == .cardLost)
        let recoverable = try transact { card, _ in
            card.record[0x9F51] = hex("9F3704")
            card.replaced[0xAE] = .some(nil)
        }
        #expect(recoverable.outcome.disposition == .tryAnotherInterface)
        #expect(recoverable.outcome.reason == .notCovered(.tornTransaction))
        let accepted = try transact { card, reader in
            card.record[0x9F51] = hex("9F3704")
            card.replaced[0xAE] = .some(nil)
            reader.profile.refused = []
        }
        #expect(accepted.outcome.disposition == .tryAgain)
    }

    @Test(arguments: [nil, 1, 4, 5, 6, 7, 0x81_0203]) func otherKernelsAreNotCovered(kernel: Int?) throws {
        let reader = try ContactlessReader()
        var run = try ContactlessRun(
            ContactlessKernel(
                reader.configuration, reader.profile, reader.transaction, kernel: kernel,
                application: DataObjectStore(),
                PlainPrimitives()))
        let outcome = try run.finish { _ in nil }
        #expect(run.effects.isEmpty)
        #expect(outcome.disposition == .tryAnotherInterface)
        #expect(outcome.reason == .notCovered(.kernel(kernel)))
    }

    // MARK: amounts and broken cards

    @Test func amountsAboveTheLimitsAreNotTaken() throws {
        let entry = try transact { _, reader in reader.profile.limits.transactionLimit = 1000 }
        #expect(entry.outcome.disposition == .tryAnotherInterface)
        #expect(entry.outcome.reason == .amountNotAllowed)
        #expect(entry.run.effects.isEmpty)
        let next = try transact { _, reader in reader.profile.mastercard.transactionLimit = 999 }
        #expect(next.outcome.disposition == .selectNext)
        #expect(next.outcome.reason == .transactionLimit)
        #expect(next.outcome.start == .combinationSelection)
        let equal = try transact { _, reader in reader.profile.mastercard.transactionLimit = 1000 }
        #expect(equal.outcome.disposition == .approved)
    }

    /// Only a card that asks for 81, which has four octets, refuses a greater amount.
    @Test func greaterAmountsNeedTwelveDigits() throws {
        let taken = try transact { _, reader in reader.transaction.amount = 0x1_0000_0000 }
        #expect(taken.outcome.disposition == .approved)
        #expect(taken.outcome.dataRecord?[0x9F02] == hex("004294967296"))
        let refused = try transact { card, reader in
            reader.transaction.amount = 0x1_0000_0000
            card.record[0x8C] = hex("8104") + (card.record[0x8C] ?? [])
        }
        #expect(refused.outcome.disposition == .endApplication)
        #expect(refused.outcome.termination?.code == .amountTooLarge)
        #expect(refused.outcome.termination?.tag == 0x81)
    }

    @Test func aRefusedApplicationGivesWayToTheNext() throws {
        for status in ["6985", "6A81", "6700"] {
            let (outcome, _, _) = try transact { card, _ in card.replaced[0xA8] = hex(status) }
            #expect(outcome.disposition == .selectNext)
            #expect(outcome.start == .combinationSelection)
            #expect(outcome.display == nil)
        }
    }

    @Test(
        arguments: [
            (0xA8, "9000", KernelTermination.Code.malformed), (0xA8, "770482021980" + "9000", .missing),
            (0xA8, "800219809000", .missing),
            (0xA8, "770E" + "82021980" + "82021980" + "940408010101" + "9000", .repeated), (0xB2, "6A83", .status),
            (0xB2, "71039000", .malformed), (0xB2, "70009000", .malformed), (0xB2, "70065A01005A01009000", .repeated),
            (0xAE, "6985", .status), (0xAE, "77039F27009000", .missing), (0xAE, "80049000", .malformed),
            (0xAE, "77149F2701C09F360200079F26080123456789ABCDEF9000", .unexpectedCryptogram),
            (0xAE, "77165A0100" + "9F2701009F360200079F26080123456789ABCD9000", .malformed),
            (0xA8, "770A82021980940408010100" + "9F0702FFFF" + "9000", .malformed),
            (0xB2, "70025A00" + "9F0702FFFF" + "9000", .malformed),
            (0xAE, "77149F2701009F360200079F26080123456789ABCDEF" + "9F1001AA" + "9000", .malformed),
        ] as [(UInt8, String, KernelTermination.Code)])
    func brokenAnswersEndTheApplication(instruction: UInt8, answer: String, code: KernelTermination.Code) throws {
        let (outcome, _, _) = try transact { card, _ in card.replaced[instruction] = hex(answer) }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.termination?.code == code)
        #expect(outcome.display?.message == .insertSwipeOrTryAnother)
    }

    @Test(arguments: [0x5A, 0x5F24, 0x8C] as [UInt32]) func mandatoryObjectsAreRequired(tag: UInt32) throws {
        let (outcome, _, _) = try transact { card, _ in card.missing = [try #require(.init(rawValue: tag))] }
        #expect(outcome.termination?.code == .missing)
        #expect(outcome.termination?.tag?.rawValue == tag)
    }

    @Test func bothAccountNumbersMustAgree() throws {
        for (track, isSame) in [("9999990000000014D4912", true), ("9999990000000015D491", false), ("99D4", false)] {
            let (outcome, _, _) = try transact { card, _ in card.record[0x57] = hex(track + "0") }
            #expect((outcome.disposition == .approved) == isSame, "\(track)")
        }
    }

    @Test func aCardWithTooManyRecordsIsNotRead() throws {
        let locator = hex("77 0A 8202 1980 9404 08 01 81 00" + "9000")
        let (outcome, run, _) = try transact { card, _ in card.replaced[0xA8] = locator }
        #expect(outcome.termination?.tag == 0x94)
        #expect(run.effects.count == 2)
    }

    /// Type 00 with Amount, Other is a purchase with cashback, too (Book 3, 10.4.2 and 10.5).
    @Test func anotherAmountIsCashback() throws {
        for (other, restriction, results) in [
            (0, false, "1F0002"), (500, true, "5E0500"),
        ] as [(UInt64, Bool, String)] {
            let (outcome, _, card) = try transact { card, reader in
                reader.transaction.otherAmount = other
                card.record[0x8E] = hex("0000000000000000" + "5E05" + "1F00")
            }
            #expect(outcome.tvr.contains(.serviceNotAllowed) == restriction)
            #expect(try self.results(card) == hex(results))
        }
    }

    @Test func restrictionsSetTheirBits() throws {
        let (outcome, _, _) = try transact { card, _ in
            card.record[0x5F24] = hex("251231")
            card.record[0x9F08] = hex("0002")
            card.record[0x9F07] = hex("0000")
        }
        #expect(outcome.tvr.isSuperset(of: [.expiredApplication, .versionsDiffer, .serviceNotAllowed]))
    }
}
