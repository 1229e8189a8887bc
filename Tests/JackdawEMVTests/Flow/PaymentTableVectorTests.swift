import Foundation
import JackdawEMV
import JackdawTestSupport
import Testing

/// One search for all tests of this folder.
enum ReachedStates {
    static let all = PaymentSearch()
}

/// The payment's table against `statemachine.json`, a model whose invariants its authors proved by search.
@Suite struct PaymentTableVectorTests {
    private struct File: Decodable {
        let schema: String
        let phases: [String]
        let events: [String]
        let policy: [String: Bool]
        let cells: [String: [String]]
    }

    /// Results of cells that the model does not have, and their reasons, which `docs/payment-flow.md` lists.
    private static let additions: [String: Set<String>] = [
        // The record was durable before the crash.
        "Crashed|recover": ["handled:Done/approved", "handled:Done/approved_offline"]
    ]

    private func file() throws -> File {
        let url = try #require(
            Bundle.module.url(forResource: "statemachine", withExtension: "json", subdirectory: "Vectors"))
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    }

    @Test func phasesAndEventsAreThoseOfTheModel() throws {
        let file = try file()
        #expect(file.schema == "emv-statemachine/1")
        #expect(PaymentPhase.allCases.map(\.rawValue) == file.phases)
        #expect(Set(PaymentEvent.allCases.map(\.rawValue)) == Set(file.events))
        #expect(PaymentEvent.allCases.count == file.events.count)
    }

    @Test func theDefaultPolicyIsThatOfTheModel() throws {
        let policy = PaymentPolicy()
        let values = [
            "no_app_fallback": policy.fallsBackWithoutCommonApplication,
            "offline_after_timeout": policy.approvesOfflineAfterHostTimeout,
            "auto_reverse_on_link_loss": policy.reversesOnLinkLoss,
            "reverse_on_ac2_aac": policy.reversesOnCardDecline,
            "reverse_on_timeout": policy.reversesOnTimeout,
            "reverse_on_sig_reject": policy.reversesOnSignatureRejection,
            "reverse_on_crash": policy.reversesOnCrash,
            "reverse_on_card_removed": policy.reversesOnCardRemoval,
        ]
        #expect(try file().policy == values)
    }

    /// The results that the search reaches in a cell are those of the model, no more and no fewer.
    @Test func everyCellHasTheResultsOfTheModel() throws {
        let cells = try file().cells
        #expect(cells.count == 798)
        for phase in PaymentPhase.allCases {
            for event in PaymentEvent.allCases {
                let name = "\(phase.rawValue)|\(event.rawValue)"
                let expected = try Set(#require(cells[name])).union(Self.additions[name] ?? [])
                let reached = ReachedStates.all.cells[PaymentSearch.Cell(phase: phase, event: event)]
                #expect(reached == expected, "\(name)")
            }
        }
    }
}

/// The scenarios of the same model, through the whole machine with a fake terminal, host, store and clock.
@Suite struct PaymentScenarioVectorTests {
    struct Input: Decodable, Sendable { let events: [String] }
    struct Output: Decodable, Sendable {
        struct Final: Decodable, Sendable {
            let phase: String
            let outcome: String?
            let completions: Int
            let reversal: Bool
            let captured: Bool
            let request_sent: Bool
            let last_cryptogram: String?
            let entry: String?
            let first_ac: Int
            let second_ac: Int
        }
        let phases: [String]
        let handling: [String]
        let final: Final
    }

    @Test func scenariosEndAsTheModelSays() throws {
        let count = try Vectors.run("flow_scenarios", in: .module, as: VectorRow<Input, Output>.self) { row in
            var till = FakeTill()
            var phases: [String] = []
            var handling: [String] = []
            for name in row.input.events {
                let event = try #require(PaymentEvent(rawValue: name))
                handling.append(till.happen(event).rawValue)
                phases.append(till.payment.phase.rawValue)
            }
            let final = row.output.final
            #expect(phases == row.output.phases, "\(row.id)")
            #expect(handling == row.output.handling, "\(row.id)")
            #expect(till.payment.phase.rawValue == final.phase, "\(row.id)")
            #expect(till.payment.outcome?.rawValue == final.outcome, "\(row.id)")
            #expect(till.outcomes.count == final.completions, "\(row.id)")
            #expect(till.reversals == (final.reversal ? 1 : 0), "\(row.id)")
            #expect(till.payment.journal.isReversalQueued == final.reversal, "\(row.id)")
            #expect(till.records == (final.captured ? 1 : 0), "\(row.id)")
            #expect(till.isRequestSent == final.request_sent, "\(row.id)")
            #expect(till.cryptogram?.name == final.last_cryptogram, "\(row.id)")
            #expect(till.payment.journal.entry?.rawValue == final.entry, "\(row.id)")
            #expect(till.firstCryptograms == final.first_ac, "\(row.id)")
            #expect(till.secondCryptograms == final.second_ac, "\(row.id)")
        }
        #expect(count == 230 || !hasOwnVectors)
    }

    /// Other files than the copies may have other numbers of rows.
    private var hasOwnVectors: Bool { ProcessInfo.processInfo.environment["JACKDAW_VECTORS"] == nil }
}
