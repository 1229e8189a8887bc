import JackdawEMV
import JackdawTestSupport
import Testing

/// Late, repeated and wrong answers to the effects of a kernel.
@Suite struct KernelAnswerTests {
    private func kernel() throws -> ContactKernel<PlainPrimitives> {
        try ContactKernel(.test(), .test(), application: DataObjectStore(), PlainPrimitives())
    }

    private func effect(_ actions: [KernelAction]) throws -> KernelEffect {
        let effects = actions.compactMap { action in if case .effect(let effect) = action { effect } else { nil } }
        #expect(effects.count == 1)
        return try #require(effects.first)
    }

    private func ignored(_ actions: [KernelAction]) -> IgnoredAnswer? {
        guard actions.count == 1, case .step(.ignored(_, let reason)) = actions[0] else { return nil }
        return reason
    }

    @Test func identifiersCountUpAndLateAnswersAreIgnored() throws {
        var kernel = try kernel()
        let first = try effect(kernel.start())
        #expect(first.identifier == 1)
        let second = try effect(kernel.receive(.random([1, 2, 3, 4]), to: 1))
        #expect(second.identifier == 2)
        #expect(ignored(kernel.receive(.random([1, 2, 3, 4]), to: 1)) == .late)
        #expect(ignored(kernel.receive(.cardLost, to: 3)) == .unknown)
        #expect(ignored(kernel.receive(.cardLost, to: 0)) == .unknown)
        #expect(kernel.start().isEmpty)
    }

    @Test func answersOfAnotherKindLeaveTheEffectOpen() throws {
        var kernel = try kernel()
        _ = kernel.start()
        #expect(ignored(kernel.receive(.pinBypassed, to: 1)) == .invalid)
        #expect(ignored(kernel.receive(.random([1, 2, 3]), to: 1)) == .invalid)
        let command = try effect(kernel.receive(.random([1, 2, 3, 4]), to: 1))
        #expect(ignored(kernel.receive(.host(.unreachable), to: command.identifier)) == .invalid)
        let actions = kernel.receive(.cardLost, to: command.identifier)
        guard case .finished(let outcome)? = actions.last else {
            Issue.record("not finished")
            return
        }
        #expect(outcome.termination?.code == .cardLost)
        #expect(ignored(kernel.receive(.cardLost, to: command.identifier)) == .late)
    }

    @Test func answersBeforeTheStartAreIgnored() throws {
        var kernel = try kernel()
        #expect(ignored(kernel.receive(.cardLost, to: 1)) == .unknown)
        #expect(try effect(kernel.start()).identifier == 1)
    }
}
