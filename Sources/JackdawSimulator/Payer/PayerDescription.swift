import JackdawEMV

/// A cardholder, as a file describes them.
struct PayerDescription: Sendable {
    /// The application that the cardholder chooses.
    enum Application: Sendable {
        case first
        /// The one whose name (AID) begins so.
        case named([UInt8])
        /// The one of this index. If there is none, the cardholder chooses it once, and then the first.
        case index(Int)

        /// The index of the choice among applications of these names; nil if there is none.
        func answer(_ names: [[UInt8]], isFirstChoice: Bool) -> Int? {
            switch self {
            case .first: 0
            case .named(let name): names.firstIndex { $0.starts(with: name) }
            case .index(let index): isFirstChoice || names.indices.contains(index) ? index : 0
            }
        }
    }

    /// The behaviour at the PIN pad.
    enum PIN: Sendable {
        /// Digits in ASCII, after a number of wrong ones.
        case digits(SecretOctets, wrongFirst: Int)
        case bypassed
        case cancelled
    }

    /// The behaviour when a signature is asked for. The raw value is the name in the file.
    enum Signature: String, Sendable, CaseIterable {
        case right, wrong, refused
        case absent = "none"

        /// Nil if the cardholder does not answer.
        var answer: SimulatedPayer.Answer? {
            switch self {
            case .right: .signs(isRight: true)
            case .wrong: .signs(isRight: false)
            case .refused: .refuses
            case .absent: nil
            }
        }
    }

    /// The way in which the cardholder presents the card. The raw value is the name in the file.
    enum Presentation: String, Sendable, CaseIterable {
        case insert, tap, swipe

        var answer: SimulatedPayer.Answer {
            switch self {
            case .insert: .inserts
            case .tap: .taps
            case .swipe: .swipes
            }
        }
    }

    /// The removal of the card during a payment.
    struct Removal: Sendable {
        /// The number of the card's answer after which it is removed, from 1.
        var exchange: Int
        /// The time from that answer.
        var delay: Duration
        /// The number of presentations that end so; nil if the cardholder does not present the card again.
        var times: Int?
    }

    /// The times from questions to answers.
    struct Delays: Sendable {
        var card = Duration.zero
        var application = Duration.zero
        var pin = Duration.zero
        var signature = Duration.zero
    }

    var application: Application
    var pin: PIN
    var signature: Signature
    /// Nil if the card stays.
    var removal: Removal?
    var delays: Delays
    /// The ways of the presentations, in their order; the last one is repeated.
    var presentations: [Presentation]
    /// The most presentations of the card, 1 to 10.
    var maxPresentations: Int
}

extension SimulatedPayer {
    /// Makes a payer from a file; docs/simulated-issuer.md describes it.
    /// - Parameter json: a JSON object in UTF-8, at most ``VirtualCard/maxFileSize`` bytes. The caller wipes it.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    public init(json: [UInt8]) throws(SimulationFileError) {
        try self.init(file: DescriptionObject(json: json, allowed: Self.members))
    }

    static let members = ["application", "pin", "signature", "removal", "delays", "presents", "presentations"]

    init(file: DescriptionObject) throws(SimulationFileError) {
        self.init(try PayerDescription(file))
    }
}

extension PayerDescription {
    init(_ file: DescriptionObject) throws(SimulationFileError) {
        let presentations = try Self.presentations(file)
        self.init(
            application: try Self.application(file), pin: try Self.pin(file),
            signature: try file.optionalChoice("signature") ?? .right, removal: try Self.removal(file),
            delays: try Self.delays(file), presentations: presentations,
            maxPresentations: try file.optionalNumber("presentations", 1...10) ?? max(3, presentations.count))
    }

    private static func presentations(_ file: DescriptionObject) throws(SimulationFileError) -> [Presentation] {
        guard file.has("presents") else { return [.insert] }
        let names = try file.texts("presents")
        let presentations = names.compactMap { Presentation(rawValue: $0) }
        guard presentations.count == names.count, (1...10).contains(names.count) else {
            let known = Presentation.allCases.map(\.rawValue).joined(separator: ", ")
            throw SimulationFileError(.value, at: file.place(of: "presents"), "it must have 1 to 10 of \(known)")
        }
        return presentations
    }

    private static func application(_ file: DescriptionObject) throws(SimulationFileError) -> Application {
        guard let object = try file.optionalObject("application", allowed: ["aid", "index"]) else { return .first }
        guard object.has("aid") != object.has("index") else {
            throw SimulationFileError(.member, at: object.place, "it must have either aid or index")
        }
        if let index = try object.optionalNumber("index", 0...255) { return .index(index) }
        return .named(try object.octets("aid", 1...16))
    }

    private static func pin(_ file: DescriptionObject) throws(SimulationFileError) -> PIN {
        let members = ["digits", "wrong_first", "action"]
        guard let object = try file.optionalObject("pin", allowed: members) else { return .bypassed }
        let action = try object.optionalChoice("action", among: PINAction.allCases)
        let digits = try object.optionalDigits("digits", 4...12)
        let wrongFirst = try object.optionalNumber("wrong_first", 0...15)
        switch (action, digits, wrongFirst) {
        case (.bypass, nil, nil): return .bypassed
        case (.cancel, nil, nil): return .cancelled
        case (nil, let digits?, _): return .digits(digits, wrongFirst: wrongFirst ?? 0)
        default:
            throw SimulationFileError(
                .member, at: object.place, "it must have either digits, perhaps with wrong_first, or action")
        }
    }

    /// The behaviour at the PIN pad without a PIN. The raw value is the name in the file.
    private enum PINAction: String, CaseIterable {
        case bypass, cancel
    }

    private static func removal(_ file: DescriptionObject) throws(SimulationFileError) -> Removal? {
        let members = ["after_exchange", "delay", "times"]
        guard let object = try file.optionalObject("removal", allowed: members) else { return nil }
        return Removal(
            exchange: try object.number("after_exchange", 1...1_000),
            delay: try object.optionalTime("delay") ?? .zero, times: try object.optionalNumber("times", 1...10))
    }

    private static func delays(_ file: DescriptionObject) throws(SimulationFileError) -> Delays {
        let members = ["card", "application", "pin", "signature"]
        guard let object = try file.optionalObject("delays", allowed: members) else { return Delays() }
        return Delays(
            card: try object.optionalTime("card") ?? .zero,
            application: try object.optionalTime("application") ?? .zero,
            pin: try object.optionalTime("pin") ?? .zero, signature: try object.optionalTime("signature") ?? .zero)
    }
}
