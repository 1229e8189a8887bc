import Foundation
import JackdawEMV
import JackdawPayments
import JackdawSimulator
import Testing

@testable import Accept

/// A payment scenario of the model in `flow_scenarios.json`, a file that its authors made without this project, and a card,
/// a cardholder and the things that lead to it.
struct FlowScenario: Sendable, CustomTestStringConvertible {
    /// A scenario of the file.
    struct Model: Sendable {
        /// The number in the file.
        let number: String
        let name: String
        let events: [PaymentEvent]
        let outcome: PaymentOutcome
        /// Whether the payment is reversed.
        let isReversed: Bool
        /// Whether the payment is approved and stored.
        let isCaptured: Bool
        /// Whether the host was asked.
        let isHostAsked: Bool
    }

    let model: Model
    var setup: FlowSetup

    var testDescription: String { "\(model.number) \(model.name)" }

    /// The named scenarios, in the order of the file.
    static let all: [FlowScenario] = models.map { model in
        FlowScenario(model: model, setup: FlowSetup.all[model.number] ?? FlowSetup())
    }

    private struct File: Decodable {
        struct Row: Decodable {
            struct Input: Decodable {
                let group: String
                let scenario: String?
                let events: [String]
            }

            struct Output: Decodable {
                struct Final: Decodable {
                    let outcome: String?
                    let reversal: Bool
                    let captured: Bool
                    let request_sent: Bool
                }

                let final: Final
            }

            let id: String
            let `in`: Input
            let out: Output
        }

        let rows: [Row]
    }

    private static let models: [Model] = {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("JackdawEMVTests/Vectors/flow_scenarios.json")
        guard let data = try? Data(contentsOf: url), let file = try? JSONDecoder().decode(File.self, from: data)
        else { return [] }
        return file.rows.compactMap { row in
            guard row.in.group == "named", let outcome = row.out.final.outcome.flatMap(PaymentOutcome.init) else {
                return nil
            }
            return Model(
                number: String(row.id.suffix(4)), name: row.in.scenario ?? "",
                events: row.in.events.compactMap { PaymentEvent(rawValue: $0) }, outcome: outcome,
                isReversed: row.out.final.reversal, isCaptured: row.out.final.captured,
                isHostAsked: row.out.final.request_sent)
        }
    }()
}

/// The card, the amount, the cardholder and the things that happen in a scenario. Cards are files of `cards`.
struct FlowSetup: Sendable {
    /// Minor units of EUR. The card `visa-dda` goes online above 50.00, and the issuer declines 51.05 and refers 51.01.
    var amount: UInt64 = 6000
    var card = "visa-dda"
    /// Changes of the card's file: places, and values in JSON.
    var changes: [String: String] = [:]
    /// The cardholder: members of a payer's file in JSON.
    var payer: [String: String] = [:]
    var plan = WorldPlan()
    /// A fault of the sandbox, which the payment meets.
    var fault: String?
    /// Whether the host's answer has no data for the card.
    var isWithoutIssuerData = false
    /// A card that is swiped first: its service code. 101 is that of a stripe alone, 201 that of a chip.
    var swiped: String?
    /// Whether a chip is inserted first that does not answer.
    var startsMute = false
    /// Whether the cardholder takes 8 s for a PIN, in which something else happens.
    var isPINSlow = false

    /// Whether cards are presented beside the virtual one, which comes after them.
    var hasDeck: Bool { startsMute || swiped != nil }
    /// Whether the cardholder takes 8 s to present the card, so that something else comes before it.
    var isPresentedLate: Bool { hasDeck || card == "visa-tap" }

    /// The number of answers of `visa-dda` and of `two-applications-first` up to a place, after which it is removed.
    private enum Answers {
        static let choice = 4
        static let cryptogram = 13
    }

    /// The list of verification methods (8E): none, and a signature.
    private static let withoutPIN = ["applications[0].records[1].objects.8E": #""00000000000000001F00""#]
    private static let signed = ["applications[0].records[1].objects.8E": #""00000000000000001E00""#]
    /// A purchase in EUR of at most 60.00.
    private static let offline = OfflineLimits(currencyCode: 978, floor: 6000, count: 1, total: 6000)

    /// The setups by the numbers of their scenarios.
    static let all: [String: FlowSetup] = [
        // The PIN is that of the cardholder.
        "0001": setup { $0.changes = [:] },
        "0003": setup {
            $0.card = "two-applications-first"
            $0.amount = 5105
            $0.plan.choices = [7, 0]
        },
        "0005": setup {
            $0.changes = signed
            $0.amount = 1000
            $0.plan.limits = offline
        },
        "0007": setup { $0.decline() },
        "0009": setup { $0.amount = 5105 },
        "0011": setup { $0.amount = 5101 },
        "0013": setup {
            $0.changes = [:]
            $0.isPINSlow = true
            $0.plan.acts = [.taken(.pinRequested): .unplug]
        },
        "0015": setup {
            $0.amount = 5105
            $0.plan.acts = [.asked: .unplug]
        },
        "0017": setup { $0.plan.acts = [.step(.processingData): .unplug] },
        "0019": setup {
            $0.card = "two-applications-first"
            $0.plan.choices = [nil]
            $0.payer["removal"] = #"{"after_exchange": \#(Answers.choice), "delay": 8000}"#
        },
        "0021": setup {
            $0.plan.answerDelay = .seconds(10)
            $0.payer["removal"] = #"{"after_exchange": \#(Answers.cryptogram), "delay": 8000}"#
        },
        "0023": setup {
            $0.changes = signed
            $0.payer["signature"] = #""none""#
            $0.payer["removal"] = #"{"after_exchange": \#(Answers.cryptogram), "delay": 8000}"#
        },
        "0025": setup {
            $0.changes = signed
            $0.payer["signature"] = #""none""#
        },
        "0027": setup {
            $0.changes = signed
            $0.plan.isSignatureRight = false
        },
        "0029": setup {
            $0.changes = [:]
            $0.isPINSlow = true
            $0.plan.acts = [.taken(.pinRequested): .cancel]
        },
        "0031": setup {
            $0.changes = [:]
            $0.payer["pin"] = #"{"digits": "1234", "wrong_first": 2}"#
        },
        "0033": setup {
            $0.changes = ["pin.tries_left": "1"]
            $0.amount = 5105
            $0.payer["pin"] = #"{"digits": "1234", "wrong_first": 1}"#
        },
        "0035": setup {
            $0.changes = [:]
            $0.payer["pin"] = #"{"action": "cancel"}"#
        },
        "0037": setup { $0.changes["blocked"] = "true" },
        "0039": setup { $0.startsMute = true },
        "0041": setup { $0.swiped = "201" },
        "0043": setup {
            $0.swiped = "101"
            $0.payer["presents"] = #"["swipe"]"#
            $0.plan.isSigned = false
        },
        "0045": setup {
            $0.plan.isHostUnreachable = true
            $0.plan.limits = offline
        },
        "0047": setup { $0.plan.answerDelay = .seconds(60) },
        "0049": setup { $0.fault = "garbled" },
        "0051": setup { $0.plan.acts = [.step(.processingData): .freeze] },
        "0053": setup {
            $0.decline()
            $0.plan.acts = [.step(.insertOrSwipeCard): .beginAgain]
        },
        "0057": tap {
            $0.plan.limits = offline
        },
        "0067": tap {
            $0.changes = ["applications[0].limits.online_above": "500"]
            $0.plan.answerDelay = .seconds(60)
        },
        "0069": setup { $0.plan.acts = [.asked: .kill] },
        "0071": setup { $0.plan.acts = [.storing: .kill] },
        "0073": setup { $0.plan.faults = [PlannedFault(.refusal, 0..<3)] },
        "0075": setup {
            $0.card = "two-applications-first"
            $0.plan.choices = [nil]
        },
    ]

    /// A card that is inserted, without a PIN.
    private static func setup(_ change: (inout FlowSetup) -> Void) -> FlowSetup {
        var setup = FlowSetup(changes: withoutPIN, payer: ["pin": #"{"digits": "1234"}"#])
        change(&setup)
        return setup
    }

    /// A card that is tapped, with a small amount.
    private static func tap(_ change: (inout FlowSetup) -> Void) -> FlowSetup {
        var setup = FlowSetup(amount: 1000, card: "visa-tap", payer: ["presents": #"["tap"]"#])
        change(&setup)
        return setup
    }

    /// Has the card decline.
    private mutating func decline() {
        amount = 1000
        changes["applications[0].limits.decline_above"] = "500"
    }
}
