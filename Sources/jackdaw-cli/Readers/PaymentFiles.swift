import JackdawBytes
import JackdawCryptography
import JackdawSimulator

/// The files of a payment with a virtual card: the card, its bases, the cardholder and the issuer.
struct PaymentFiles {
    /// The folders in which a card is searched by its name, in this order.
    static let decks = ["cards/deck", "cards/attack", "cards"]

    /// The path of the card's file.
    let card: String

    /// Finds the file of a card.
    /// - Parameters:
    ///   - card: a path if it has a slash or ends in `.json`, else a name.
    ///   - deck: the folder of the card; nil for ``decks``.
    /// - Throws: `CommandError` with status `noInput` if no folder has a card with the name.
    init(card: String, deck: String?) throws(CommandError) {
        guard !card.contains("/"), !card.hasSuffix(".json") else {
            self.card = card
            return
        }
        let folders = deck.map { [$0] } ?? Self.decks
        let path = folders.map { "\($0)/\(card).json" }.first { Self.bytes($0) != nil }
        guard let path else {
            throw CommandError(
                .noInput,
                "\(card): no such card in \(String.words(folders, "or")); --deck names another folder")
        }
        self.card = path
    }

    /// Reads the card with its cardholder and its issuer.
    /// - Parameters:
    ///   - payer: the file of another cardholder.
    ///   - issuer: the file of another issuer.
    /// - Returns: all three.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput` or `badData`.
    func setup(payer: String?, issuer: String?) throws(CommandError) -> PaymentSetup {
        let primitives = LibCryptoPrimitives(mode: .test)
        var otherPayer: SimulatedPayer?
        if let payer {
            otherPayer = try Self.read(payer) { json throws(SimulationFileError) in try SimulatedPayer(json: json) }
        }
        var otherIssuer: SimulatedIssuer?
        if let issuer {
            otherIssuer = try Self.read(issuer) { json throws(SimulationFileError) in
                try SimulatedIssuer(json: json, primitives)
            }
        }
        return try Self.read(card) { json throws(SimulationFileError) in
            try PaymentSetup(name, json: json, payer: otherPayer, issuer: otherIssuer, primitives) { bytes(of: $0) }
        }
    }

    /// The name of the card's file, without `.json`.
    private var name: String {
        let last = card.split(separator: "/").last.map(String.init) ?? card
        return last.hasSuffix(".json") ? String(last.dropLast(5)) : last
    }

    private static func read<Value>(
        _ path: String, _ make: ([UInt8]) throws(SimulationFileError) -> Value
    ) throws(CommandError) -> Value {
        var json: [UInt8] = []
        defer { json.wipe() }
        try SmallFile.read(path, most: VirtualCard.maxFileSize, tooMany: "too long for such a file", into: &json)
        do throws(SimulationFileError) {
            return try make(json)
        } catch {
            var remedy = ""
            if error.code == .base, error.place == "ends.payer" { remedy = "; --payer names another file" }
            if error.code == .base, error.place == "ends.issuer" { remedy = "; --issuer names another file" }
            throw CommandError(.badData, "\(SmallFile.name(of: path)): \(error)\(remedy)")
        }
    }

    /// The bytes of a file that the card names; nil if there is none. Cardholders and issuers are in folders beside that of
    /// the card, or up to two above it.
    private func bytes(of file: SimulationFile) -> [UInt8]? {
        switch file {
        case .card(let name): find(name, in: [".", ".."])
        case .payer(let name): find(name, in: ["payers", "../payers", "../../payers"])
        case .issuer(let name): find(name, in: ["issuers", "../issuers", "../../issuers"])
        }
    }

    private func find(_ name: String, in folders: [String]) -> [UInt8]? {
        guard !name.contains("/") else { return nil }
        let parts = card.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = parts.isEmpty ? "." : parts.joined(separator: "/")
        for other in folders {
            if let bytes = Self.bytes("\(folder)/\(other)/\(name).json") { return bytes }
        }
        return nil
    }

    /// The bytes of a file; nil if it cannot be read.
    private static func bytes(_ path: String) -> [UInt8]? {
        var json: [UInt8] = []
        do throws(CommandError) {
            try SmallFile.read(path, most: VirtualCard.maxFileSize, tooMany: "too long", into: &json)
            return json
        } catch {
            json.wipe()
            return nil
        }
    }
}
