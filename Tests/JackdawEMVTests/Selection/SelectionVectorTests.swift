import Foundation
import JackdawEMV
import JackdawTestSupport
import Testing

/// The dialogues of `application_selection` are those of openemv/emv-utils with a virtual card. Two of its habits are
/// not in the books: of applications without priority it lists the last one first, which is a setting here; and it asks
/// with GET RESPONSE for the data of a warning, as for T=0, which `CardExchange` does.
@Suite struct ApplicationSelectionVectors {
    private struct Input: Decodable, Sendable {
        struct Application: Decodable, Sendable {
            let aid: String
            let match: String
        }

        let terminal_aids: [Application]
    }

    private struct Output: Decodable, Sendable {
        struct Candidate: Decodable, Sendable {
            let aid: String
            let priority: Int
            let confirmation_required: Bool
            let display_name: String
        }

        let outcome: String
        let candidates: [Candidate]
        let selection_required: Bool?
    }

    @Test func candidatesAreListed() throws {
        try Vectors.run("application_selection", in: .module, as: VectorRow<Input, Output>.self) { row in
            let applications = try row.input.terminal_aids.map {
                try SupportedApplication(hex($0.aid), allowsPartialName: $0.match == "partial")
            }
            var settings = ApplicationSelection.Settings()
            settings.prefersLastWithoutPriority = true
            var selection = ApplicationSelection(applications, on: .contact, settings: settings)
            var exchanges = try #require(row.exchanges)[...]
            var step = selection.start()
            while case .send(let command, let identifier) = step {
                var exchange = CardExchange(command)
                var next: CardCommand? = command
                while let sent = next {
                    guard let expected = exchanges.popFirst() else {
                        Issue.record("\(row.id): more commands than in the dialogue")
                        return
                    }
                    #expect(sent.octets == hex(expected.c), "\(row.id)")
                    next = exchange.receive(try CardResponse(hex(expected.r ?? "").span))
                }
                step = selection.receive(exchange.response, to: identifier)
            }
            #expect(exchanges.isEmpty, "\(row.id)")
            switch step {
            case .choose(let isRequired, _):
                #expect(row.output.outcome == "ok" && row.output.selection_required == isRequired, "\(row.id)")
            case .failed(let failure): #expect(row.output.outcome == failure.rawValue, "\(row.id)")
            case .send, .selected, .ignored: Issue.record("\(row.id)")
            }
            let (found, expected) = (selection.candidates, row.output.candidates)
            #expect(found.map { $0.name } == expected.map { hex($0.aid) }, "\(row.id)")
            #expect(found.map { $0.priority } == expected.map { $0.priority }, "\(row.id)")
            #expect(
                found.map { $0.requiresConfirmation } == expected.map { $0.confirmation_required }, "\(row.id)")
            #expect(found.map { $0.displayName } == expected.map { $0.display_name }, "\(row.id)")
        }
    }
}

/// The rows of `contactless_preprocessing` come from a model written from EMV Book B, compared with emerald79/libpay.
@Suite struct ContactlessPreprocessingVectors {
    private struct Input: Decodable, Sendable {
        let amount: UInt64
        let unit: UInt64
        let ttq: String?
        let status_check: Bool
        let zero_amount_allowed: Bool?
        let transaction_limit: UInt64?
        let contactless_floor_limit: UInt64?
        let terminal_floor_limit: UInt64?
        let cvm_limit: UInt64?
    }

    private struct Output: Decodable, Sendable {
        struct Indicators: Decodable, Sendable {
            let status_check_requested: Bool
            let contactless_not_allowed: Bool
            let zero_amount: Bool
            let cvm_limit_exceeded: Bool
            let floor_limit_exceeded: Bool
        }

        let indicators: Indicators
        let ttq: String?
        let outcome: String
    }

    @Test func amountsAreComparedWithLimits() throws {
        try Vectors.run("contactless_preprocessing", in: .module, as: VectorRow<Input, Output>.self) { row in
            var limits = ContactlessLimits()
            limits.qualifiers = row.input.ttq.flatMap { TerminalTransactionQualifiers(hex($0)) }
            limits.checksStatus = row.input.status_check
            limits.allowsZeroAmount = row.input.zero_amount_allowed ?? true
            limits.transactionLimit = row.input.transaction_limit
            limits.contactlessFloorLimit = row.input.contactless_floor_limit
            limits.terminalFloorLimit = row.input.terminal_floor_limit
            limits.verificationLimit = row.input.cvm_limit
            let found = ContactlessPreprocessing(amount: row.input.amount, majorUnit: row.input.unit, limits: limits)
            let expected = row.output.indicators
            #expect(found.requestsStatus == expected.status_check_requested, "\(row.id)")
            #expect(found.isNotAllowed == expected.contactless_not_allowed, "\(row.id)")
            #expect(found.isZeroAmount == expected.zero_amount, "\(row.id)")
            #expect(found.exceedsVerificationLimit == expected.cvm_limit_exceeded, "\(row.id)")
            #expect(found.exceedsFloorLimit == expected.floor_limit_exceeded, "\(row.id)")
            #expect(found.qualifiers?.octets == row.output.ttq.map { hex($0) }, "\(row.id)")
            #expect(found.isNotAllowed == (row.output.outcome == "try_another_interface"), "\(row.id)")
        }
    }
}
