import JackdawEMV
import JackdawTestSupport
import Testing

/// PINs in whole transactions: EMV Book 3, section 10.5, and Book 2, section 7.
@Suite struct KernelPINTests {
    private func run(
        _ rules: String, words: [UInt16] = [], tries: UInt8? = 3, pins: [KernelAnswer] = []
    ) throws -> KernelRun<PlainPrimitives> {
        var card = VirtualCard.plain(cvmList: "0000000000000000" + rules)
        card.words = words
        card.values = tries.map { [0x9F17: [$0]] } ?? [:]
        let kernel = try ContactKernel(.test(), .test(), application: DataObjectStore(), PlainPrimitives())
        var run = KernelRun(kernel, card)
        run.pins = pins
        return run
    }

    private func pin(_ digits: [UInt8]) -> KernelAnswer { .pin(SecretOctets(digits)) }

    private func requests(_ run: KernelRun<PlainPrimitives>) -> [PINRequest] {
        run.effects.compactMap { effect in if case .enterPIN(let request) = effect.task { request } else { nil } }
    }

    private func verifications(_ run: KernelRun<PlainPrimitives>) -> [[UInt8]] {
        run.card.commands.filter { $0[1] == 0x20 }
    }

    @Test func aPlaintextPINIsSentInItsBlock() throws {
        var run = try run("0100", pins: [pin([1, 2, 3, 4])])
        let outcome = try run.finish()
        #expect(verifications(run) == [hex("0020008008241234FFFFFFFFFF")])
        #expect(outcome.objects[0x9F34] == hex("010002"))
        #expect(requests(run) == [PINRequest(isOnline: false, triesLeft: 3, isRetry: false)])
    }

    @Test func aLongPINFillsItsBlock() throws {
        var run = try run("0100", pins: [pin([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2])])
        _ = try run.finish()
        #expect(verifications(run) == [hex("00200080082C123456789012FF")])
    }

    @Test func aWrongPINIsAskedForAgainUntilNoTryIsLeft() throws {
        var run = try run(
            "0100", words: [0x63C1, 0x63C0], tries: 2, pins: [pin([1, 1, 1, 1]), pin([2, 2, 2, 2])])
        let outcome = try run.finish()
        #expect(
            requests(run) == [
                PINRequest(isOnline: false, triesLeft: 2, isRetry: false),
                PINRequest(isOnline: false, triesLeft: 1, isRetry: true),
            ])
        #expect(outcome.tvr.isSuperset(of: [.pinTryLimitExceeded, .cardholderVerificationFailed]))
        #expect(outcome.objects[0x9F34] == hex("010001"))
    }

    /// A card that always reports the same number of tries does not have PINs asked for without end.
    @Test(arguments: [(UInt8(3), 1), (255, 2), (nil, 2)] as [(UInt8?, Int)])
    func aCounterThatDoesNotDecreaseFailsTheMethod(_ tries: UInt8?, _ asked: Int) throws {
        // Further rules for PINs do not start again.
        var run = try run(
            "410041004300" + "0100", words: [UInt16](repeating: 0x63C3, count: 100), tries: tries,
            pins: [KernelAnswer](repeating: pin([1, 1, 1, 1]), count: 100))
        let outcome = try run.finish()
        #expect(requests(run).count == asked)
        #expect(verifications(run).count == asked)
        #expect(outcome.tvr.contains(.cardholderVerificationFailed))
        #expect(outcome.termination == nil)
        let events = run.steps.flatMap { step -> [CardholderVerificationReport.Event] in
            if case .cardholderVerification(let report) = step { report.events } else { [] }
        }
        #expect(events.contains { $0.decision == .pinTryCounterNotDecreasing })
    }

    /// 63CF is the greatest number of tries that a status word reports.
    @Test func aDecreasingCounterBoundsTheTries() throws {
        let words = (0...15).reversed().map { UInt16(0x63C0 + $0) }
        var run = try run(
            "41004100" + "1F00", words: words + words, tries: nil,
            pins: [KernelAnswer](repeating: pin([1, 1, 1, 1]), count: 40))
        let outcome = try run.finish()
        #expect(requests(run).count == 16)
        #expect(outcome.tvr.contains(.pinTryLimitExceeded))
        #expect(outcome.objects[0x9F34] == hex("1F0002"))
    }

    @Test func aBlockedPINIsNotAskedFor() throws {
        var run = try run("0100", tries: 0)
        let outcome = try run.finish()
        #expect(requests(run).isEmpty)
        #expect(outcome.tvr.contains(.pinTryLimitExceeded))
    }

    @Test func anInvalidPINIsIgnored() throws {
        var run = try run("0100", pins: [pin([1, 2, 3]), pin([1, 2, 3, 10]), pin([1, 2, 3, 4])])
        var actions = run.kernel.start()[...]
        var reasons: [IgnoredAnswer] = []
        var open: KernelEffect?
        while let action = actions.popFirst() {
            switch action {
            case .finished: break
            case .step(.ignored(_, let reason)):
                reasons.append(reason)
                // The effect stays open: its next answer counts.
                if let open, !run.pins.isEmpty {
                    actions += run.kernel.receive(run.pins.removeFirst(), to: open.identifier)
                }
            case .step: break
            case .effect(let effect):
                open = effect
                switch effect.task {
                case .random(let count):
                    actions += run.kernel.receive(.random([UInt8](repeating: 0, count: count)), to: effect.identifier)
                case .transmit(let command):
                    actions += run.kernel.receive(.response(try run.card.answer(command)), to: effect.identifier)
                case .enterPIN: actions += run.kernel.receive(run.pins.removeFirst(), to: effect.identifier)
                case .authorise: actions += run.kernel.receive(.host(.unreachable), to: effect.identifier)
                }
            }
        }
        #expect(reasons == [.invalid, .invalid])
        #expect(verifications(run).count == 1)
    }

    @Test func anOnlinePINIsForTheIssuer() throws {
        var run = try run("0200", pins: [.onlinePINEntered])
        run.card.cryptograms = [VirtualCard.cryptogram(0x80)]
        let outcome = try run.finish()
        #expect(outcome.objects[0x9F34] == hex("020000"))
        #expect(outcome.tvr.contains(.onlineCVMCaptured))
        let hasPIN = run.effects.compactMap { effect in
            if case .authorise(let request) = effect.task { request.hasOnlinePIN } else { nil }
        }
        #expect(hasPIN == [true])
    }

    @Test func bypassedEntryAndBrokenPadSetTheirBits() throws {
        var bypassed = try run("0100", pins: [.pinBypassed])
        #expect(try bypassed.finish().tvr.contains(.pinNotEntered))
        var broken = try run("0100", pins: [.pinPadFailed])
        #expect(try broken.finish().tvr.contains(.pinPadNotPresentOrNotWorking))
    }

    @Test func cancellingTerminates() throws {
        var run = try run("0100", pins: [.cancelled])
        #expect(try run.finish().termination?.code == .cancelled)
    }

    @Test func anUnknownStatusOfVerifyTerminates() throws {
        var run = try run("0100", words: [0x6D00], pins: [pin([1, 2, 3, 4])])
        #expect(try run.finish().termination?.status == StatusWord(rawValue: 0x6D00))
    }

    @Test func aSignatureIsWantedOfAnApprovedTransactionOnly() throws {
        var declined = try run("1E00")
        #expect(try !declined.finish().isSignatureRequired)
        var approved = try run("1E00")
        approved.card.cryptograms = [VirtualCard.cryptogram(0x80), VirtualCard.cryptogram(0x40)]
        let code = try #require(AuthorisationResponseCode(hex("3030")))
        approved.host = .answered(HostResponse(isApproved: true, responseCode: code))
        #expect(try approved.finish().isSignatureRequired)
    }

    @Test func withoutAKeyTheCardholderIsNotAsked() throws {
        var run = try run("0400", pins: [pin([1, 2, 3, 4])])
        let outcome = try run.finish()
        #expect(requests(run).isEmpty)
        #expect(verifications(run).isEmpty)
        #expect(outcome.objects[0x9F34] == hex("040001"))
        #expect(outcome.tvr.contains(.cardholderVerificationFailed))
    }
}
