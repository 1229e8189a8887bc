import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import Testing

@testable import Accept

/// The families of readers at which scenarios run, and the reasons for which a scenario cannot.
extension AcceptReaderTerminals.Model {
    /// The terminal as the SDK names it.
    var title: String {
        switch self {
        case .posMate: "PosMate"
        case .emvSwiper: "EMVSwiper"
        case .miura: "Miura"
        case .uniMag: "UniMag"
        }
    }

    /// A reason for which a scenario cannot run at a reader.
    enum Reason: String, CaseIterable {
        case amount = "Accept has the amount before the payment begins, and its identifier keeps it."
        case choice = "The terminal itself has the cardholder choose an application."
        case readerSignature = "The reader does not have the signature compared."
        case appSignature = "The terminal has the signature compared before the second cryptogram."
        case head = "The reader has a head alone."
        case whole = "The terminal takes the payment as a whole: the flow does not see card, PIN and cryptograms."
        case taps = "The driver does not ask the reader for taps."
        case failedTap = "The known answers to a tap that fails ask for the card's chip."
        case goneTap = "A tapped card is away at once, which the reader does not report."
    }

    /// The reason for which these events cannot come from the reader; nil if they can.
    func reason(_ events: [PaymentEvent]) -> Reason? {
        if events.contains(.amountChanged) { return .amount }
        if self == .uniMag { return Set(events).isDisjoint(with: [.cardInserted, .cardTapped]) ? nil : .head }
        if events.contains(.cardTapped) || events.contains(.tapMultipleCards) {
            guard self == .miura else { return .taps }
            if events.contains(.cardRemoved) { return .goneTap }
            if !Set(events).isDisjoint(with: [.tapAgain, .tapSeePhone, .tapMultipleCards]) { return .failedTap }
        }
        switch self {
        case .posMate:
            if events.contains(.applicationsFound) { return .choice }
            return events.contains(.secondTCWithSignature) ? .appSignature : nil
        case .emvSwiper, .miura, .uniMag: return events.contains(.readerSignatureRequested) ? .readerSignature : nil
        }
    }
}

/// A family of readers in the table of scenarios.
enum FlowFamily: Sendable, Hashable, CaseIterable {
    case reader(AcceptReaderTerminals.Model)
    case spm20

    static let allCases = AcceptReaderTerminals.Model.allCases.map { Self.reader($0) } + [.spm20]

    /// The terminal as the SDK names it.
    var title: String {
        switch self {
        case .reader(let model): model.title
        case .spm20: "SPm20"
        }
    }

    /// The reason for which the events of a scenario cannot come from the reader; nil if they can.
    func reason(_ events: [PaymentEvent]) -> AcceptReaderTerminals.Model.Reason? {
        switch self {
        case .reader(let model): model.reason(events)
        case .spm20: events.contains(.amountChanged) ? .amount : events == [.start, .preparationFailed] ? nil : .whole
        }
    }
}

/// The parts of a scenario: a card of the folder `cards`, with real cryptograms, in a reader, and its issuer.
struct FlowParts {
    /// 2026-01-15 12:00 UTC, the day of the decks.
    static let date = RecordedTime(seconds: 1_768_478_400, offset: 0)
    private static let cryptography = LibCryptoPrimitives(mode: .test)
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The issuer, which answers at once.
    let issuer: SimulatedIssuer
    let transaction: KernelTransaction
    private let parts: ReaderTillParts

    init(_ setup: FlowSetup) throws {
        let text = String(decoding: try Self.file("issuers/test.json"), as: UTF8.self)
        issuer = try SimulatedIssuer(
            json: Array(text.replacing(#""delay": 800"#, with: #""delay": 0"#).utf8), Self.cryptography)
        let changes = setup.changes.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
        let card = #"{"base": "\#(setup.card)", "changes": {\#(changes.joined(separator: ", "))}}"#
        var members = setup.payer
        members["delays"] = """
            {"card": \(setup.isPresentedLate ? 8000 : 500), "pin": \(setup.isPINSlow ? 8000 : 500), "application": 500, \
            "signature": 500}
            """
        let payer = members.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
        let made = try PaymentSetup(
            "card", json: Array(card.utf8),
            payer: SimulatedPayer(json: Array("{\(payer.joined(separator: ", "))}".utf8)), issuer: issuer,
            Self.cryptography
        ) { file in
            guard case .card(let name) = file else { return nil }
            return (try? Self.file("cards/\(name).json")) ?? (try? Self.file("cards/deck/\(name).json"))
        }
        transaction = try #require(
            KernelTransaction(Amount(minorUnits: setup.amount, currencyCode: 978), on: Self.date))
        parts = ReaderTillParts(
            settings: TillSettings.decks(AuthenticationKeys(made.authorities)), reference: "A1",
            transaction: transaction, card: made.card, payer: made.payer, issuer: issuer)
    }

    private static func file(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }

    /// A Miura reader that takes taps.
    private static let tapping: MiuraPaymentSettings = {
        var values = MiuraPaymentSettings()
        values.takesTaps = true
        return values
    }()

    /// The values of a reader's protocol for these scenarios; nil for those of its simulated reader.
    static func profile(_ model: AcceptReaderTerminals.Model) throws -> ReaderProfile? {
        guard model == .miura else { return nil }
        var profile = try #require(ReaderFamily.named(model.rawValue)).simulatedProfile
        profile["miura.takesTaps"] = ProfileEntry("", .flag(true), .inferred, "a test")
        // The program chooses the application.
        profile["miura.applicationSelection"] = ProfileEntry("", .number(0), .inferred, "a test")
        return profile
    }

    /// A simulated reader with the card.
    func reader(_ model: AcceptReaderTerminals.Model) -> any ReaderModel {
        switch model {
        case .posMate: parts.posmate(Self.cryptography)
        case .emvSwiper: parts.emvswiper(Self.cryptography)
        case .miura: parts.miura(Self.cryptography, Self.tapping)
        case .uniMag: UniMagModel()
        }
    }

    /// Pays at a reader, and hands the world that remains to a body.
    func run(
        _ setup: FlowSetup, at model: AcceptReaderTerminals.Model, _ host: any WorldHost,
        _ check: (FlowResult) throws -> Void
    ) async throws {
        var plan = setup.plan
        plan.deck = Self.deck(setup, model)
        switch model {
        case .posMate:
            let values = ReaderTillParts.eposValues
            let world = ReaderWorld(
                EPOSPayment(transaction, values), transaction, parts.posmate(Self.cryptography), values.wire.format,
                host, plan, on: Self.date)
            try await Self.run(world, setup, check)
        case .emvSwiper:
            let values = ReaderTillParts.bbposValues
            let world = ReaderWorld(
                BBPOSPayment(transaction, values), transaction, parts.emvswiper(Self.cryptography),
                values.wire.format, host, plan, on: Self.date)
            try await Self.run(world, setup, check)
        case .miura:
            let settings = try MiuraPaymentSettings(profile: try #require(try Self.profile(model)))
            let world = ReaderWorld(
                MiuraPayment(transaction, settings), transaction, parts.miura(Self.cryptography, Self.tapping),
                MiuraFormat(.answer), host, plan, on: Self.date)
            try await Self.run(world, setup, check)
        case .uniMag:
            plan.entries = [.swipe]
            plan.faults = Self.faults(setup, model)
            let world = try uniMagWorld(transaction, host, plan, on: Self.date)
            try await Self.run(world, setup, check)
        }
    }

    private static func run<Payment: ReaderPayment & ~Copyable, Terminal: ReaderModel>(
        _ world: ReaderWorld<Payment, Terminal>, _ setup: FlowSetup, _ check: (FlowResult) throws -> Void
    ) async throws {
        await world.run(try ReaderParts.request(setup.amount))
        try check(
            FlowResult(
                events: world.events, record: world.record, report: world.end?.report, error: world.end?.error,
                isHostAsked: world.isHostAsked))
    }

    /// The faults of the reader. A UniMag that refuses has no power.
    static func faults(_ setup: FlowSetup, _ model: AcceptReaderTerminals.Model) -> [PlannedFault] {
        model == .uniMag && !setup.plan.faults.isEmpty ? [PlannedFault(.noAnswer)] : setup.plan.faults
    }

    /// The cards that are presented beside the virtual one.
    static func deck(_ setup: FlowSetup, _ model: AcceptReaderTerminals.Model) -> [Presentation] {
        if let code = setup.swiped {
            let card = SimulatedCard("stripe", track2: ";4761739001010010=3012\(code)1234500000000?")
            return [Presentation(card, after: .seconds(4))]
        }
        guard setup.startsMute else { return [] }
        let card = SimulatedCard("mute")
        // The others forget a card that they could not use.
        let removal = model == .miura ? [Presentation(card, .removed, after: .milliseconds(3_500))] : []
        return [Presentation(card, .unreadable, after: .seconds(4))] + removal
    }
}

/// The end of a scenario at the till.
struct FlowResult {
    let events: [PaymentEvent]
    let record: AttemptRecord?
    let report: AttemptReport?
    let error: AcceptError?
    let isHostAsked: Bool
}
