package import JackdawEMV
package import JackdawReaders

/// The card of a payment at a reader, and who decides about it.
package struct ReaderTillParts {
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

    /// The parts of one payment.
    package init(
        settings: TillSettings, reference: String, transaction: KernelTransaction, card: VirtualCard,
        payer: SimulatedPayer, issuer: SimulatedIssuer
    ) {
        self.settings = settings
        self.reference = reference
        self.transaction = transaction
        self.card = card
        self.payer = payer
        self.issuer = issuer
    }

    /// Enciphers PINs with the issuer's key.
    var pinCipher: TerminalPINCipher { { [issuer] pin, objects in issuer.pinBlock(of: pin, for: objects) } }

    // MARK: readers and tills

    /// A till that runs the kernels itself.
    func kernelTill<Primitives: AuthenticationPrimitives>(
        _ primitives: Primitives
    ) throws(KernelConfigurationError) -> SimulatedTill<Primitives> {
        try SimulatedTill(
            settings, reference: reference, transaction, card: card, payer: payer, issuer: issuer, primitives)
    }

    /// A simulated Miura reader.
    /// - Parameters:
    ///   - primitives: RSA and SHA-1 for its kernels.
    ///   - values: the values of the protocol that may change. Default: those of the family's own profile, without taps.
    /// - Returns: the reader.
    package func miura<Primitives: AuthenticationPrimitives>(
        _ primitives: Primitives, _ values: MiuraPaymentSettings = MiuraPaymentSettings()
    ) -> MiuraTerminal<Primitives> {
        MiuraTerminal(settings, values, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    /// A till with a Miura reader; nil for one at a link.
    func till<Primitives>(
        with terminal: MiuraTerminal<Primitives>?
    ) -> ReaderTill<MiuraPayment, MiuraTerminal<Primitives>> {
        ReaderTill(self, MiuraPayment(transaction), terminal, MiuraFormat(.answer), MiuraPaymentMask())
    }

    /// A simulated PosMate with the card.
    package func posmate<Primitives: AuthenticationPrimitives>(_ primitives: Primitives) -> EPOSTerminal<Primitives> {
        EPOSTerminal(settings, Self.eposValues, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    /// A till with a PosMate; nil for one at a link.
    func till<Primitives>(
        with terminal: EPOSTerminal<Primitives>?
    ) -> ReaderTill<EPOSPayment, EPOSTerminal<Primitives>> {
        let values = Self.eposValues
        let format = values.wire.format
        return ReaderTill(
            self, EPOSPayment(transaction, values), terminal, format,
            FrameHeaderMask(size: format.layout.headerSize))
    }

    /// A simulated EMVSwiper with the card.
    package func emvswiper<Primitives: AuthenticationPrimitives>(_ primitives: Primitives) -> BBPOSTerminal<Primitives>
    {
        BBPOSTerminal(settings, Self.bbposValues, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    /// A till with an EMVSwiper; nil for one at a link.
    func till<Primitives>(
        with terminal: BBPOSTerminal<Primitives>?
    ) -> ReaderTill<BBPOSPayment, BBPOSTerminal<Primitives>> {
        let values = Self.bbposValues
        let format = values.wire.format
        return ReaderTill(
            self, BBPOSPayment(transaction, values), terminal, format,
            FrameHeaderMask(size: format.layout.headerSize))
    }

    /// A simulated SPm20 terminal.
    func spm20<Primitives: AuthenticationPrimitives>(_ primitives: Primitives) -> JSONPOSTerminal<Primitives> {
        JSONPOSTerminal(
            settings, date: transaction.date, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    /// The simulated reader of a link; nil if it is a plain one.
    func terminal(of link: PaymentLink, _ primitives: some AuthenticationPrimitives) -> (any ReaderModel)? {
        switch link {
        case .kernel: nil
        case .miura: miura(primitives)
        case .posmate: posmate(primitives)
        case .emvswiper: emvswiper(primitives)
        case .spm20: spm20(primitives)
        }
    }

    /// The values of a simulated PosMate.
    package static var eposValues: EPOSPaymentSettings {
        values("epos") { profile throws(ReaderError) in try EPOSPaymentSettings(profile: profile) }
    }

    /// The values of a simulated EMVSwiper.
    package static var bbposValues: BBPOSPaymentSettings {
        values("bbpos") { profile throws(ReaderError) in try BBPOSPaymentSettings(profile: profile) }
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

extension ReaderTillParts {
    /// The parts of a purchase on ``DeckCard/date`` at the till of the decks.
    init(_ setup: PaymentSetup, amount: UInt64, currency: [UInt8]) {
        settings = TillSettings.decks(AuthenticationKeys(setup.authorities))
        reference = PaymentRecording.Header.name(setup.name)
        transaction = KernelTransaction(amount: amount, currency: currency, type: .purchase, date: DeckCard.date)
        card = setup.card
        payer = setup.payer
        issuer = setup.issuer
    }
}

extension PaymentSetup {
    /// A simulated reader with the card and the cardholder, which takes payments over a link.
    /// - Parameters:
    ///   - link: the kind of the reader.
    ///   - primitives: RSA and SHA-1 for its kernel.
    /// - Returns: the reader; nil for ``PaymentLink/kernel``, whose till has the kernels.
    package func terminal(of link: PaymentLink, _ primitives: some AuthenticationPrimitives) -> (any ReaderModel)? {
        // Amount and currency come from the till.
        ReaderTillParts(self, amount: 0, currency: [0x09, 0x78]).terminal(of: link, primitives)
    }
}

extension FrameLayout {
    /// The bytes before the data of a message: start, length, and the number of the message.
    fileprivate var headerSize: Int { start.count + lengthSize + 1 }
}
