/// The cause of a payment's failure, as a reader reports it.
package enum ReaderTrouble: String, Sendable, Hashable, CaseIterable {
    /// The battery is nearly empty.
    case batteryEmpty
    /// The reader has no settings.
    case settingsMissing
    /// The reader lacks a file of its configuration.
    case fileMissing
    /// The reader is broken.
    case damaged
    /// The reader has no key, or has used it up.
    case keyMissing
    /// The reader does not accept the data of a command.
    case dataRefused
    /// The reader has not ended its last payment.
    case busy
    /// The sound that reaches the reader is too weak.
    case soundTooWeak
    /// The reader does not answer a command.
    case unanswered
}
