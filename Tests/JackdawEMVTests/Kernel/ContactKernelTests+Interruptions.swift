import JackdawEMV
import JackdawTestSupport
import Testing

// Transactions that are broken off at each effect.

extension ContactKernelTests {
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
