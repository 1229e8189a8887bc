package import JackdawTransport

/// A task of a payment for the reader or the card at a link.
package enum LinkTask: Sendable {
    /// A message for the reader, or a command for the card.
    case send([UInt8])
    /// The power of a reader on an audio jack.
    case power(ReaderPower)
    /// The card must forget what it did in this payment, as if it were inserted again.
    case resetCard
}

/// A task of a till for the reader that swipes cards, which its caller drives.
enum SwipeTask: Sendable {
    /// Prepare the reader, for the effect of this identifier.
    case prepare(Int)
    /// Wait for a swipe, for the effect of this identifier.
    case accept(Int)
    /// The cardholder swipes the card.
    case swipe
    /// The payment needs the reader no more.
    case stop
}
