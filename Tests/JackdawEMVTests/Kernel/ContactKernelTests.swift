import JackdawEMV
import JackdawTestSupport
import Testing

/// Whole transactions with a virtual card: EMV Book 3, sections 9 and 10, and Book 4, section 6.
@Suite struct ContactKernelTests {
    func run(
        _ card: VirtualCard, type: UInt8 = 0x22, change: (inout KernelConfiguration) -> Void = { _ in }
    ) throws -> KernelRun<PlainPrimitives> {
        var configuration = try KernelConfiguration.test()
        configuration.type = TerminalType(rawValue: type)
        change(&configuration)
        var application = DataObjectStore()
        application[0x84] = hex("A0000009990101")
        return KernelRun(
            try ContactKernel(configuration, .test(), application: application, PlainPrimitives()), card)
    }

    /// A card without issuer's codes goes online, as its codes count as all ones.
    func approvedOnline(_ scripts: String = "", profile: String = "1800") throws -> KernelRun<PlainPrimitives> {
        var card = VirtualCard.plain()
        card.profile = hex(profile)
        card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x40)]
        var run = try run(card)
        run.host = .answered(try response(isApproved: true, scripts: scripts))
        return run
    }

    func response(isApproved: Bool, scripts: String = "") throws -> HostResponse {
        HostResponse(
            isApproved: isApproved,
            responseCode: try #require(AuthorisationResponseCode(isApproved ? hex("3030") : hex("3035"))),
            authenticationData: hex("11223344556677880000"), scripts: hex(scripts))
    }

    func commands(_ run: KernelRun<PlainPrimitives>, _ instruction: UInt8) -> [[UInt8]] {
        run.card.commands.filter { $0[1] == instruction }
    }

    @Test func aCleanTransactionIsApprovedOffline() throws {
        var card = VirtualCard.plain("9F0D0500000000009F0E0500000000009F0F050000000000")
        card.cryptograms = [VirtualCard.cryptogram(0x40)]
        var run = try run(card)
        let outcome = try run.finish()
        #expect(outcome.disposition == .approved)
        #expect(outcome.objects[0x8A] == Array("Y1".utf8))
        #expect(commands(run, 0xAE).map { $0[2] } == [0x40])
        // TVR: offline data authentication was not performed. TSI: verification, card's and terminal's risk management.
        #expect(outcome.tvr == .odaNotPerformed)
        #expect(outcome.tsi.octets == hex("6800"))
        #expect(outcome.host == nil && !outcome.isReversalRequired)
        // The values of CDOL1: amount, number, TVR, two octets of an object that is absent, TSI before the command.
        let values = "000000001000" + "5A5A5A5A" + "8000000000" + "0000" + "4800"
        #expect(commands(run, 0xAE)[0][5...].elementsEqual(hex(values) + [0]))
    }

    @Test func theIssuerApproves() throws {
        var run = try approvedOnline()
        let outcome = try run.finish()
        #expect(outcome.disposition == .approved)
        #expect(outcome.host == .approved)
        #expect(commands(run, 0xAE).map { $0[2] } == [0x80, 0x40])
        // The AIP has no bit for EXTERNAL AUTHENTICATE: the second command has tag 91.
        #expect(commands(run, 0x82).isEmpty)
        #expect(commands(run, 0xAE)[1].dropLast().suffix(10) == hex("11223344556677880000")[...])
        #expect(commands(run, 0xAE)[1][5...6] == hex("3030")[...])
    }

    @Test func theOnlineRequestHasItsObjects() throws {
        var run = try approvedOnline()
        _ = try run.finish()
        let request = run.effects.compactMap { effect in
            if case .authorise(let request) = effect.task { request } else { nil }
        }
        let tags = try #require(request.first).objects.tags
        let needed: [JackdawEMV.Tag] = [
            0x9F26, 0x9F27, 0x9F37, 0x9F36, 0x95, 0x9A, 0x9C, 0x9F02, 0x5F2A, 0x82, 0x9F1A, 0x9F33, 0x9F34, 0x9F35,
            0x84,
            0x9F09, 0x9F41, 0x9F03, 0x5A,
        ]
        #expect(Set(needed).isSubset(of: tags))
        #expect(!tags.contains(0x8A))
    }

    @Test func externalAuthenticateIsSentOnceAndItsFailureContinues() throws {
        var run = try approvedOnline(profile: "1C00")
        run.card.words = [0x6300]
        let outcome = try run.finish()
        #expect(commands(run, 0x82) == [hex("008200000A11223344556677880000")])
        #expect(outcome.tvr.contains(.issuerAuthenticationFailed))
        #expect(outcome.tsi.contains(.issuerAuthenticationPerformed))
        #expect(outcome.disposition == .approved)
    }

    @Test func scriptsAreSentBeforeAndAfterTheSecondCryptogram() throws {
        let (before, after) = ("8424000004AABBCCDD", "8418000004EEFF0011")
        var run = try approvedOnline("710B8609\(before)720B8609\(after)")
        run.card.words = [0x6985, 0x9000]
        let outcome = try run.finish()
        let last = run.card.commands.suffix(4).map { $0[1] }
        #expect(last == [0xAE, 0x24, 0xAE, 0x18])
        #expect(outcome.tvr.contains(.scriptFailedBeforeFinalGAC))
        #expect(!outcome.tvr.contains(.scriptFailedAfterFinalGAC))
        #expect(outcome.objects[0x9F5B] == hex("11000000002000000000"))
        #expect(outcome.scriptResults.count == 2)
        #expect(outcome.tsi.contains(.scriptProcessingPerformed))
    }

    @Test func aCardThatDeclinesAfterAnApprovalNeedsAReversal() throws {
        var run = try approvedOnline()
        run.card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x00)]
        let outcome = try run.finish()
        #expect(outcome.disposition == .declined)
        #expect(outcome.isReversalRequired)
    }

    @Test func theIssuerDeclines() throws {
        var run = try approvedOnline()
        run.host = .answered(try response(isApproved: false))
        let outcome = try run.finish()
        #expect(outcome.disposition == .declined)
        #expect(commands(run, 0xAE).map { $0[2] } == [0x80, 0x00])
        #expect(!outcome.isReversalRequired)
    }

    @Test func anUnreachableIssuerLeavesTheDecisionToTheDefaultCodes() throws {
        var run = try approvedOnline()
        run.host = .unreachable
        let declined = try run.finish()
        #expect(declined.objects[0x8A] == Array("Z3".utf8))
        #expect(declined.disposition == .declined && !declined.isReversalRequired)

        var card = VirtualCard.plain("9F0D050000000000")
        card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x40)]
        var second = try self.run(card)
        let approved = try second.finish()
        #expect(approved.objects[0x8A] == Array("Y3".utf8))
        #expect(approved.disposition == .approved)
        #expect(approved.host == .unreachable && !approved.isReversalRequired)
    }

    @Test func aCardThatDeclinesWithoutTheIssuerHasTheCodeOfThis() throws {
        var card = VirtualCard.plain("9F0D050000000000")
        card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x00)]
        var run = try run(card)
        let outcome = try run.finish()
        #expect(commands(run, 0xAE).map { $0[2] } == [0x80, 0x40])
        // The card had Y3 in its list.
        #expect(commands(run, 0xAE)[1][5...6] == Array("Y3".utf8)[...])
        #expect(outcome.disposition == .declined)
        #expect(outcome.objects[0x8A] == Array("Z3".utf8))
    }

    @Test func anUnknownDecisionDeclinesAndReverses() throws {
        var run = try approvedOnline()
        run.host = .unknown
        let outcome = try run.finish()
        #expect(commands(run, 0xAE).map { $0[2] } == [0x80, 0x00])
        #expect(outcome.disposition == .declined && outcome.isReversalRequired)
        #expect(outcome.host == .unknown)
    }

    @Test func aCryptogramAboveTheRequestTerminates() throws {
        var run = try approvedOnline()
        run.card.cryptograms = [VirtualCard.cryptogram(0x40)]
        #expect(try run.finish().termination?.code == .unexpectedCryptogram)
    }

    @Test func aCardThatRefusesTheServiceIsNotAccepted() throws {
        var run = try approvedOnline()
        run.card.cryptograms = [VirtualCard.cryptogram(0x01)]
        #expect(try run.finish().disposition == .notAccepted)
    }

    @Test func conditionsNotSatisfiedSelectAnotherApplication() throws {
        var run = try approvedOnline()
        run.card.replaced[0] = hex("6985")
        #expect(try run.finish().disposition == .selectAnother)
    }

    @Test func velocityAndRandomSelectionSendTheTransactionOnline() throws {
        var card = VirtualCard.plain("9F14010F9F230114")
        card.values = [0x9F36: hex("0020"), 0x9F13: hex("0010")]
        var run = try run(card) { $0.limits.targetPercentage = 99 }
        let outcome = try run.finish()
        // 32 - 16 = 16 transactions: above the lower limit of 15, below the upper one of 20.
        #expect(
            outcome.tvr == [.odaNotPerformed, .lowerConsecutiveLimitExceeded, .randomSelectedOnline])
    }

    @Test func riskManagementIsPerformedForEveryCard() throws {
        var card = VirtualCard.plain()
        card.profile = hex("0000")
        var run = try run(card) {
            $0.limits.floorLimit = 1000
            // The padding of the number, which 5A need not have, does not count.
            $0.exceptionFile = [SecretOctets(hex("9999990000000014FFFF"))]
        }
        let outcome = try run.finish()
        #expect(outcome.tvr == [.odaNotPerformed, .cardOnExceptionFile, .floorLimitExceeded])
        #expect(outcome.tsi.contains(.terminalRiskManagementPerformed))
        #expect(!outcome.tsi.contains(.cardholderVerificationPerformed))
        #expect(outcome.objects[0x9F34] == hex("3F0000"))
    }

    /// The TVR acts through the action codes alone (Book 3, 10.7): a card without codes of its own is approved offline,
    /// unless the terminal's codes have the bit.
    @Test(arguments: [TerminalVerificationResults.cardOnExceptionFile, .merchantForcedOnline], [false, true])
    func theActionCodesDecideOnTheWishesOfTheMerchant(
        bit: TerminalVerificationResults, hasCodes: Bool
    ) throws {
        var card = VirtualCard.plain("9F0D0500000000009F0E0500000000009F0F050000000000")
        card.cryptograms = [VirtualCard.cryptogram(hasCodes ? 0x80 : 0x40), VirtualCard.cryptogram(0x00)]
        var configuration = try KernelConfiguration.test()
        if bit == .cardOnExceptionFile { configuration.exceptionFile = [SecretOctets(hex("9999990000000014"))] }
        if hasCodes { configuration.actionCodes = ActionCodes(denial: [], online: bit, default: bit) }
        var transaction = try KernelTransaction.test()
        transaction.isOnlineForced = bit == .merchantForcedOnline
        var run = KernelRun(
            try ContactKernel(configuration, transaction, application: DataObjectStore(), PlainPrimitives()), card)
        let outcome = try run.finish()
        #expect(outcome.tvr.contains(bit))
        #expect(commands(run, 0xAE)[0][2] == (hasCodes ? 0x80 : 0x40))
        // The issuer is not reached.
        #expect(outcome.disposition == (hasCodes ? .declined : .approved))
    }

    /// Type 00 with Amount, Other is a purchase with cashback, too (Book 3, 10.4.2 and 10.5).
    @Test func anotherAmountIsCashback() throws {
        // The usage control allows purchases without cashback; the CVM list has a signature for cashback alone.
        for (other, restriction, results) in [
            (0, false, "1F0002"), (500, true, "5E0500"),
        ] as [(UInt64, Bool, String)] {
            let card = VirtualCard.plain(
                "9F07023D005F28020528", cvmList: "0000000000000000" + "5E05" + "1F00")
            var transaction = try KernelTransaction.test()
            transaction.otherAmount = other
            var run = KernelRun(
                try ContactKernel(.test(), transaction, application: DataObjectStore(), PlainPrimitives()), card)
            let outcome = try run.finish()
            #expect(outcome.tvr.contains(.serviceNotAllowed) == restriction)
            #expect(outcome.objects[0x9F34] == hex(results))
        }
    }
}
