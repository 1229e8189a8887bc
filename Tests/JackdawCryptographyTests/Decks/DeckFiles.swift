import Foundation
import JackdawCryptography
import JackdawSimulator

/// The decks of the folder `cards`.
enum DeckFolder: String, CaseIterable, Sendable {
    case deck, attack

    /// The page that lists the cards.
    var page: String { "docs/\(self == .deck ? "deck" : "attack-deck").md" }

    /// The names of the cards, in their order.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(Self.root)/cards/\(rawValue)")) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// Reads a file as a deck names it: a card of the folder or of the folder above it, an issuer, a payer.
    func bytes(of file: SimulationFile) -> [UInt8]? {
        switch file {
        case .card(let name):
            Self.bytes("cards/\(rawValue)/\(name).json") ?? Self.bytes("cards/\(name).json")
        case .issuer(let name): Self.bytes("issuers/\(name).json")
        case .payer(let name): Self.bytes("payers/\(name).json")
        }
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
    }

    /// All cards of the deck.
    func cards() throws(SimulationFileError) -> CardDeck {
        try CardDeck(names, LibCryptoPrimitives(mode: .test)) { bytes(of: $0) }
    }

    static var root: String {
        URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    }
}

/// A card by its deck and its name.
struct DeckName: Sendable, CustomStringConvertible {
    let folder: DeckFolder
    let name: String

    var description: String { "\(folder.rawValue)/\(name)" }

    static var all: [DeckName] {
        DeckFolder.allCases.flatMap { folder in folder.names.map { DeckName(folder: folder, name: $0) } }
    }
}
