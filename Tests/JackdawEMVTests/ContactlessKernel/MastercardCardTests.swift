import JackdawEMV
import JackdawTestSupport
import Testing

/// Mastercard-style cards up to each outcome (Book C-2, as MohamedHassanNasr/emv and vicente-da-silva/dcemv implement
/// it).
@Suite struct MastercardCardTests {
    func transact(
        _ change: (inout ContactlessCard, inout ContactlessReader) throws -> Void = { _, _ in }
    ) throws -> (outcome: ContactlessOutcome, run: ContactlessRun, card: ContactlessCard) {
        var card = ContactlessCard.mastercard()
        var reader = try ContactlessReader()
        try change(&card, &reader)
        let (outcome, run) = try reader.run(&card, kernel: 2)
        return (outcome, run, card)
    }

    /// The values that GENERATE AC had, by the test card's CDOL1.
    func cryptogramData(_ card: ContactlessCard) throws -> (control: UInt8, data: [UInt8]) {
        let command = try #require(card.commands.last { $0[1] == 0xAE })
        return (command[2], Array(command[5..<command.count - 1]))
    }

    func results(_ card: ContactlessCard) throws -> [UInt8] {
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
}
