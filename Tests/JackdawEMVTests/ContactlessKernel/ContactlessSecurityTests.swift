import JackdawTestSupport
import Testing

@testable import JackdawEMV

/// Late and wrong answers to contactless kernels, cards that answer anything, and card data that kernels must not show.
@Suite struct ContactlessSecurityTests {
    private func kernel(_ number: Int, _ card: ContactlessCard) throws -> ContactlessKernel<PlainPrimitives> {
        let reader = try ContactlessReader()
        return try ContactlessKernel(
            reader.configuration, reader.profile, reader.transaction, kernel: number, application: card.application,
            PlainPrimitives())
    }

    private func ignored(_ actions: [ContactlessAction]) -> IgnoredAnswer? {
        guard actions.count == 1, case .step(.ignored(_, let reason)) = actions[0] else { return nil }
        return reason
    }

    private func effect(_ actions: [ContactlessAction]) throws -> KernelEffect {
        let effects = actions.compactMap { action in if case .effect(let effect) = action { effect } else { nil } }
        #expect(effects.count == 1)
        return try #require(effects.first)
    }

    @Test(arguments: [2, 3]) func lateAndWrongAnswersAreIgnored(number: Int) throws {
        let card = number == 2 ? ContactlessCard.mastercard() : .visa()
        var kernel = try kernel(number, card)
        #expect(ignored(kernel.receive(.cardLost, to: 1)) == .unknown)
        #expect(try effect(kernel.start()).identifier == 1)
        #expect(kernel.start().isEmpty)
        #expect(ignored(kernel.receive(.random([1, 2, 3]), to: 1)) == .invalid)
        #expect(ignored(kernel.receive(.pinBypassed, to: 1)) == .invalid)
        #expect(try effect(kernel.receive(.random([1, 2, 3, 4]), to: 1)).identifier == 2)
        #expect(ignored(kernel.receive(.random([1, 2, 3, 4]), to: 1)) == .late)
        #expect(ignored(kernel.receive(.cardLost, to: 3)) == .unknown)
        #expect(ignored(kernel.receive(.host(.unreachable), to: 2)) == .invalid)
        let actions = kernel.receive(.cancelled, to: 2)
        guard case .finished(let outcome)? = actions.last else {
            Issue.record("not finished")
            return
        }
        #expect(outcome.disposition == .endApplication)
        #expect(outcome.termination?.code == .cancelled)
        #expect(outcome.display == nil)
        #expect(ignored(kernel.receive(.cardLost, to: 2)) == .late)
        #expect(kernel.start().isEmpty)
    }

    /// Answers that are cut, changed or random end every transaction in bounded time.
    @Test(arguments: 0..<300) func hostileAnswersEndTheTransaction(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let number = seed % 2 == 0 ? 2 : 3
        var card = number == 2 ? ContactlessCard.mastercard() : .visa()
        card.isSigning = seed % 8 < 2
        var run = ContactlessRun(try kernel(number, card))
        var count = 0
        let outcome = try run.finish { command in
            count += 1
            try #require(count <= 200)
            guard let response = try card.send(command) else { return nil }
            var octets = response.octets
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let count = Int.random(in: 2...40, using: &random)
                octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            case 1: octets.removeFirst(min(octets.count - 2, Int.random(in: 0...8, using: &random)))
            case 2: octets.removeLast(min(octets.count - 2, Int.random(in: 0...8, using: &random)))
            case 3, 4:
                let place = Int.random(in: 0..<octets.count, using: &random)
                octets[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 5: return nil
            default: break
            }
            return try CardResponse(octets.span)
        }
        if outcome.disposition == .approved { #expect(outcome.dataRecord?.contains(0x9F26) == true) }
        #expect((outcome.online != nil) == (outcome.disposition == .onlineRequest))
    }

    @Test(arguments: [2, 3]) func everyCutAnswerEndsTheTransaction(number: Int) throws {
        var whole = number == 2 ? ContactlessCard.mastercard() : .visa()
        whole.isSigning = false
        for instruction in [0xA8, 0xB2, 0xAE] as [UInt8] where number == 2 || instruction != 0xAE {
            var sample = whole
            var run = ContactlessRun(try kernel(number, whole))
            var answers: [UInt8: [UInt8]] = [:]
            _ = try run.finish { command in
                let response = try sample.send(command)
                answers[command.instruction] = response?.data.octets
                return response
            }
            let answer = try #require(answers[instruction])
            for count in 0..<answer.count {
                var card = whole
                card.replaced[instruction] = Array(answer[..<count]) + [0x90, 0x00]
                var run = ContactlessRun(try kernel(number, card))
                let outcome = try run.finish { try card.send($0) }
                #expect(outcome.disposition == .endApplication, "\(instruction) \(count)")
            }
        }
    }

    @Test(arguments: [2, 3]) func printedFormsHaveNoNumber(number: Int) throws {
        var card = number == 2 ? ContactlessCard.mastercard() : .visa()
        if number == 2 {
            card.record[0x8C] = hex("5A0857139F0206")
            card.record[0x57] = hex(ContactlessCard.account + "D49122010000000000")
            card.isSigning = false
        }
        var kernel = try kernel(number, card)
        var printed = ""
        dump(kernel, to: &printed)
        var actions = kernel.start()[...]
        var outcome: ContactlessOutcome?
        while let action = actions.popFirst() {
            printed += "\(action)"
            dump(action, to: &printed)
            dump(kernel, to: &printed)
            switch action {
            case .step(let step): printed += step.text
            case .finished(let end): outcome = end
            case .effect(let effect):
                let answer: KernelAnswer =
                    if case .transmit(let command) = effect.task {
                        .response(try #require(try card.send(command)))
                    } else {
                        .random([1, 2, 3, 4])
                    }
                actions += kernel.receive(answer, to: effect.identifier)
            }
        }
        #expect(outcome?.dataRecord != nil)
        for text in [printed, printed.filter { $0.isNumber || $0.isLetter }] {
            #expect(!text.contains(ContactlessCard.account))
        }
        // `dump` shows octets one by one, in decimal: 153 is 99.
        let numbers = printed.split { !$0.isNumber }.map { String($0) }
        let sequence = hex(ContactlessCard.account).map { "\($0)" }.prefix(4)
        let found = numbers.indices.contains { numbers[$0...].starts(with: sequence) }
        #expect(!found)
    }
}
