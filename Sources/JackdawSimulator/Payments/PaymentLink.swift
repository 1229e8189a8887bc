import JackdawEMV
import JackdawReaders

/// A simulated reader at which a virtual card pays. The raw value is the name of the link.
package enum PaymentLink: String, Sendable, Hashable, CaseIterable {
    /// The till runs the kernels itself, and the card's commands are those of a plain reader: by contact, tap and stripe.
    case kernel = "sim:kernel"
    /// The card is in a Miura reader, which runs the contact kernel, and the till sends messages of MPI.
    case miura = "sim:miura"
    /// The card is in a PosMate, which runs the contact kernel over an invented wire.
    case posmate = "sim:posmate"
    /// The card is in an EMVSwiper, which runs the contact kernel over an invented wire.
    case emvswiper = "sim:emvswiper"
    /// The card is in an SPm20 terminal, which takes the payment as a whole and asks the issuer itself.
    case spm20 = "sim:spm20"

    /// Finds a link by its name, or by the name of the reader's family: `sim:epos` for `sim:posmate`.
    /// - Parameter name: the name.
    package init?(name: String) {
        if let link = Self(rawValue: name) {
            self = link
            return
        }
        let reader = SimulatedFamily.readers.first { "sim:\($0.family)" == name }
        guard let reader, let link = Self(rawValue: "sim:\(reader.name)") else { return nil }
        self = link
    }

    /// Finds a link by the name in a recording: that of the link, or of a reader at another link.
    init?(recordedAs name: String) {
        guard let link = Self(rawValue: name) ?? Self(rawValue: "sim:\(name)") else { return nil }
        self = link
    }

    /// The rules of payments at the reader.
    var policy: PaymentPolicy { self == .spm20 ? JSONPOSPaymentSettings().policy() : PaymentPolicy() }

    /// The name of the reader: `miura`.
    package var reader: String { String(rawValue.dropFirst("sim:".count)) }

    /// The kinds of readers that can be at a link.
    package static let linked = allCases.filter { $0 != .kernel }

    /// Whether cards can be tapped.
    package var takesTaps: Bool { self == .kernel }

    /// Whether cards can be swiped. The simulated readers with a kernel wait until the cardholder inserts the card.
    package var takesSwipes: Bool { self == .kernel }

    /// What the reader takes.
    var ways: CardWays {
        CardWays(inserts: true, taps: takesTaps, swipes: takesSwipes, isPaymentWhole: self == .spm20)
    }

    /// Whether a cardholder presents the card at least once in a way that the reader takes.
    package func serves(_ payer: SimulatedPayer) -> Bool { payer.setup.presentations.contains(where: takes) }

    /// Whether the reader takes each way in which a cardholder presents the card.
    package func takesEachPresentation(of payer: SimulatedPayer) -> Bool {
        payer.setup.presentations.allSatisfy(takes)
    }

    private func takes(_ way: PayerDescription.Presentation) -> Bool {
        switch way {
        case .insert: true
        case .tap: takesTaps
        case .swipe: takesSwipes
        }
    }
}
