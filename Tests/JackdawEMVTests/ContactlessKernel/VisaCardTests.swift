import JackdawEMV
import JackdawTestSupport
import Testing

/// Visa-style cards up to each outcome (Book C-3, as MohamedHassanNasr/emv and vicente-da-silva/dcemv implement it).
@Suite struct VisaCardTests {
    private func transact(
        _ change: (inout ContactlessCard, inout ContactlessReader) throws -> Void = { _, _ in }
    ) throws -> (outcome: ContactlessOutcome, run: ContactlessRun, card: ContactlessCard) {
        var card = ContactlessCard.visa()
        var reader = try ContactlessReader()
        try change(&card, &reader)
        let (outcome, run) = try reader.run(&card, kernel: 3)
        return (outcome, run, card)
    }

    @Test func aSignedCertificateApproves() throws {
        let (outcome, run, card) = try transact()
        #expect(outcome.disposition == .approved)
        #expect(outcome.reason == nil)
        #expect(outcome.verification == .notRequired)
        #expect(outcome.display == DisplayRequest(.approved))
        #expect(run.authentications.map { $0.method } == [.dda])
        #expect(run.authentications.first?.failure == nil)
        #expect(run.rules.isEmpty)
        let record = try #require(outcome.dataRecord)
        #expect(record[0x9F26] == hex("0123456789ABCDEF"))
        #expect(record[0x95] == hex("0000000000"))
        #expect(record[0x9F03] == nil)
        #expect(card.commands[0] == hex("80A8000012 8310 36000000 000000001000 0978 0BADCAFE 00"))
        #expect(run.steps.allSatisfy { !$0.text.isEmpty })
    }

    /// Functions that the kernel does not have are not announced; pre-processing sets the bits of the amount.
    @Test func theQualifiersAreThoseOfTheKernel() throws {
        let (_, _, card) = try transact { _, reader in
            reader.profile.limits.qualifiers = TerminalTransactionQualifiers(hex("B700C000"))
            reader.profile.limits.contactlessFloorLimit = 999
            reader.profile.limits.verificationLimit = 1000
        }
        #expect(Array(card.commands[0][7..<11]) == hex("36C04000"))
    }

    @Test func aReaderWithoutEMVModeIsNotCovered() throws {
        for qualifiers in [nil, TerminalTransactionQualifiers(hex("80000000"))] {
            let (outcome, run, _) = try transact { _, reader in reader.profile.limits.qualifiers = qualifiers }
            #expect(outcome.disposition == .tryAnotherInterface)
            #expect(outcome.reason == .notCovered(.magneticStripeMode))
            #expect(run.effects.isEmpty)
        }
    }

    // MARK: the cryptogram

    @Test func anOnlineCryptogramAsksTheIssuer() throws {
        let (outcome, run, _) = try transact { card, _ in card.information = 0x80 }
        #expect(outcome.disposition == .onlineRequest)
        #expect(outcome.reason == nil)
        #expect(outcome.display?.message == .authorising)
        #expect(run.authentications.isEmpty)
        let online = try #require(outcome.online)
        #expect(!online.hasOnlinePIN)
        #expect(online.objects[0x9F27] == [0x80])
        #expect(online.objects[0x57] != nil)
    }

    @Test func aRefusalDeclines() throws {
        let (outcome, _, _) = try transact { card, _ in card.information = 0x00 }
        #expect(outcome.disposition == .declined)
        #expect(outcome.reason == nil)
        #expect(outcome.display?.message == .notAuthorised)
        #expect(outcome.dataRecord == nil)
        let reserved = try transact { card, _ in card.information = 0xC0 }
        #expect(reserved.outcome.disposition == .declined)
        #expect(reserved.outcome.reason == .rule(.unknownCryptogram))
    }

    /// Octet 5, bits 6 and 5, if the card sends no Cryptogram Information Data (5.4.3.1).
    @Test(arguments: [
        ("06011203900000", ContactlessOutcome.Disposition.approved), ("06011203A00000", .onlineRequest),
        ("06011203800000", .declined), ("06011203B00000", .declined), ("06011203", .endApplication),
    ])
    func theIssuerApplicationDataHaveTheType(data: String, disposition: ContactlessOutcome.Disposition) throws {
        let (outcome, _, _) = try transact { card, _ in card.answer[0x9F10] = hex(data) }
        #expect(outcome.disposition == disposition)
    }

    @Test func aReaderMayWantAnOnlineCryptogram() throws {
        let (outcome, run, _) = try transact { _, reader in reader.profile.limits.contactlessFloorLimit = 999 }
        #expect(outcome.disposition == .onlineRequest)
        #expect(outcome.reason == .rule(.onlineRequired))
        #expect(run.authentications.isEmpty)
    }

    @Test func aMerchantMayWantAnOnlineCryptogram() throws {
        let (outcome, _, card) = try transact { _, reader in reader.transaction.isOnlineForced = true }
        #expect(Array(card.commands[0][7..<11]) == hex("36800000"))
        #expect(outcome.disposition == .onlineRequest)
        #expect(outcome.reason == .rule(.onlineRequired))
    }

    // MARK: restrictions

    @Test func anExpiredCardIsDeclinedOrGoesOnline() throws {
        for date in ["260114", nil] {
            let declined = try transact { card, _ in card.record[0x5F24] = date.map { hex($0) } }
            #expect(declined.outcome.disposition == .declined)
            #expect(declined.outcome.reason == .rule(.expired(.decline)))
            let online = try transact { card, _ in
                card.record[0x5F24] = date.map { hex($0) }
                card.answer[0x9F6C] = hex("0800")
            }
            #expect(online.outcome.disposition == .onlineRequest)
            #expect(online.outcome.reason == .rule(.expired(.online)))
        }
        let today = try transact { card, _ in card.record[0x5F24] = hex("260115") }
        #expect(today.outcome.disposition == .approved)
    }

    @Test func theExceptionFileDeclines() throws {
        for missing in [[], [0x5A]] as [[UInt32]] {
            let (outcome, _, _) = try transact { card, reader in
                reader.configuration.exceptionFile = [SecretOctets(hex(ContactlessCard.account))]
                for tag in missing { card.missing.insert(try #require(.init(rawValue: tag))) }
            }
            #expect(outcome.disposition == .declined)
            #expect(outcome.reason == .rule(.onExceptionFile))
        }
    }

    @Test(
        arguments: [
            // Type, usage control, qualifiers of the card, outcome.
            (0x01, "8000", "0000", ContactlessOutcome.Disposition.approved), (0x01, "4000", "0000", .declined),
            (0x01, nil, "0000", .declined), (0x01, "4000", "0400", .tryAnotherInterface),
            (0x17, "4000", "0400", .tryAnotherInterface),
            (0x09, "0080", "0000", .approved), (0x09, "0040", "0000", .declined),
            (0x09, "0040", "0200", .tryAnotherInterface),
            (0x00, nil, "0000", .approved),
        ] as [(UInt8, String?, String, ContactlessOutcome.Disposition)])
    func cashAndCashbackNeedTheUsageControl(
        type: UInt8, usage: String?, qualifiers: String, disposition: ContactlessOutcome.Disposition
    ) throws {
        let (outcome, _, _) = try transact { card, reader in
            reader.transaction.type = TransactionType(rawValue: type)
            reader.profile.visa.checksCash = true
            reader.profile.visa.checksCashback = true
            card.record[0x5F28] = hex("0528")
            card.record[0x9F07] = usage.map { hex($0) }
            card.answer[0x9F6C] = hex(qualifiers)
        }
        #expect(outcome.disposition == disposition)
        if disposition == .tryAnotherInterface { #expect(outcome.display?.message == .insertOrSwipe) }
        #expect((outcome.dataRecord?.contains(0x9F03) ?? false) == (type == 0x09 && disposition == .approved))
    }

    /// Type 00 with Amount, Other is a purchase with cashback, too.
    @Test func anotherAmountIsCashback() throws {
        for (other, disposition) in [(0, .approved), (500, .declined)] as [(UInt64, ContactlessOutcome.Disposition)] {
            let (outcome, _, _) = try transact { card, reader in
                reader.transaction.otherAmount = other
                reader.profile.visa.checksCashback = true
                card.record[0x5F28] = hex("0528")
                card.record[0x9F07] = hex("FF00")
            }
            #expect(outcome.disposition == disposition)
        }
        let (outcome, _, _) = try transact { _, reader in reader.transaction.otherAmount = 500 }
        #expect(outcome.dataRecord?[0x9F03] == hex("000000000500"))
    }

    // MARK: offline data authentication

    @Test(arguments: [
        // Qualifiers of the card and of the reader, the consequence.
        ("0000", "36000000", ContactlessRule.Consequence.decline), ("2000", "36000000", .online),
        ("2000", "3E000000", .decline),
        ("1000", "36000000", .otherInterface), ("1000", "26000000", .decline), ("3000", "3E000000", .otherInterface),
    ])
    func aWrongSignatureHasItsConsequence(
        card: String, reader: String, consequence: ContactlessRule.Consequence
    ) throws {
        let (outcome, run, _) = try transact { virtual, settings in
            virtual.spoils = true
            virtual.answer[0x9F6C] = hex(card)
            settings.profile.limits.qualifiers = TerminalTransactionQualifiers(hex(reader))
        }
        #expect(run.rules == [.notAuthenticated(consequence)])
        #expect(outcome.reason == .rule(.notAuthenticated(consequence)))
        switch consequence {
        case .decline: #expect(outcome.disposition == .declined)
        case .online: #expect(outcome.disposition == .onlineRequest)
        case .otherInterface:
            #expect(outcome.disposition == .tryAnotherInterface)
            #expect(outcome.alternativeInterface == .contact)
            #expect(outcome.display == DisplayRequest(.insertCard, .processingError))
        }
    }

    /// A card that leaves out 9F4B does not get SDA, whose data can be copied, in place of fDDA.
    @Test(arguments: ["2000", "4000", "6000"]) func signedStaticDataDoNotApprove(profile: String) throws {
        let (outcome, run, _) = try transact { card, _ in
            card.isStatic = true
            card.profile = hex(profile)
        }
        #expect(outcome.disposition == .declined)
        #expect(outcome.reason == .rule(.notAuthenticated(.decline)))
        #expect(run.authentications.map { $0.method } == [.dda])
        #expect(run.authentications.first?.failure?.code == .missing)
        #expect(run.authentications.first?.failure?.tag == 0x9F4B)
        let unsigned = try transact { card, _ in card.isSigning = false }
        #expect(unsigned.outcome.disposition == .declined)
        #expect(unsigned.run.authentications.first?.failure?.code == .missing)
    }

    @Test(arguments: [nil, "02112233440000"]) func theSignatureNeedsItsData(related: String?) throws {
        let (outcome, run, _) = try transact { card, _ in card.record[0x9F69] = related.map { hex($0) } }
        #expect(outcome.disposition == .declined)
        #expect(run.authentications.first?.failure?.tag == 0x9F69)
    }

    // MARK: verification

    @Test(
        arguments: [
            // Qualifiers of the card and of the reader, whether the amount reaches the limit, the method, whether it
            // declines.
            (nil, "36000000", true, ContactlessOutcome.Verification.signature, false),
            (nil, "34004000", true, .onlinePIN, false),
            (nil, "34000000", true, nil, true), (nil, "30004000", true, nil, true),
            (nil, "36000000", false, .notRequired, false),
            ("8000", "36000000", true, .onlinePIN, false), ("8000", "36000000", false, .onlinePIN, false),
            ("8000", "32000000", true, nil, true), ("8000", "32000000", false, .notRequired, false),
            ("C000", "32000000", true, .signature, false), ("4000", "36000000", true, .signature, false),
            ("4000", "34000000", true, nil, true), ("0000", "36000000", true, nil, true),
            ("0080", "36000000", true, .onDevice, false),
            ("8080", "36000000", true, .onlinePIN, false),
        ] as [(String?, String, Bool, ContactlessOutcome.Verification?, Bool)])
    func cardAndReaderAgreeOnAMethod(
        card: String?, reader: String, isRequired: Bool, method: ContactlessOutcome.Verification?, declines: Bool
    ) throws {
        let (outcome, _, _) = try transact { virtual, settings in
            virtual.answer[0x9F6C] = card.map { hex($0) }
            // Octets 6 and 7 are the signed copy of the card's qualifiers.
            virtual.record[0x9F69] = hex("0111223344" + (card ?? "0000"))
            settings.profile.limits.qualifiers = TerminalTransactionQualifiers(hex(reader))
            settings.profile.limits.verificationLimit = isRequired ? 1000 : nil
        }
        #expect((outcome.disposition == .declined) == declines)
        #expect(outcome.verification == (declines ? .notRequired : method))
        if declines { #expect(outcome.reason == .rule(.notVerified)) }
        if method == .onlinePIN {
            #expect(outcome.disposition == .onlineRequest)
            #expect(outcome.online?.hasOnlinePIN == true)
        }
        if method == .signature { #expect(outcome.display?.message == .approvedPleaseSign) }
    }

    @Test func aDeviceMustProveThatItHasVerified() throws {
        for related in ["01112233440000", "0111223344", "011122334400"] {
            let (outcome, _, _) = try transact { card, _ in
                card.answer[0x9F6C] = hex("0080")
                card.record[0x9F69] = hex(related)
            }
            #expect(outcome.disposition == .declined)
            #expect(outcome.reason == .rule(.deviceNotTrusted))
        }
        let online = try transact { card, _ in
            card.answer[0x9F6C] = hex("0080")
            card.record[0x9F69] = nil
            card.information = 0x80
        }
        #expect(online.outcome.disposition == .onlineRequest)
        #expect(online.outcome.verification == .onDevice)
    }

    /// The Card Authentication Related Data count only if fDDA has proved them: not if the signature is wrong, nor if
    /// no signature is verified, as the issuer decides. An ARQC leaves the decision to the issuer, if the data agree.
    @Test func unsignedDataDoNotProveAVerification() throws {
        func transact(
            _ related: String, _ change: (inout ContactlessCard, inout ContactlessReader) -> Void
        ) throws -> ContactlessOutcome {
            try self.transact { card, reader in
                card.answer[0x9F6C] = hex("2080")
                card.record[0x9F69] = hex(related)
                change(&card, &reader)
            }.outcome
        }
        let agreeing = "01112233442080"
        #expect(try transact(agreeing) { _, _ in }.verification == .onDevice)
        let outcomes = [
            try transact(agreeing) { card, _ in card.spoils = true },
            try transact(agreeing) { _, reader in reader.profile.limits.contactlessFloorLimit = 999 },
            try transact("01112233440000") { card, _ in card.information = 0x80 },
        ]
        for outcome in outcomes {
            #expect(outcome.disposition == .declined)
            #expect(outcome.reason == .rule(.deviceNotTrusted))
        }
        let online = try transact(agreeing) { card, _ in card.information = 0x80 }
        #expect(online.disposition == .onlineRequest)
        #expect(online.verification == .onDevice)
    }

    // MARK: the outcome's data

    @Test func theAvailableAmountIsShownIfAskedFor() throws {
        for shows in [false, true] {
            let (outcome, _, _) = try transact { card, reader in
                card.answer[0x9F5D] = hex("000000012345")
                reader.profile.visa.showsAvailableAmount = shows
            }
            #expect(outcome.display?.balance == (shows ? 12_345 : nil))
            #expect(outcome.discretionaryData[0x9F5D] == hex("000000012345"))
        }
    }

    /// A card supplies no object whose source is the terminal or the issuer, also not one that the terminal does not
    /// have.
    @Test func aCardSuppliesNoObjectOfTheTerminalOrTheIssuer() throws {
        let (outcome, _, _) = try transact { card, _ in
            card.information = 0x80
            card.record[0x9F39] = hex("07")
            card.record[0x9F1E] = hex("3132333435363738")
            card.answer[0x9F66] = hex("FFFFFFFF")
            card.answer[0x9F7C] = hex("0102")
        }
        #expect(outcome.disposition == .onlineRequest)
        let online = try #require(outcome.online).objects
        #expect(online[0x9F39] == nil && online[0x9F1E] == nil)
        #expect(online[0x9F7C] == hex("0102"))
    }

    @Test func theFormFactorStatesTheInterface() throws {
        let (outcome, _, _) = try transact { card, _ in card.answer[0x9F6E] = hex("20700013") }
        #expect(outcome.dataRecord?[0x9F6E] == hex("20700010"))
    }

    // MARK: refusals and broken cards

    @Test func refusalsHaveTheirOutcomes() throws {
        let contact = try transact { card, _ in card.replaced[0xA8] = hex("6984") }.outcome
        #expect(contact.disposition == .tryAnotherInterface)
        #expect(contact.alternativeInterface == .contact)
        #expect(contact.display == DisplayRequest(.insertCard, .processingError))
        let next = try transact { card, _ in card.replaced[0xA8] = hex("6985") }.outcome
        #expect(next.disposition == .selectNext)
        #expect(next.start == .combinationSelection)
        let other = try transact { card, _ in card.replaced[0xA8] = hex("6A81") }.outcome
        #expect(other.disposition == .endApplication)
        #expect(other.display == DisplayRequest(.insertSwipeOrTryAnother, .processingError))
    }

    @Test func aDeviceMayHaveToBeUsedFirst() throws {
        let (outcome, _, _) = try transact { card, reader in
            card.replaced[0xA8] = hex("6986")
            reader.profile.limits.qualifiers?.insert(.cdcvmSupported)
        }
        #expect(outcome.disposition == .tryAgain)
        #expect(outcome.reason == .deviceInteraction)
        #expect(outcome.start == .protocolActivation)
        #expect(outcome.display == DisplayRequest(.seePhone, .processingError, holdTime: 13))
        #expect(outcome.restartDisplay == DisplayRequest(.seePhone, .readyToRead))
        #expect(outcome.fieldOffTime == 13)
        #expect(try transact { card, _ in card.replaced[0xA8] = hex("6986") }.outcome.disposition == .endApplication)
    }

    @Test(arguments: [0xA8, 0xB2] as [UInt8]) func aCardThatIsRemovedIsPresentedAgain(instruction: UInt8) throws {
        let (outcome, _, _) = try transact { card, _ in card.replaced[instruction] = .some(nil) }
        #expect(outcome.disposition == .tryAgain)
        #expect(outcome.start == .protocolActivation)
        #expect(outcome.restartDisplay == DisplayRequest(.tryAgain, .readyToRead))
        #expect(outcome.termination?.code == .cardLost)
    }

    @Test(arguments: [0x9F26, 0x9F36, 0x9F10, 0x57] as [UInt32]) func mandatoryObjectsAreRequired(tag: UInt32) throws {
        let (outcome, _, _) = try transact { card, _ in card.missing = [try #require(.init(rawValue: tag))] }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.termination?.code == .missing)
        #expect(outcome.termination?.tag?.rawValue == tag)
    }

    /// Format 1 has no cryptogram; a card without records has one.
    @Test func aCardNeedsNoRecords() throws {
        let plain = try transact { card, _ in card.replaced[0xA8] = hex("80022000" + "9000") }
        #expect(plain.outcome.termination?.tag == 0x9F26)
        let answer = hex("7738 8202 2000 9F3602 0007 9F2608 0123456789ABCDEF 9F2701 80 9F1007 06011203A00000")
        let whole = answer + hex("5711 9999990000000014D4912201000000000F 9000")
        let (outcome, run, _) = try transact { card, _ in
            var octets = whole
            octets[1] = UInt8(whole.count - 4)
            card.replaced[0xA8] = octets
        }
        #expect(outcome.disposition == .onlineRequest)
        #expect(run.effects.count == 2)
    }

    @Test func amountsAboveTheLimitTryAnotherInterface() throws {
        let (outcome, run, _) = try transact { _, reader in reader.profile.limits.transactionLimit = 1000 }
        #expect(outcome.disposition == .tryAnotherInterface)
        #expect(outcome.reason == .amountNotAllowed)
        #expect(run.effects.isEmpty)
    }
}
