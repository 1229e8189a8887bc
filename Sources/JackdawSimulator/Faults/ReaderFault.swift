/// What can go wrong with a reader or on its link, by name.
public enum ReaderFault: String, Sendable, Hashable, CaseIterable {
    /// The message is not sent.
    case noAnswer = "no-answer"
    /// The reader refuses, where its family has a way to.
    case refusal = "nak"
    /// One bit in the middle is another, so that the check is wrong.
    case badCheck = "bad-check"
    /// The second half is missing.
    case truncated
    /// A byte too many in the middle.
    case wrongLength = "wrong-length"
    /// The link goes in the middle of the message.
    case disconnect
    /// The message comes five seconds late.
    case late
    /// The message comes twice.
    case duplicate
    /// Bytes of chance come before it.
    case garbage
    /// The battery is nearly empty.
    case lowBattery = "low-battery"
    /// An audio reader gets too little of its power tone to wake up. Links of bytes have no volume.
    case volumeTooLow = "volume-too-low"

    /// Whether it hits single messages, and not the reader as a whole.
    var hitsMessages: Bool { self != .lowBattery && self != .volumeTooLow }
}

/// A fault, and which of the reader's messages it hits.
public struct PlannedFault: Sendable, Hashable {
    /// The fault.
    public let fault: ReaderFault
    /// Messages of the reader that it hits, counted from its first one, which is 0.
    public let messages: Range<Int>

    /// - Parameters:
    ///   - fault: the fault.
    ///   - messages: which of the reader's messages it hits.
    public init(_ fault: ReaderFault, _ messages: Range<Int> = 0..<Int.max) {
        self.fault = fault
        self.messages = messages
    }
}
