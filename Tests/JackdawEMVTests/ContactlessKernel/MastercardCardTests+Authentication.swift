import JackdawEMV
import JackdawTestSupport
import Testing

// Offline data authentication of Mastercard-style cards, and the objects that they may supply.

extension MastercardCardTests {
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
}
