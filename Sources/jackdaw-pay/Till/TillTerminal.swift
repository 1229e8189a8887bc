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
        /// The model of a reader that asks the Accept host; nil for an SPm20, which asks a host of its own.
        let model: AcceptReaderTerminals.Model?
        /// The name of the reader: `posmate`.
        let name: String
        /// The family of the reader: `epos`.
        let family: String

        /// The link of the simulated reader: `sim:posmate`.
        var simulatedLink: LinkName { LinkName(.sim, name) }
        /// The vendor under which the SDK finds the reader. The guide has no constant for Miura.
        var vendor: AcceptTerminalVendor {
            switch model {
            case .posMate, nil: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire")
            case .emvSwiper: AcceptTerminalVendor(uuid: AcceptbbPOSVendorUUID, displayName: "BBPOS")
            case .uniMag: AcceptTerminalVendor(uuid: AcceptIDTECHVendorUUID, displayName: "ID TECH")
            case .miura: AcceptTerminalVendor(uuid: family.uppercased(), displayName: family)
            }
        }

        /// Whether the reader only swipes cards.
        var onlySwipes: Bool { model == .uniMag }

        /// The terminals of the SDK, by name.
        static let all: [Kind] =
            (AcceptReaderTerminals.Model.allCases.map { Kind($0, of: $0.rawValue) } + [spm20])
            .sorted { $0.name < $1.name }

        /// An SPm20, which is simulated alone: its host is simulated, too.
        static let spm20 = Kind(nil, of: "jsonpos")

        /// The kinds that can be at a link.
        static let linked = all.filter { $0 != spm20 }

        private init(_ model: AcceptReaderTerminals.Model?, of family: String) {
            self.model = model
            self.family = family
            name = SimulatedFamily.readers.first { $0.family == family }?.name ?? family
        }

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
    /// - Parameter ownHost: those with a host of their own.
    /// - Returns: the readers, or the terminals with a host of their own.
    func terminals(_ ownHost: AcceptSPm20Terminals) -> any AcceptTerminals {
        guard let model = kind.model else { return ownHost }
        let reader = AcceptReaderTerminals.Reader(
            vendor: kind.vendor, terminal: terminal, model: model, profile: profile,
            jack: { [link] in await LinuxDevices().jackOutput(link) },
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
        return try card.open(link, of: kind)
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

extension PaymentSetup {
    /// Connects a simulated reader with the card and the cardholder.
    fileprivate func open(_ link: LinkName, of kind: TillTerminal.Kind) throws(LinkError) -> any Transport {
        let model = PaymentLink(name: kind.simulatedLink.description).flatMap {
            terminal(of: $0, LibCryptoPrimitives(mode: .test))
        }
        guard let model else {
            throw LinkError(.notFound, link: link.description, "there is no simulated reader of this name")
        }
        let keepsPackets = ReaderFamily.named(kind.family)?.needsPackets ?? false
        return SimulatorHost.open(link, keepsPackets: keepsPackets) { SimulatedReader(model) }
    }
}

extension AcceptSPm20Terminals {
    /// A simulated SPm20 and its host, which last as long as the command.
    /// - Parameters:
    ///   - journal: the journal of the till.
    ///   - card: the card and the cardholder at the terminal, and the issuer that its host is.
    /// - Returns: the terminals, which the owner closes.
    static func simulated(_ journal: any JournalStore, _ card: PaymentSetup) -> AcceptSPm20Terminals {
        let kind = TillTerminal.Kind.spm20
        let host = SimulatedTerminalHost(TerminalHost(card.issuer))
        let terminal = Terminal(
            vendor: kind.vendor, terminal: AcceptTerminal(uuid: kind.name, displayName: kind.name, entries: [.chip]),
            open: { () async throws(LinkError) in try card.open(kind.simulatedLink, of: kind) },
            connect: { (_, _) async throws(LinkError) in await host.connect(kind.simulatedLink) })
        // A simulated terminal lasts as long as the command, so that it has no money after it.
        return AcceptSPm20Terminals([terminal], journal: journal, date: { .now }, attention: { _, _ in })
    }
}
#endif
