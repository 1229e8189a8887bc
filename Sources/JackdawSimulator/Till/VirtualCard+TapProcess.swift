package import JackdawEMV

extension VirtualCard {
    /// Taps the card at a contactless reader without a PIN pad, and has the reader's kernel come to its end.
    /// - Parameters:
    ///   - settings: the terminal.
    ///   - transaction: amount, currency, kind and date.
    ///   - primitives: RSA and SHA-1.
    ///   - seed: the seed of the terminal's random octets.
    /// - Returns: the event for the payment, and the objects for the issuer or, after an approval by the card, for
    ///   settlement.
    package mutating func tap(
        _ settings: TillSettings, _ transaction: KernelTransaction, _ primitives: some AuthenticationPrimitives,
        seed: UInt64
    ) -> (event: PaymentEvent, objects: DataObjectStore) {
        enterField()
        defer { powerOff() }
        var process = TapProcess(settings, transaction, primitives, nil, SplitMix(seed: seed))
        var result = (event: PaymentEvent.tapAgain, objects: DataObjectStore())
        var outputs = process.start()[...]
        while let output = outputs.popFirst() {
            switch output {
            case .transmit(let command): outputs += process.receive(receive(command))
            case .enterPIN: return (.pinCancelled, DataObjectStore())
            case .authorise(let request): result.objects = request.objects
            case .tapFinished(_, let record): result.objects = record
            case .event(let event): result.event = event
            case .step, .tapStep, .finished, .transactionNeeded: break
            }
        }
        return result
    }
}
