#if Payments
import Accept
import JackdawConsole
import JackdawCryptography
import JackdawEMV
import JackdawLinux
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// A terminal that the command can sell at: one of the SDK's models, simulated in this process or at a link.
struct TillTerminal: Sendable {
    /// The model of the SDK, under the name of its reader.
    struct Kind: Sendable, Hashable {
        let model: AcceptReaderTerminals.Model
        /// The name of the reader: `posmate`.
        let name: String

        /// The link of the simulated reader: `sim:posmate`.
        var simulatedLink: LinkName { LinkName(.sim, name) }
        /// The family of the reader: `epos`.
        var family: String { model.rawValue }

        /// The vendor under which the SDK finds the reader. The guide has no constant for Miura.
        var vendor: AcceptTerminalVendor {
            switch model {
            case .posMate: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire")
            case .emvSwiper: AcceptTerminalVendor(uuid: AcceptbbPOSVendorUUID, displayName: "BBPOS")
            case .uniMag: AcceptTerminalVendor(uuid: AcceptIDTECHVendorUUID, displayName: "ID TECH")
            case .miura: AcceptTerminalVendor(uuid: family.uppercased(), displayName: family)
            }
        }

        /// Whether the reader only swipes cards.
        var onlySwipes: Bool { model == .uniMag }

        /// The terminals of the SDK, by name.
        static let all: [Kind] = AcceptReaderTerminals.Model.allCases.map { model in
            let reader = SimulatedFamily.readers.first { $0.family == model.rawValue }
            return Kind(model: model, name: reader?.name ?? model.rawValue)
        }.sorted { $0.name < $1.name }

        static let names = all.map(\.name)

        /// Finds a kind by the name of the reader or of its family.
        static func named(_ name: String) -> Kind? { all.first { $0.name == name || $0.family == name } }
    }

    let kind: Kind
    /// The link; of a simulated reader that of its kind.
    let link: LinkName
    /// The card and the cardholder of a simulated reader; nil for a reader at another link.
    let card: PaymentSetup?
    /// The values of the reader's protocol; nil for those of simulated readers.
    let profile: ReaderProfile?

    /// A simulated reader, and a card for it.
    init(simulated kind: Kind, card: PaymentSetup) {
        self.kind = kind
        link = kind.simulatedLink
        self.card = card
        profile = nil
    }

    /// A reader at a link that carries bytes, or in the jack of a sound card.
    /// - Parameters:
    ///   - kind: the kind of the reader.
    ///   - link: the link.
    ///   - profile: the values of the protocol. Default: nil, those of simulated readers.
    init(_ kind: Kind, at link: LinkName, profile: ReaderProfile? = nil) {
        self.kind = kind
        self.link = link
        self.profile = profile
        card = nil
    }

    /// The terminal as the SDK shows it.
    var terminal: AcceptTerminal {
        AcceptTerminal(uuid: kind.name, displayName: kind.name, entries: kind.onlySwipes ? [.swipe] : [.chip])
    }

    /// The terminals of a till that has this one.
    func terminals() -> AcceptReaderTerminals {
        let reader = AcceptReaderTerminals.Reader(
            vendor: kind.vendor, terminal: terminal, model: kind.model, profile: profile,
            open: { [self] () async throws(LinkError) in try await open() })
        return AcceptReaderTerminals([reader], date: { .now }, seal: { .tagLengthValue($0) })
    }

    private func open() async throws(LinkError) -> any Transport {
        guard let card else {
            guard link.scheme == .alsa else { return try await LinuxDevices().connect(link) }
            return try await LinuxDevices.connect(link, sound: try sound())
        }
        guard !kind.onlySwipes else {
            // A swipe that comes before the payment waits for it is lost, and the next one follows.
            let swipes = card.swipes(after: .seconds(1))
            return SimulatorHost.open(link) { SimulatedReader(UniMagModel(), deck: swipes) }
        }
        let model = PaymentLink(name: link.description).flatMap {
            card.terminal(of: $0, LibCryptoPrimitives(mode: .test))
        }
        guard let model else {
            throw LinkError(.notFound, link: link.description, "there is no simulated reader of this name")
        }
        let keepsPackets = ReaderFamily.named(kind.family)?.needsPackets ?? false
        return SimulatorHost.open(link, keepsPackets: keepsPackets) { SimulatedReader(model) }
    }

    /// The signals at the jack.
    private func sound() throws(LinkError) -> ReaderSound {
        do throws(ReaderError) {
            if let sound = try ReaderFamily.named(kind.family)?.makeSound(profile) { return sound }
        } catch {
            throw LinkError(.unsupported, link: link.description, error.description)
        }
        throw LinkError(.unsupported, link: link.description, "readers of this kind have no plug for a jack")
    }
}
#endif
