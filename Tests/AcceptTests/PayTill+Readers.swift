import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTransport

@testable import Accept

extension PayTill {
    /// Hands a reader over a link in, which pays instead of the scripted terminal: under its name.
    func use(
        _ model: AcceptReaderTerminals.Model, profile: ReaderProfile? = nil, jack: JackOutput? = nil,
        open: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) {
        let terminal = AcceptTerminal(
            uuid: "PosMate 1", displayName: "PosMate 1", model: "PosMate", configurationVersion: "1",
            entries: model == .uniMag ? [.swipe] : [.chip, .swipe])
        let reader = AcceptReaderTerminals.Reader(
            vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"), terminal: terminal,
            model: model, profile: profile, jack: { jack }, open: open)
        accept.use(
            AcceptReaderTerminals(
                [reader], clock: clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
                seal: { .tagLengthValue($0) }))
    }

    /// Hands a simulated reader in, with a card that goes online unless it is another one.
    func simulate(
        _ model: AcceptReaderTerminals.Model, _ faults: [JackdawSimulator.PlannedFault] = [],
        profile: ReaderProfile? = nil, card: String = ReaderParts.card
    ) throws -> SimulatedLink {
        let (parts, cryptography) = (try ReaderParts.parts(1000, card: card), PlainIssuerCryptography())
        let reader: any ReaderModel =
            switch model {
            case .posMate: parts.posmate(cryptography)
            case .emvSwiper: parts.emvswiper(cryptography)
            case .miura: parts.miura(cryptography)
            case .uniMag: UniMagModel()
            }
        let link = try SimulatedLink(reader, deck: [], faults: faults)
        use(model, profile: profile) { () throws(LinkError) in link }
        return link
    }
}

extension ReaderParts {
    /// Begins the payment of another program at an EMVSwiper, which asks that program for the time.
    static func beginPayment(atEMVSwiper link: SimulatedLink) async throws {
        let values = ReaderTillParts.bbposValues
        for call in [
            BBPOSCall.checkCard(.swipeOrInsert, within: .seconds(60)), .startEMV(values.times, forcesOnline: false),
        ] {
            try await link.send(values.wire.frame(call))
            _ = try await link.receive { _ in }
        }
    }
}
