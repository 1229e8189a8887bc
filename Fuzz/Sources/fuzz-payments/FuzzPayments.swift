import FuzzSupport
import JackdawEMV
import JackdawReaders

/// Pays at a reader with the events of the input: messages and other bytes of the reader, time, the host's and the
/// app's answers, the loss of the link. The first two bytes name the reader by its number (``FuzzTarget``).
///
/// The rules of a payment hold after each event, no deadline stays in the past, and time alone ends the payment.
@c(LLVMFuzzerTestOneInput)
public func fuzzPayments(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 2 else { return 0 }
    let steps = bytes.dropFirst(2)
    switch names[FuzzTarget.nearest(FuzzTarget.key(bytes), in: keys)] {
    case "miura":
        // Control byte and APDU.
        pay(MiuraPayment(transaction), steps) { content in
            let frame = [1, (content.first ?? 0) & 0x41, UInt8(max(0, content.count - 1))] + content.dropFirst()
            return frame + [frame.reduce(0, ^)]
        }
    case "epos":
        let profile = simulatedProfile("epos")
        guard let settings = try? EPOSPaymentSettings(profile: profile) else { preconditionFailure("no settings") }
        pay(EPOSPayment(transaction, settings), steps, framer(settings.wire.format, EPOSMessage.self, profile))
    case "bbpos":
        let profile = simulatedProfile("bbpos")
        guard let settings = try? BBPOSPaymentSettings(profile: profile) else { preconditionFailure("no settings") }
        pay(BBPOSPayment(transaction, settings), steps, framer(settings.wire.format, BBPOSMessage.self, profile))
    default:
        let settings = JSONPOSPaymentSettings()
        let payment = JSONPOSPayment(transaction, receipt: 1, sequence: 1, settings)
        pay(TerminalPayment(payment), policy: settings.policy(), steps) { content in
            let length = String(content.count, radix: 16)
            return Array("\(String(repeating: "0", count: 8 - length.count))\(length):".utf8) + content + [0x0A]
        }
    }
    return 0
}

private let names = ["miura", "epos", "bbpos", "jsonpos"]
private let keys = names.map { FuzzTarget.key(of: $0) }

private var transaction: KernelTransaction {
    guard let date = CardDate(year: 2026, month: 1, day: 15) else { preconditionFailure("the date is valid") }
    return KernelTransaction(amount: 1000, currency: [0x09, 0x78], type: .purchase, date: date)
}

private func simulatedProfile(_ family: String) -> ReaderProfile {
    guard let family = ReaderFamily.named(family) else { preconditionFailure("no family") }
    return family.simulatedProfile
}

/// Makes frames of a content whose first byte is the place of a message in the list of all.
private func framer<Message: PaymentWireMessage>(
    _ format: LayoutFormat, _: Message.Type, _ profile: ReaderProfile
) -> ([UInt8]) -> [UInt8] {
    { content in
        let messages = Array(Message.allCases)
        let message = messages[Int(content.first ?? 0) % messages.count]
        guard let number = try? profile.integer(message.key, in: 0...255) else { preconditionFailure("no number") }
        return (try? format.frame([UInt8(clamping: number)] + content.dropFirst())) ?? []
    }
}

private func pay<Reader: ReaderPayment & ~Copyable>(
    _ reader: consuming Reader, policy: PaymentPolicy = PaymentPolicy(), _ steps: ArraySlice<UInt8>,
    _ frame: ([UInt8]) -> [UInt8]
) {
    var till = FuzzTill(reader, policy)
    var left = steps
    func take(_ count: Int) -> [UInt8] {
        defer { left = left.dropFirst(count) }
        return Array(left.prefix(count))
    }
    while let step = left.popFirst() {
        switch step {
        case 0x80...: till.receive(take(Int(step & 0x7F)))
        case 0x40...: till.receive(frame(take(Int(left.popFirst() ?? 0))))
        case 0x30...: till.answer(Int(step & 0x0F))
        case 0x20...: till.advance(to: till.nextDeadline ?? till.now)
        default: till.advance(to: till.now + .milliseconds(Int(step) * 100))
        }
    }
    till.expire()
}
