public import JackdawTransport

/// A reader for chip cards that pcscd knows, with its state.
public struct CardReader: Sendable, Hashable {
    /// The state of a reader.
    public enum State: String, Sendable, Hashable {
        /// The reader has no card.
        case empty
        /// The reader has a card that no program uses.
        case present
        /// The reader has a card that other programs use and share.
        case shared
        /// The reader has a card that another program uses alone.
        case exclusive
        /// The reader has a card that does not answer, for example one that was inserted the wrong way.
        case mute
        /// pcscd cannot use the reader.
        case unavailable
    }

    /// The number of the reader in pcscd's list, from 0; it changes when other readers are plugged in or out.
    public let number: Int
    /// The name that pcscd has given the reader.
    public let name: String
    /// The state of the reader.
    public let state: State
    /// The answer to reset (ATR) of the card, 2 to 33 octets; nil without a card that answers.
    public let answerToReset: [UInt8]?

    /// The name of the link to a card in the reader: `pcsc:` and ``name``.
    public var link: LinkName { LinkName(.pcsc, name) }

    /// Creates a reader from its values.
    /// - Parameters:
    ///   - number: the number in pcscd's list, from 0.
    ///   - name: the name, not empty.
    ///   - state: the state of the reader.
    ///   - answerToReset: the answer to reset of the card.
    package init(number: Int, name: String, state: State, answerToReset: [UInt8]? = nil) {
        self.number = number
        self.name = name
        self.state = state
        self.answerToReset = answerToReset
    }

    init(number: Int, _ status: ReaderStatus) {
        func has(_ bit: UInt32) -> Bool { status.state & bit != 0 }
        let state: State =
            if has(ReaderStatus.unavailable) || has(ReaderStatus.unknown) {
                .unavailable
            } else if !has(ReaderStatus.present) {
                .empty
            } else if has(ReaderStatus.mute) {
                .mute
            } else if has(ReaderStatus.exclusive) {
                .exclusive
            } else {
                has(ReaderStatus.inUse) ? .shared : .present
            }
        self.init(
            number: number, name: status.name, state: state,
            answerToReset: status.answerToReset.isEmpty ? nil : status.answerToReset)
    }
}

/// Finds the reader that the address of a link names.
enum ReaderLookup {
    /// Finds a reader: by its whole name, by its number, or by a part of its name that no other reader has. Case is
    /// ignored.
    /// - Parameters:
    ///   - link: a name with the scheme `pcsc`.
    ///   - names: the names of the readers, in the order of their numbers.
    /// - Returns: the reader's name.
    /// - Throws: `LinkError` with code `notFound`, or `badName` if several readers have the part; both list the
    ///   readers.
    static func reader(_ link: LinkName, in names: [String]) throws(LinkError) -> String {
        guard !names.isEmpty else {
            throw LinkError(
                .notFound, link: link.description, "pcscd knows no reader",
                remedy: "plug one in; its driver may be missing (Debian: sudo apt install libccid)")
        }
        let list = names.enumerated().map { "\($0) \($1)" }.joined(separator: ", ")
        let address = link.address.lowercased()
        if let whole = names.first(where: { $0 == link.address }) ?? only(names.filter { $0.lowercased() == address }) {
            return whole
        }
        if address.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            guard let number = Int(address), names.indices.contains(number) else {
                throw LinkError(
                    .notFound, link: link.description, "no reader has this number", remedy: "the readers are: \(list)")
            }
            return names[number]
        }
        let matches = names.filter { $0.lowercased().contains(address) }
        guard let reader = only(matches) else {
            throw matches.isEmpty
                ? LinkError(
                    .notFound, link: link.description, "no reader has this name", remedy: "the readers are: \(list)")
                : LinkError(
                    .badName, link: link.description, "\(matches.count) readers have this in their names",
                    remedy: "give the number or more of the name: \(list)")
        }
        return reader
    }

    private static func only(_ names: [String]) -> String? { names.count == 1 ? names[0] : nil }
}
