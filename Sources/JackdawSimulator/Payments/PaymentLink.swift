/// A simulated reader at which a virtual card pays. The raw value is the name of the link.
package enum PaymentLink: String, Sendable, Hashable, CaseIterable {
    /// The till runs the kernels itself, and the card's commands are those of a plain reader: by contact, tap and stripe.
    case kernel = "sim:kernel"
    /// The card is in a Miura reader, which runs the contact kernel, and the till sends messages of MPI.
    case miura = "sim:miura"

    /// Whether cards can be tapped.
    package var takesTaps: Bool { self == .kernel }

    /// Whether cards can be swiped. The simulated Miura reader waits until the cardholder inserts the card.
    package var takesSwipes: Bool { self == .kernel }

    /// Whether a cardholder presents the card at least once in a way that the reader takes.
    package func serves(_ payer: SimulatedPayer) -> Bool {
        payer.setup.presentations.contains { way in
            switch way {
            case .insert: true
            case .tap: takesTaps
            case .swipe: takesSwipes
            }
        }
    }
}
