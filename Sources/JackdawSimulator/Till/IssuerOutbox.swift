import JackdawEMV

/// The messages that must reach the issuer, which a restart of the program leaves as they are. One is sent at a time,
/// again and again until the issuer answers it: the issuer recognises it by its reference.
struct IssuerOutbox: Sendable {
    /// A message with the objects that it needs.
    struct Item: Sendable {
        let message: TillMessage
        let request: IssuerRequest
    }

    private(set) var items: [Item] = []
    /// The identifier of the attempt that waits for its reply; nil if none does.
    private var openAttempt: Int?
    private var lastAttempt = 0
    /// The attempts without a reply since the last one with it.
    private var failures = 0

    /// The first wait after an attempt without a reply, and the longest one. Each wait is twice the one before.
    private static let waits: (first: Duration, longest: Duration) = (.seconds(5), .seconds(600))

    /// Appends a message, unless one of its kind about the same payment waits.
    mutating func append(_ message: TillMessage, _ request: IssuerRequest) {
        let isThere = items.contains { $0.message == message && $0.request.reference == request.reference }
        guard !isThere else { return }
        items.append(Item(message: message, request: request))
    }

    /// Begins an attempt.
    /// - Returns: the first message and the identifier of the attempt; nil if there is no
    ///   message, or an attempt is open.
    mutating func begin() -> (item: Item, attempt: Int)? {
        guard openAttempt == nil, let item = items.first else { return nil }
        lastAttempt += 1
        openAttempt = lastAttempt
        return (item, lastAttempt)
    }

    /// Ends an attempt.
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - isAnswered: whether the issuer answered; the message then leaves.
    /// - Returns: the wait before the next attempt; nil if the attempt is not open.
    mutating func end(_ attempt: Int, isAnswered: Bool) -> Duration? {
        guard attempt == openAttempt else { return nil }
        openAttempt = nil
        if isAnswered {
            items.removeFirst()
            failures = 0
            return .zero
        }
        failures = min(failures + 1, 16)
        return min(Self.waits.longest, Self.waits.first * (1 << (failures - 1)))
    }

    /// Forgets the open attempt, as a restart of the program does.
    mutating func restart() {
        openAttempt = nil
        failures = 0
    }
}
