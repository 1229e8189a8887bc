public import JackdawCards

/// The token of a login, and its lifetime (`AcceptAccessToken`).
public struct AcceptAccessToken: Sendable, Equatable {
    /// The token, which the calls take.
    public let accessToken: SecretText
    /// The seconds for which an unused token is valid; nil if the host does not report them. Each request that the host
    /// takes begins them again.
    public let expireInSeconds: Int?
}

extension AcceptAccessToken: RedactedDescription {
    /// The lifetime: a token is not printed.
    public var description: String { "token for \(expireInSeconds.map { "\($0) s" } ?? "an unknown time")" }
}

/// An event for a watch of tokens.
enum AcceptTokenEvent: Sendable {
    /// The host gave a token.
    case issued(AcceptAccessToken)
    /// The host took a token.
    case used(SecretText)
    /// The host refused a token.
    case refused(SecretText)
    /// The time of ``AcceptTokenWatch/nextDeadline`` has come.
    case timer
}

/// The lifetimes of tokens: each begins again when the host takes the token (guide 1.6.182, chapter 3).
///
/// It is a machine without I/O. A token that has expired is reported once and forgotten. A watch has the 16 newest
/// tokens.
struct AcceptTokenWatch: Sendable {
    private struct Entry: Sendable {
        let token: SecretText
        let lifetime: Duration?
        var expiry: Duration?
    }

    private static let maxTokens = 16
    private var entries: [Entry] = []
    private var now = Duration.zero

    /// The time at which the first token expires; nil without one.
    var nextDeadline: Duration? { entries.compactMap(\.expiry).min() }

    /// Whether a token was issued and has not expired.
    func isValid(_ token: SecretText, at now: Duration) -> Bool {
        entries.contains { $0.token == token && ($0.expiry.map { $0 > now } ?? true) }
    }

    /// - Returns: the tokens that are not valid any more.
    mutating func receive(_ event: AcceptTokenEvent, at time: Duration) -> [SecretText] {
        now = max(now, time)
        switch event {
        case .issued(let token):
            entries.removeAll { $0.token == token.accessToken }
            let lifetime = token.expireInSeconds.map { Duration.seconds($0) }
            entries.append(Entry(token: token.accessToken, lifetime: lifetime, expiry: lifetime.map { now + $0 }))
            if entries.count > Self.maxTokens { entries.removeFirst() }
        case .used(let token):
            for index in entries.indices where entries[index].token == token {
                entries[index].expiry = entries[index].lifetime.map { now + $0 }
            }
        case .refused(let token):
            guard let index = entries.firstIndex(where: { $0.token == token }) else { return [] }
            return [entries.remove(at: index).token]
        case .timer: break
        }
        let expired = entries.filter { $0.expiry.map { $0 <= now } ?? false }.map(\.token)
        entries.removeAll { $0.expiry.map { $0 <= now } ?? false }
        return expired
    }
}
