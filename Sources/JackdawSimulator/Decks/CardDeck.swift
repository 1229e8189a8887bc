import JackdawBytes
public import JackdawEMV

/// Virtual cards, each of whose files says how a payment with it ends. docs/deck.md and docs/attack-deck.md list those
/// of the folders `cards/deck` and `cards/attack`.
public struct CardDeck: Sendable {
    /// The cards in the order of their names.
    public let cards: [DeckCard]

    /// Reads the cards with some names.
    /// - Parameters:
    ///   - names: the names of the cards' files, without `.json`, in any order.
    ///   - cryptography: RSA, ciphers, hashes and PIN blocks of cards and issuers.
    ///   - read: returns the bytes of a file; nil if there is none.
    /// - Throws: ``SimulationFileError`` with the place, which begins with the name of the card, and the reason.
    public init(
        _ names: [String], _ cryptography: some IssuerCryptography, reading read: (SimulationFile) -> [UInt8]?
    ) throws(SimulationFileError) {
        var cards: [DeckCard] = []
        for name in Set(names).sorted() {
            guard var json = read(.card(name)) else {
                throw SimulationFileError(.base, at: name, "there is no such file")
            }
            defer { json.wipe() }
            do throws(SimulationFileError) {
                cards.append(try DeckCard(name, json: json, cryptography, reading: read))
            } catch {
                throw SimulationFileError(error, in: name)
            }
        }
        self.cards = cards
    }

    /// The card of a name; nil if the deck does not have it.
    public subscript(name: String) -> DeckCard? { cards.first { $0.name == name } }
}
