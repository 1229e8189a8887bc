import JackdawEMV
import JackdawReaders

/// The card of a payment at a reader, and who decides about it.
struct ReaderTillParts {
    /// The terminal in the reader, the rules and the times.
    let settings: TillSettings
    /// The identifier of the payment for the issuer.
    let reference: String
    let transaction: KernelTransaction
    /// The card that the cardholder inserts.
    let card: VirtualCard
    let payer: SimulatedPayer
    /// The issuer, whose key for PINs the reader has.
    let issuer: SimulatedIssuer

    /// Enciphers PINs with the issuer's key.
    var pinCipher: TerminalPINCipher { { [issuer] pin, objects in issuer.pinBlock(of: pin, for: objects) } }

    // MARK: the tills

    /// A till with a simulated Miura reader.
    func miuraTill<Primitives: AuthenticationPrimitives>(
        _ primitives: Primitives
    ) -> ReaderTill<MiuraPayment, MiuraTerminal<Primitives>> {
        let terminal = MiuraTerminal(settings, card: card, payer: payer, primitives, pinCipher: pinCipher)
        return ReaderTill(self, MiuraPayment(transaction), terminal, MiuraPaymentMask())
    }

    /// A till with a simulated PosMate.
    func posmateTill<Primitives: AuthenticationPrimitives>(
        _ primitives: Primitives
    ) -> ReaderTill<EPOSPayment, EPOSTerminal<Primitives>> {
        let values = Self.values("epos") { profile throws(ReaderError) in try EPOSPaymentSettings(profile: profile) }
        let terminal = EPOSTerminal(settings, values, card: card, payer: payer, primitives, pinCipher: pinCipher)
        let mask = FrameHeaderMask(size: values.wire.format.layout.headerSize)
        return ReaderTill(self, EPOSPayment(transaction, values), terminal, mask)
    }

    /// A till with a simulated EMVSwiper.
    func emvswiperTill<Primitives: AuthenticationPrimitives>(
        _ primitives: Primitives
    ) -> ReaderTill<BBPOSPayment, BBPOSTerminal<Primitives>> {
        let values = Self.values("bbpos") { profile throws(ReaderError) in try BBPOSPaymentSettings(profile: profile) }
        let terminal = BBPOSTerminal(settings, values, card: card, payer: payer, primitives, pinCipher: pinCipher)
        let mask = FrameHeaderMask(size: values.wire.format.layout.headerSize)
        return ReaderTill(self, BBPOSPayment(transaction, values), terminal, mask)
    }

    /// The values of the simulated reader of a family, all of which its profile has.
    private static func values<Values>(
        _ family: String, _ read: (ReaderProfile) throws(ReaderError) -> Values
    ) -> Values {
        guard let family = ReaderFamily.named(family), let values = try? read(family.simulatedProfile) else {
            preconditionFailure("the profile of a simulated reader is not complete")
        }
        return values
    }
}

extension FrameLayout {
    /// The bytes before the data of a message: start, length, and the number of the message.
    fileprivate var headerSize: Int { start.count + lengthSize + 1 }
}
