import JackdawEMV
import JackdawTestSupport
import Testing

/// A whole transaction of a contactless kernel with a card.
struct ContactlessRun {
    var kernel: ContactlessKernel<PlainPrimitives>
    private(set) var steps: [ContactlessStep] = []
    private(set) var effects: [KernelEffect] = []

    init(_ kernel: ContactlessKernel<PlainPrimitives>) { self.kernel = kernel }

    /// Runs to the outcome. A card that returns nil was removed.
    mutating func finish(
        random: [UInt8] = [0x0B, 0xAD, 0xCA, 0xFE], _ send: (CardCommand) throws -> CardResponse?
    ) throws -> ContactlessOutcome {
        var outcome: ContactlessOutcome?
        var actions = kernel.start()[...]
        while let action = actions.popFirst() {
            switch action {
            case .step(let step): steps.append(step)
            case .finished(let end):
                #expect(outcome == nil)
                outcome = end
            case .effect(let effect):
                effects.append(effect)
                let answer: KernelAnswer =
                    switch effect.task {
                    case .random: .random(random)
                    case .transmit(let command): try send(command).map { .response($0) } ?? .cardLost
                    case .enterPIN, .authorise: .cancelled
                    }
                actions += kernel.receive(answer, to: effect.identifier)
            }
        }
        #expect(actions.isEmpty)
        return try #require(outcome)
    }

    /// The rules that decided, in their order.
    var rules: [ContactlessRule] {
        steps.compactMap { step in if case .rule(let rule) = step { rule } else { nil } }
    }

    /// The reports of offline data authentication, in their order.
    var authentications: [AuthenticationReport] {
        steps.compactMap { step in if case .offlineAuthentication(let report) = step { report } else { nil } }
    }
}

/// A reader with test settings, and its transaction.
struct ContactlessReader {
    var configuration: KernelConfiguration
    var profile = ContactlessProfile()
    var transaction: KernelTransaction

    /// A purchase of 10.00 EUR, below all limits; the terminal has all methods of verification.
    init() throws {
        configuration = try .test()
        configuration.keys = AuthenticationKeys([TestChain.authority])
        transaction = try .test()
        profile.limits.qualifiers = [.emvSupported, .contactChipSupported, .onlinePINSupported, .signatureSupported]
        profile.mastercard.floorLimit = 5000
        profile.mastercard.verificationLimit = 5000
    }

    /// Runs a transaction with a card.
    func run(
        _ card: inout ContactlessCard, kernel: Int
    ) throws -> (outcome: ContactlessOutcome, run: ContactlessRun) {
        var run = try ContactlessRun(
            ContactlessKernel(
                configuration, profile, transaction, kernel: kernel, application: card.application, PlainPrimitives()))
        let outcome = try run.finish { try card.send($0) }
        return (outcome, run)
    }
}

extension ContactlessOutcome {
    /// The reason of a transaction that was broken off; nil if it was not.
    var termination: KernelTermination? {
        guard case .terminated(let reason)? = reason else { return nil }
        return reason
    }
}
