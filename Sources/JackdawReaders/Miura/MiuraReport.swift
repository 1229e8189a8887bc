import JackdawEMV

/// An unsolicited message of a reader.
///
/// Source: `UnsolicitedMessageEventDispatcher` of Miura's SDK for Android, and its tests.
enum MiuraReport {
    /// The state of slot and stripe.
    case card(MiuraCardReport)
    /// The reader's own status, with the progress of a PIN if one is being entered.
    case device(code: UInt8, pin: PINProgress?)
    /// A message of another kind: a key, a printer, a scanner.
    case other
    /// The message is not BER-TLV.
    case unreadable

    /// The progress of a PIN.
    enum PINProgress: Equatable {
        /// The number of digits changed.
        case digits
        /// The reader's status of the PIN.
        case status(UInt8)
    }

    /// Reads a message.
    /// - Parameter message: the joined message without frames, with its status.
    init(_ message: Span<UInt8>) {
        guard message.count >= 2,
            let objects = TagLengthValue.read(
                message.extracting(first: message.count - 2), opaque: [MiuraTag.answerToReset])
        else {
            self = .unreadable
            return
        }
        func first(_ tags: Set<Tag>, atLeast count: Int = 1) -> Int? {
            objects.first { tags.contains($0.tag) && $0.value.count >= count }?.value.lowerBound
        }
        if let start = first([MiuraTag.deviceStatus]) {
            let status = first(MiuraTag.pinStatuses).map { PINProgress.status(message[$0]) }
            let digits = first(MiuraTag.pinDigits).map { _ in PINProgress.digits }
            self = .device(code: message[start], pin: status ?? digits)
        } else if let start = first([MiuraTag.cardStatus], atLeast: 2) {
            self = .card(MiuraCardReport(message[start], message[start + 1], message, objects))
        } else {
            self = .other
        }
    }
}

/// The state of slot and stripe, as a reader reports it.
struct MiuraCardReport {
    /// Whether a card is in the slot.
    let isPresent: Bool
    /// Whether the card in the slot has a chip that answers.
    let isCompatible: Bool
    /// Whether a card was swiped.
    let isSwipe: Bool
    /// The swipe; nil if no track could be read.
    let swipe: ReaderSwipe?

    fileprivate init(_ slot: UInt8, _ stripe: UInt8, _ message: Span<UInt8>, _ objects: [TagLengthValue]) {
        isPresent = slot & 1 != 0
        isCompatible = slot & 2 != 0
        isSwipe = stripe & 1 != 0
        swipe = stripe & 1 != 0 ? MiuraDialect.swipe(message, objects) : nil
    }
}
