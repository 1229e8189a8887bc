import JackdawEMV
import JackdawTestSupport
import Testing

/// Whole transactions with a virtual card: EMV Book 3, sections 9 and 10, and Book 4, section 6.
@Suite struct ContactKernelTests {
    private func run(
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
    private func approvedOnline(_ scripts: String = "", profile: String = "1800") throws -> KernelRun<PlainPrimitives> {
        var card = VirtualCard.plain()
        card.profile = hex(profile)
        card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x40)]
        var run = try run(card)
        run.host = .answered(try response(isApproved: true, scripts: scripts))
        return run
    }

    private func response(isApproved: Bool, scripts: String = "") throws -> HostResponse {
        HostResponse(
            isApproved: isApproved,
            responseCode: try #require(AuthorisationResponseCode(isApproved ? hex("3030") : hex("3035"))),
            authenticationData: hex("11223344556677880000"), scripts: hex(scripts))
    }

    private func commands(_ run: KernelRun<PlainPrimitives>, _ instruction: UInt8) -> [[UInt8]] {
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

    /// An answer is one template: objects after it are no part of what a signature covers (Book 3, 6.5 and 10.2).
    @Test(
        arguments: [
            (0, "8006180008010100" + "9F0702FFFF", 0x77), (0, "770A82021800940408010100" + "9F0702FFFF", 0x77),
            (1, nil, 0x70), (2, "77149F2701809F360200019F26081122334455667788" + "9F1001AA", 0x77),
            (2, "800B8000011122334455667788" + "9F1001AA", 0x77),
        ] as [(Int, String?, JackdawEMV.Tag)])
    func objectsAfterTheTemplateTerminate(_ command: Int, _ answer: String?, _ tag: JackdawEMV.Tag) throws {
        var run = try approvedOnline()
        run.card.replaced[command] = (answer.map { hex($0) } ?? run.card.records[0] + hex("9F0702FFFF")) + hex("9000")
        let reason = try run.finish().termination
        #expect(reason?.code == .malformed && reason?.tag == tag)
        #expect(run.card.commands.count == command + 1)
    }

    @Test func aWarningOfARecordTerminates() throws {
        var run = try approvedOnline()
        run.card.replaced[1] = run.card.records[0] + hex("6283")
        let reason = try run.finish().termination
        #expect(reason?.code == .status)
        #expect(reason?.status == .fileInvalidated)
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

    @Test func theHashOfTheCertificateDataIsGiven() throws {
        // The CDOL1 asks for the TC hash; the card has no TDOL, so that the terminal's is used, and is empty.
        var card = VirtualCard()
        card.records = [
            TagLengthValueBuilder.encode(
                0x70, hex("5A0899999900000000145F24034912318C0298148D028A028E0A00000000000000001F00"))
        ]
        var run = try run(card)
        let outcome = try run.finish()
        #expect(outcome.tvr.contains(.defaultTDOLUsed))
        // FIPS 180-4: the digest of nothing.
        let digest = hex("DA39A3EE5E6B4B0D3255BFEF95601890AFD80709")
        #expect(commands(run, 0xAE)[0].dropFirst(5).prefix(20).elementsEqual(digest))
    }

    @Test func theTerminalOwnsItsObjects() throws {
        // A record that claims a TVR and an amount does not replace those of the terminal.
        var card = VirtualCard.plain("9505FFFFFFFFFF9F0206999999999999")
        card.cryptograms = [VirtualCard.cryptogram(0x80)]
        var run = try run(card)
        _ = try run.finish()
        #expect(commands(run, 0xAE)[0][5..<11] == hex("000000001000")[...])
        #expect(commands(run, 0xAE)[0][15..<20] == hex("8000000000")[...])
    }

    /// A card supplies no object whose source is the terminal or the issuer (Book 3, annex A), also not one that the
    /// terminal does not have.
    @Test func aCardSuppliesNoObjectOfTheTerminalOrTheIssuer() throws {
        var card = VirtualCard()
        let objects: [(tag: JackdawEMV.Tag, value: [UInt8])] = [
            (0x8A, hex("3030")), (0x89, hex("313233343536")), (0x91, hex("1122334455667788")),
            (0x98, [UInt8](repeating: 1, count: 20)), (0x9F1E, hex("3132333435363738")), (0x9F5B, hex("2000000000")),
            (0x9F53, hex("52")), (0x9F16, [UInt8](repeating: 0x31, count: 15)),
        ]
        // The kernel computes 98 if a list asks for it.
        let asked = objects.filter { $0.tag != 0x98 }
        var (list, record) = (TagLengthValueBuilder(), TagLengthValueBuilder())
        list.append(0x70) { fields in
            fields.append(0x5A, hex("9999990000000014"))
            fields.append(0x5F24, hex("491231"))
            // A tag that the dictionary does not have, DF01, is the card's.
            fields.append(0x8C, asked.flatMap { $0.tag.octets + [UInt8($0.value.count)] } + hex("DF0102"))
            fields.append(0x8D, hex("8A02"))
            fields.append(0x8E, hex("00000000000000001F00"))
        }
        record.append(0x70) { fields in
            for object in objects { fields.append(object.tag, object.value) }
            fields.append(0xDF01, hex("ABCD"))
        }
        card.records = [list.octets, record.octets]
        card.cryptograms = [VirtualCard.cryptogram(0x80)]
        var run = try run(card)
        let outcome = try run.finish()
        let values = try #require(commands(run, 0xAE).first).dropFirst(5).dropLast()
        let count = asked.reduce(0) { $0 + $1.value.count }
        #expect(values.elementsEqual([UInt8](repeating: 0, count: count) + hex("ABCD")))
        #expect(outcome.objects.tags.allSatisfy { ![0x89, 0x91, 0x98, 0x9F1E, 0x9F5B, 0x9F53, 0x9F16].contains($0) })
        #expect(outcome.objects[0x8A] == Array("Z3".utf8))
    }

    /// The Data Authentication Code (9F45) and the ICC Dynamic Number (9F4C) come out of signatures (Book 2, 5.4 and
    /// 6.5), and not out of records.
    @Test func recordsDoNotSupplyTheResultsOfAuthentication() throws {
        let account = "5A089999990000000014" + "5F2403491231"
        let lists = "8C069F45029F4C02" + "8D028A02" + "8E0A00000000000000001F00"
        var card = VirtualCard()
        card.records = [TagLengthValueBuilder.encode(0x70, hex(account + lists + "9F4502DAC0" + "9F4C021234"))]
        var run = try run(card)
        let outcome = try run.finish()
        #expect(commands(run, 0xAE)[0][5...].elementsEqual(hex("00000000") + [0]))
        #expect(outcome.objects[0x9F45] == nil && outcome.objects[0x9F4C] == nil)
    }

    /// The books set no limit to the records of an AFL.
    @Test(arguments: [(128, nil), (129, KernelTermination.Code.limitExceeded)])
    func aCardWithTooManyRecordsTerminates(_ count: Int, _ code: KernelTermination.Code?) throws {
        var card = VirtualCard.plain()
        card.records += [[UInt8]](repeating: hex("7000"), count: count - 1)
        var run = try run(card)
        let reason = try run.finish().termination
        #expect(reason?.code == code && (code == nil || reason?.tag == 0x94))
        #expect(commands(run, 0xB2).count == (code == nil ? count : 0))
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

    /// Every script template that the issuer sent has a result, whatever ends the transaction.
    @Test func scriptsThatAreLeftOutHaveResults() throws {
        let scripts =
            "71129F1804000000018609842400000401020304" + "710D9F1804000000028604841E0000" + "72079F180400000003"
        // The effects: a number, three commands, the host, the commands of two scripts, the second
        // cryptogram.
        for (index, results) in [(5, "110000000100000000020000000003"), (7, "200000000120000000020000000003")] {
            let run = try approvedOnline(scripts)
            let (_, end) = try #require(try outcome(of: run, answering: .cardLost, to: index))
            #expect(end.termination?.code == .cardLost)
            #expect(end.scriptResults.flatMap { $0.octets } == hex(results))
            #expect(end.objects[0x9F5B] == hex(results))
        }
    }

    /// The answers to SELECT and GET PROCESSING OPTIONS are not signed; the records are (Book 3, 10.2 and 10.3).
    @Test func recordsReplaceObjectsThatAreNotSigned() throws {
        var application = DataObjectStore()
        application[0x84] = hex("A0000009990101")
        application[0x50] = hex("4142")
        application[0x9F38] = hex("9F0206")
        application[0x82] = hex("7C00")
        application[0x5A] = hex("1111110000000000")
        application[0x8E] = hex("00000000000000001E00")
        application[0x9F0D] = hex("0000000000")
        application[0x9F6E] = hex("01")
        var card = VirtualCard.plain("50014384021122820200009F380195")
        let locator = "94040801" + "0200"
        card.replaced[0] = hex("771C82021800" + locator + "9F0D0500000000005A089999990000000022" + "9000")
        var run = KernelRun(
            try ContactKernel(.test(), .test(), application: application, PlainPrimitives()), card)
        let outcome = try run.finish()
        #expect(outcome.termination == nil)
        #expect(outcome.objects[0x82] == hex("1800"))
        #expect(outcome.objects[0x84] == hex("A0000009990101"))
        #expect(outcome.objects[0x50] == hex("43"))
        #expect(outcome.objects[0x5A] == hex("9999990000000014"))
        #expect(outcome.objects[0x8E] == hex("00000000000000001F00"))
        #expect(outcome.objects[0x9F0D] == nil)
        #expect(outcome.objects[0x9F38] == hex("9F0206"))
        #expect(outcome.objects[0x9F6E] == hex("01"))
    }

    @Test func theProfileComesFromTheProcessingOptionsOnly() throws {
        var application = DataObjectStore()
        application[0x82] = hex("1800")
        var card = VirtualCard.plain()
        card.replaced[0] = hex("7706" + "940408010100" + "9000")
        var run = KernelRun(
            try ContactKernel(.test(), .test(), application: application, PlainPrimitives()), card)
        let reason = try run.finish().termination
        #expect(reason?.code == .missing && reason?.tag == 0x82)
    }

    /// Runs a transaction whose effect with an index, from 0, has another answer.
    /// - Returns: the task of this effect and the outcome.
    private func outcome(
        of run: KernelRun<PlainPrimitives>, answering other: KernelAnswer, to index: Int
    ) throws -> (KernelEffect.Task, KernelOutcome)? {
        var (kernel, card) = (run.kernel, run.card)
        var actions = kernel.start()[...]
        var task: KernelEffect.Task?
        var count = 0
        while let action = actions.popFirst() {
            switch action {
            case .step: break
            case .finished(let end): return task.map { ($0, end) }
            case .effect(let effect):
                var answer: KernelAnswer =
                    switch effect.task {
                    case .random(let count): .random([UInt8](repeating: 0, count: count))
                    case .transmit(let command): .response(try card.answer(command))
                    case .enterPIN: .pinBypassed
                    case .authorise: .host(run.host)
                    }
                if count == index {
                    answer = other
                    task = effect.task
                }
                count += 1
                actions += kernel.receive(answer, to: effect.identifier)
            }
        }
        return nil
    }

    /// A lost card and a cancelled transaction end every effect; once the host was asked, with a reversal.
    @Test func everyEffectCanBeBrokenOff() throws {
        for (answer, code) in [
            (KernelAnswer.cardLost, KernelTermination.Code.cardLost), (.cancelled, .cancelled),
        ] {
            var kinds: [String] = []
            var isAsked = false
            for index in 0..<20 {
                let run = try approvedOnline()
                guard let (task, end) = try outcome(of: run, answering: answer, to: index) else { break }
                switch task {
                case .random: kinds.append("random")
                case .transmit: kinds.append("transmit")
                case .enterPIN: kinds.append("enterPIN")
                case .authorise:
                    kinds.append("authorise")
                    isAsked = true
                    #expect(end.host == .unknown)
                }
                #expect(end.termination?.code == code)
                #expect(end.isReversalRequired == isAsked)
            }
            #expect(kinds == ["random", "transmit", "transmit", "transmit", "authorise", "transmit"])
        }
    }

    /// The second cryptogram decides; a card that leaves during the scripts of template 72 fails them (Book 3, 10.10).
    @Test(arguments: [KernelAnswer.cardLost, .cancelled])
    func anApprovalOutlivesTheScriptsAfterIt(_ answer: KernelAnswer) throws {
        let scripts = "72139F180400000001860484180000860484180000" + "72068604841E0000"
        // The effects: a number, three commands, the host, the second cryptogram, and the two commands of the script.
        let run = try approvedOnline(scripts)
        let (_, end) = try #require(try outcome(of: run, answering: answer, to: 7))
        #expect(end.disposition == .approved && !end.isReversalRequired)
        #expect(end.objects[0x9F5B] == hex("12000000010000000000"))
        #expect(end.scriptResults.count == 2)
        #expect(end.tvr.contains(.scriptFailedAfterFinalGAC))
        #expect(end.objects[0x95] == end.tvr.octets)
        #expect(end.tsi.contains(.scriptProcessingPerformed))
    }

    @Test func theCardIsLostAtEachCommand() throws {
        var whole = try approvedOnline("710B86098424000004AABBCCDD", profile: "1C00")
        _ = try whole.finish()
        let count = whole.card.commands.count
        #expect(count == 6)
        for lost in 0..<count {
            let run = try approvedOnline("710B86098424000004AABBCCDD", profile: "1C00")
            var (kernel, card) = (run.kernel, run.card)
            var actions = kernel.start()[...]
            var outcome: KernelOutcome?
            while let action = actions.popFirst() {
                switch action {
                case .step: break
                case .finished(let end): outcome = end
                case .effect(let effect):
                    let answer: KernelAnswer =
                        switch effect.task {
                        case .random(let count): .random([UInt8](repeating: 0, count: count))
                        case .transmit where card.commands.count == lost: .cardLost
                        case .transmit(let command): .response(try card.answer(command))
                        case .enterPIN: .pinBypassed
                        case .authorise: .host(run.host)
                        }
                    actions += kernel.receive(answer, to: effect.identifier)
                }
            }
            let end = try #require(outcome)
            #expect(end.termination?.code == .cardLost)
            // After the issuer's approval, a lost card means a reversal.
            #expect(end.isReversalRequired == (lost >= 3))
        }
    }
}
