import Foundation
import JackdawEMV
import JackdawTestSupport
import Testing

/// The dialogues of `contact_kernel_phases` are those of openemv/emv-utils with a virtual card. Its limits are copied:
/// it always asks for an AAC, which Terminal Action Codes of all ones do here; it has no cardholder verification, whose
/// phase and TSI bit are left out; it accepts a cryptogram above the AAC, which terminates here (Book 3, 9.3); it does
/// not set the TSI bit of card risk management; and octets 26 to 29 of its GENERATE AC are random.
@Suite struct ContactKernelVectorTests {
    private struct Input: Decodable, Sendable { let scenario: String }

    private struct Output: Decodable, Sendable {
        let last_phase: String
        let outcome: String
        let phases: [[String]]
        let tvr: String?
        let tsi: String?
    }

    private typealias Row = VectorRow<Input, Output>

    @Test func dialoguesHaveTheirOutcomes() throws {
        try Vectors.run("contact_kernel_phases", in: .module, as: Row.self) { row in
            var card = ScriptedCard(row.id, try #require(row.exchanges))
            var phases: [[String]] = []
            if let objects = try select(&card, &phases) {
                let outcome = try #require(try run(objects, &card), "\(row.id)")
                phases += Self.phases(of: outcome)
                // The two bits of the TSI that emv-utils does not set.
                let unset: TransactionStatusInformation = [
                    .cardholderVerificationPerformed, .cardRiskManagementPerformed,
                ]
                #expect(outcome.tvr.octets == row.output.tvr.map { hex($0) }, "\(row.id)")
                #expect(outcome.tsi.subtracting(unset).octets == row.output.tsi.map { hex($0) }, "\(row.id)")
            }
            #expect(phases == row.output.phases, "\(row.id)")
            #expect(phases.last == [row.output.last_phase, row.output.outcome], "\(row.id)")
            #expect(card.isDone, "\(row.id)")
        }
    }

    /// Selects the application of the dialogue. The terminal supports the applications that occur in it.
    /// - Returns: the objects of the application; nil if none was selected.
    private func select(_ card: inout ScriptedCard, _ phases: inout [[String]]) throws -> DataObjectStore? {
        var settings = ApplicationSelection.Settings()
        settings.prefersLastWithoutPriority = true
        let applications = try ["A0000000031010", "A0000000032010"].filter { card.isSelected(hex($0)) }.map {
            try SupportedApplication(hex($0), allowsPartialName: false)
        }
        var selection = ApplicationSelection(applications, on: .contact, settings: settings)
        var phase = "build_candidate_list"
        var step = selection.start()
        while true {
            switch step {
            case .send(let command, let identifier):
                guard let response = try card.send(command) else {
                    phases.append([phase, "card_error"])
                    return nil
                }
                step = selection.receive(response, to: identifier)
            case .choose(_, let identifier):
                phases.append([phase, phases.isEmpty ? "ok" : "try_again"])
                phase = "select_application"
                step = selection.choose(0, to: identifier)
            case .selected(_, let objects):
                phases.append([phase, "ok"])
                return objects
            case .failed(let failure):
                phases.append([phase, failure.rawValue])
                return nil
            case .ignored:
                Issue.record("an answer was ignored")
                return nil
            }
        }
    }

    private func run(_ objects: DataObjectStore, _ card: inout ScriptedCard) throws -> KernelOutcome? {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex("0096"))
        let all = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        configuration.actionCodes = ActionCodes(denial: all, online: all, default: all)
        configuration.limits = RiskLimits(floorLimit: 10_000)
        let transaction = KernelTransaction(
            amount: 1000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        var kernel = try ContactKernel(configuration, transaction, application: objects, NoPrimitives())
        var actions = kernel.start()[...]
        while let action = actions.popFirst() {
            switch action {
            case .step: break
            case .finished(let outcome): return outcome
            case .effect(let effect):
                let answer: KernelAnswer =
                    switch effect.task {
                    case .random(let count): .random([UInt8](repeating: 0x5A, count: count))
                    case .transmit(let command): try card.send(command).map { .response($0) } ?? .cardLost
                    case .enterPIN: .pinBypassed
                    case .authorise: .host(.unreachable)
                    }
                actions += kernel.receive(answer, to: effect.identifier)
            }
        }
        return nil
    }

    /// The phases up to the last one, with the names of emv-utils for their ends.
    private static func phases(of outcome: KernelOutcome) -> [[String]] {
        let all: [KernelPhase] = [
            .initiateApplication, .readApplicationData, .offlineDataAuthentication, .processingRestrictions,
            .terminalRiskManagement, .cardActionAnalysis,
        ]
        let end =
            switch outcome.disposition {
            case .declined, .notAccepted: "ok"
            case .terminated(let reason) where reason.code == .unexpectedCryptogram: "ok"
            case .selectAnother: "gpo_not_accepted"
            case .terminated: "card_error"
            case .approved: "unexpected"
            }
        let last = all.firstIndex(of: outcome.phase) ?? all.startIndex
        return all[...last].map { [$0.rawValue, $0 == outcome.phase ? end : "ok"] }
    }
}

/// A terminal without RSA and SHA-1.
struct NoPrimitives: AuthenticationPrimitives {
    func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { nil }
    func sha1(_ bytes: [UInt8]) -> [UInt8] { [] }
}
