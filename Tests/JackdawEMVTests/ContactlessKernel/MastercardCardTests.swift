import JackdawEMV
import JackdawTestSupport
import Testing

/// Mastercard-style cards up to each outcome (Book C-2, as MohamedHassanNasr/emv and vicente-da-silva/dcemv implement
/// it).
@Suite struct MastercardCardTests {
    private func transact(
        _ change: (inout ContactlessCard, inout ContactlessReader) throws -> Void = { _, _ in }
    ) throws -> (outcome: ContactlessOutcome, run: ContactlessRun, card: ContactlessCard) {
        var card = ContactlessCard.mastercard()
        var reader = try ContactlessReader()
        try change(&card, &reader)
        let (outcome, run) = try reader.run(&card, kernel: 2)
        return (outcome, run, card)
    }

    /// The values that GENERATE AC had, by the test card's CDOL1.
    private func cryptogramData(_ card: ContactlessCard) throws -> (control: UInt8, data: [UInt8]) {
        let command = try #require(card.commands.last { $0[1] == 0xAE })
        return (command[2], Array(command[5..<command.count - 1]))
    }

    private func results(_ card: ContactlessCard) throws -> [UInt8] {
        Array(try cryptogramData(card).data[30..<33])
    }

    @Test func aSignedCertificateApproves() throws {
        let (outcome, run, card) = try transact()
        #expect(outcome.disposition == .approved)
        #expect(outcome.reason == nil)
        #expect(outcome.start == nil)
        #expect(outcome.verification == .notRequired)
        #expect(!outcome.isReceiptRequired)
        #expect(outcome.display == DisplayRequest(.approved, .notReady, holdTime: 13))
        #expect(outcome.online == nil)
        #expect(outcome.tvr == .reservedContactless2)
        let record = try #require(outcome.dataRecord)
        #expect(record[0x9F26] == hex("0123456789ABCDEF"))
        #expect(record[0x5A] == hex(ContactlessCard.account))
        #expect(record[0x95] == hex("0000000001"))
        #expect(run.authentications.map { $0.method } == [.cda, .cda])
        #expect(run.authentications.allSatisfy { $0.failure == nil })
        let (control, data) = try cryptogramData(card)
        #expect(control == 0x50)
        #expect(Array(data[..<6]) == hex("000000001000"))
        #expect(Array(data[14..<19]) == hex("0000000001"))
        #expect(try results(card) == hex("1F0002"))
        #expect(run.steps.allSatisfy { !$0.text.isEmpty })
        #expect(run.effects.map { $0.identifier } == Array(1...run.effects.count))
    }

    /// Before the records, the Terminal Capabilities have no method of verification (S1.9).
    @Test func theMethodsDependOnTheLimit() throws {
        let (_, _, below) = try transact { _, reader in
            reader.profile.mastercard.ordinaryMethods = .noCVM
            reader.profile.mastercard.requiredMethods = [.encipheredPINOnline, .signature]
        }
        #expect(below.commands[0] == hex("80A8000006 8304 E000C8 00 00"))
        #expect(try cryptogramData(below).data.suffix(3) == hex("E008C8"))
        let (outcome, _, above) = try transact { card, reader in
            reader.profile.mastercard.ordinaryMethods = .noCVM
            reader.profile.mastercard.requiredMethods = [.encipheredPINOnline, .signature]
            reader.profile.mastercard.verificationLimit = 999
            card.record[0x8E] = hex("00000000000000001E031F03")
        }
        #expect(try cryptogramData(above).data.suffix(3) == hex("E060C8"))
        #expect(outcome.verification == .signature)
        #expect(outcome.isReceiptRequired)
        #expect(outcome.display?.message == .approvedPleaseSign)
        #expect(try results(above) == hex("1E0300"))
    }

    @Test func anOnlineCryptogramAsksTheIssuer() throws {
        let (outcome, _, card) = try transact { card, _ in
            card.information = 0x80
            card.record[0x8E] = hex("000000000000000042031F03")
        }
        #expect(outcome.disposition == .onlineRequest)
        #expect(outcome.reason == nil)
        #expect(outcome.verification == .onlinePIN)
        #expect(outcome.display == DisplayRequest(.authorising, .notReady))
        #expect(outcome.tvr == [.onlineCVMCaptured, .reservedContactless2])
        #expect(try results(card) == hex("420300"))
        let online = try #require(outcome.online)
        #expect(online.hasOnlinePIN)
        let tags: [UInt32] = [
            0x9F26, 0x9F27, 0x9F10, 0x9F37, 0x9F36, 0x95, 0x9A, 0x9C, 0x9F02, 0x5F2A, 0x82, 0x9F1A, 0x9F33, 0x9F34,
            0x9F35, 0x84, 0x9F09, 0x9F41, 0x9F03, 0x5F34, 0x5A,
        ]
        for tag in tags { #expect(online.objects.contains(try #require(.init(rawValue: tag)))) }
        #expect(online.objects[0x9F27] == [0x80])
    }

    @Test func theMethodAloneIsSentIfAskedFor() throws {
        let (_, _, card) = try transact { card, reader in
            card.information = 0x80
            card.record[0x8E] = hex("000000000000000042031F03")
            reader.profile.mastercard.sendsMethodAlone = true
        }
        #expect(try results(card) == hex("020300"))
    }

    @Test func aboveTheFloorLimitTheCodesDecide() throws {
        let (outcome, _, card) = try transact { card, reader in
            reader.profile.mastercard.floorLimit = 999
            card.record[0x9F0F] = hex("0000008000")
        }
        #expect(outcome.disposition == .onlineRequest)
        #expect(outcome.tvr.contains(.floorLimitExceeded))
        #expect(try cryptogramData(card).control == 0x90)
        // Absent codes have all bits, also that of the relay resistance protocol.
        let absent = try transact { card, _ in card.missing = [0x9F0F] }
        #expect(try cryptogramData(absent.card).control == 0x90)
        let denied = try transact { card, reader in
            card.record[0x9F0E] = hex("0000008000")
            reader.profile.mastercard.floorLimit = 999
        }
        #expect(try cryptogramData(denied.card).control == 0x00)
        #expect(denied.outcome.disposition == .tryAnotherInterface)
    }

    // MARK: a card that declines

    @Test func aRefusalTriesContacts() throws {
        let (outcome, _, _) = try transact { card, _ in card.information = 0x00 }
        #expect(outcome.disposition == .tryAnotherInterface)
        #expect(outcome.reason == nil)
        #expect(outcome.display == DisplayRequest(.insertCard, .notReady, holdTime: 13))
        #expect(outcome.dataRecord != nil)
    }

    @Test func aRefusalDeclinesWithoutContacts() throws {
        let reader = try transact { card, reader in
            card.information = 0x00
            reader.configuration.capabilities.remove(.icWithContacts)
        }
        #expect(reader.outcome.disposition == .declined)
        #expect(reader.outcome.display?.message == .notAuthorised)
        // The Third Party Data of a phone, of a card, and without a device type.
        let devices: [(String, ContactlessOutcome.Disposition)] = [
            ("0528000031330000", .declined), ("0528000030300000", .tryAnotherInterface),
            ("0528800031330000", .tryAnotherInterface), ("0528000031", .tryAnotherInterface),
        ]
        for (data, disposition) in devices {
            let device = try transact { card, _ in
                card.information = 0x00
                card.record[0x9F6E] = hex(data)
            }
            #expect(device.outcome.disposition == disposition, "\(data)")
        }
    }

    @Test func aRefusedRefundEndsTheApplication() throws {
        let (outcome, _, _) = try transact { card, reader in
            card.information = 0x00
            reader.transaction.type = .refund
        }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.display == DisplayRequest(.noMessage, .notReady))
    }

    @Test(arguments: [("000100", DisplayRequest.Message.seePhone), ("000001", .seePhone), ("000008", .notAuthorised)])
    func aDeviceIsPresentedAgain(interaction: String, message: DisplayRequest.Message) throws {
        let (outcome, _, _) = try transact { card, _ in card.answer[0xDF4B] = hex(interaction) }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.reason == .deviceInteraction)
        #expect(outcome.start == .protocolActivation)
        #expect(outcome.display == DisplayRequest(message, .notReady, holdTime: 13))
        #expect(outcome.restartDisplay == DisplayRequest(message, .readyToRead))
    }

    @Test func aDeviceThatHasVerifiedIsDone() throws {
        #expect(try transact { card, _ in card.answer[0xDF4B] = hex("001000") }.outcome.disposition == .approved)
    }

    // MARK: verification on the device

    @Test func theDeviceVerifiesAboveTheLimit() throws {
        let above = try transact { card, reader in
            card.profile = hex("1B80")
            reader.profile.mastercard.allowsOnDeviceVerification = true
            reader.profile.mastercard.verificationLimit = 999
            reader.profile.mastercard.transactionLimit = 500
        }
        #expect(above.outcome.disposition == .approved)
        #expect(above.outcome.verification == .onDevice)
        #expect(above.outcome.isReceiptRequired)
        #expect(try results(above.card) == hex("010002"))
        let below = try transact { card, reader in
            card.profile = hex("1B80")
            reader.profile.mastercard.allowsOnDeviceVerification = true
        }
        #expect(below.outcome.verification == .notRequired)
        #expect(try results(below.card) == hex("3F0002"))
        let limited = try transact { card, reader in
            card.profile = hex("1B80")
            reader.profile.mastercard.allowsOnDeviceVerification = true
            reader.profile.mastercard.onDeviceTransactionLimit = 999
        }
        #expect(limited.outcome.disposition == .selectNext)
    }

    /// A device must sign: without its keys, an AAC is requested (GAC.22 and 23).
    @Test func aDeviceWithoutKeysIsRefused() throws {
        let (outcome, _, card) = try transact { card, reader in
            card.profile = hex("1B80")
            card.missing = [0x9F46]
            reader.profile.mastercard.allowsOnDeviceVerification = true
        }
        #expect(try cryptogramData(card).control == 0x00)
        #expect(outcome.disposition == .tryAnotherInterface)
        #expect(outcome.tvr.isSuperset(of: [.cdaFailed, .iccDataMissing]))
    }

    /// The results of CVM.6, CVM.8, CVM.14, CVM.24 and CVM.25.
    @Test(arguments: [
        ("0980", "00000000000000001F00", "3F0000", "0000000001"), ("1980", nil, "3F0000", "2000000001"),
        ("1980", "000000000000000042011E01", "3F0001", "0000800001"),
        ("1980", "00000000000000000000", "000001", "0000800001"),
        ("1980", "00000000000000000100", "3F0001", "0000800001"),
        ("1980", "00000000000000003500", "3F0001", "0000C00001"),
    ])
    func verificationHasItsResults(profile: String, list: String?, results: String, tvr: String) throws {
        let (outcome, _, card) = try transact { card, _ in
            card.profile = hex(profile)
            card.record[0x8E] = list.map { hex($0) }
        }
        #expect(try self.results(card) == hex(results))
        #expect(outcome.tvr.octets == hex(tvr))
        #expect(outcome.verification == .notRequired)
    }

    // MARK: offline data authentication

    @Test func aWrongSignatureEndsTheApplication() throws {
        let (outcome, run, _) = try transact { card, _ in card.spoils = true }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.display == DisplayRequest(.insertSwipeOrTryAnother, .notReady, holdTime: 13))
        #expect(outcome.tvr.contains(.cdaFailed))
        #expect(outcome.dataRecord == nil)
        guard case .authentication(let failure)? = outcome.reason else {
            Issue.record("\(String(describing: outcome.reason))")
            return
        }
        #expect(run.authentications.last?.failure == failure)
    }

    /// Without a signature the issuer decides, although no action code has the bit.
    @Test func missingKeysAskForAnUnsignedCryptogram() throws {
        let missing = try transact { card, _ in card.missing = [0x90] }
        #expect(try cryptogramData(missing.card).control == 0x80)
        #expect(missing.outcome.disposition == .onlineRequest)
        #expect(missing.outcome.tvr == [.cdaFailed, .iccDataMissing, .reservedContactless2])
        let unknown = try transact { _, reader in reader.configuration.keys = AuthenticationKeys() }
        #expect(try cryptogramData(unknown.card).control == 0x80)
        #expect(unknown.outcome.tvr == [.cdaFailed, .reservedContactless2])
        let unable = try transact { _, reader in reader.configuration.capabilities.remove(.cda) }
        #expect(try cryptogramData(unable.card).control == 0x80)
        #expect(unable.outcome.tvr == [.odaNotPerformed, .reservedContactless2])
    }

    /// Whatever the action codes are, a card is not approved offline without its signature, with a PIN for the issuer,
    /// on the exception file, or if the merchant wants the issuer to decide. A reader that is never online declines.
    @Test(arguments: [
        TerminalVerificationResults.odaNotPerformed, .cdaFailed, .onlineCVMCaptured, .cardOnExceptionFile,
        .merchantForcedOnline,
    ])
    func noActionCodeAllowsAnOfflineApproval(bit: TerminalVerificationResults) throws {
        func transact(
            information: UInt8? = nil, type: UInt8 = 0x22
        ) throws -> (outcome: ContactlessOutcome, run: ContactlessRun, card: ContactlessCard) {
            try self.transact { card, reader in
                card.information = information
                reader.configuration.type = TerminalType(rawValue: type)
                switch bit {
                case .odaNotPerformed: card.profile = hex("1880")
                case .cdaFailed: card.isSigning = false
                case .onlineCVMCaptured: card.record[0x8E] = hex("00000000000000000200")
                case .cardOnExceptionFile:
                    reader.configuration.exceptionFile = [SecretOctets(hex(ContactlessCard.account))]
                default: reader.transaction.isOnlineForced = true
                }
            }
        }
        let (outcome, run, card) = try transact()
        #expect(outcome.tvr.contains(bit))
        #expect(try cryptogramData(card).control & 0xC0 == 0x80)
        #expect(outcome.disposition == .onlineRequest)
        let reasons = run.steps.compactMap { step in
            if case .actionAnalysis(let action) = step { action.reason } else { nil }
        }
        #expect(reasons == [.online(bit)])
        let offline = try transact(type: 0x23)
        #expect(try cryptogramData(offline.card).control & 0xC0 == 0x00)
        #expect(offline.outcome.disposition == .tryAnotherInterface)
        // A card that answers a TC all the same breaks its protocol.
        #expect(try transact(information: 0x40).outcome.termination?.code == .unexpectedCryptogram)
    }

    @Test(arguments: [nil, "9F37", "8284"]) func anotherTagListEndsTheApplication(list: String?) throws {
        let (outcome, _, _) = try transact { card, _ in card.record[0x9F4A] = list.map { hex($0) } }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.termination?.code == .malformed)
        #expect(outcome.termination?.tag == 0x9F4A)
    }

    @Test func anUnsignedAnswerIsRefusedIfASignatureWasRequested() throws {
        let unsigned = hex("77149F2701409F360200079F26080123456789ABCDEF9000")
        let approval = try transact { card, _ in card.replaced[0xAE] = unsigned }
        #expect(approval.outcome.disposition == .endApplication)
        #expect(approval.outcome.termination?.tag == 0x9F4B)
        var refusal = unsigned
        refusal[5] = 0x00
        #expect(try transact { card, _ in card.replaced[0xAE] = refusal }.outcome.disposition == .tryAnotherInterface)
    }

    /// Application Capabilities Information: CDA over TC, ARQC and AAC.
    @Test func aCardMaySignRefusals() throws {
        let (outcome, _, card) = try transact { card, _ in
            card.application[0x9F5D] = hex("000100")
            card.record[0x9F0E] = hex("0000000001")
        }
        #expect(try cryptogramData(card).control == 0x10)
        #expect(outcome.disposition == .tryAnotherInterface)
        let unsigned = hex("77149F2701009F360200079F26080123456789ABCDEF9000")
        let broken = try transact { card, _ in
            card.application[0x9F5D] = hex("000100")
            card.record[0x9F0E] = hex("0000000001")
            card.replaced[0xAE] = unsigned
        }
        #expect(broken.outcome.termination?.tag == 0x9F4B)
    }

    // MARK: objects of the terminal

    /// A card supplies no object whose source is the terminal or the issuer, also not one that the terminal does not
    /// have. For kernel 2, 9F5B (DSDOL) and 9F66 (PUNATC) are of the card (Book C-2, annex A).
    @Test func aCardSuppliesNoObjectOfTheTerminalOrTheIssuer() throws {
        let foreign: [(tag: JackdawEMV.Tag, value: [UInt8])] = [
            (0x8A, hex("3030")), (0x91, hex("1122334455667788")), (0x9F1E, hex("3132333435363738")),
            (0x9F53, hex("52")), (0x9F7C, [UInt8](repeating: 1, count: 20)),
        ]
        let own: [(tag: JackdawEMV.Tag, value: [UInt8])] = [
            (0x9F5B, hex("AB01")), (0x9F66, hex("AB02")), (0xDF01, hex("AB03")),
        ]
        let (outcome, _, card) = try transact { card, _ in
            for object in foreign + own { card.record[object.tag] = object.value }
            let list = (own + foreign).flatMap { $0.tag.octets + [UInt8($0.value.count)] }
            card.record[0x8C] = list + (card.record[0x8C] ?? [])
        }
        #expect(outcome.disposition == .approved)
        let count = foreign.reduce(0) { $0 + $1.value.count }
        let values = try cryptogramData(card).data.prefix(6 + count)
        #expect(Array(values) == hex("AB01AB02AB03") + [UInt8](repeating: 0, count: count))
        #expect(outcome.dataRecord?.contains(0x9F1E) == false)
        #expect(outcome.dataRecord?.contains(0x9F53) == false)
    }

    /// 9F45 and 9F4C come out of signatures.
    @Test func recordsDoNotSupplyTheResultsOfAuthentication() throws {
        let (_, _, card) = try transact { card, _ in
            card.isSigning = false
            card.record[0x9F45] = hex("DAC0")
            card.record[0x9F4C] = hex("1234")
            card.record[0x8C] = hex("9F45029F4C02") + (card.record[0x8C] ?? [])
        }
        #expect(try cryptogramData(card).data.prefix(4) == hex("00000000")[...])
    }

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
