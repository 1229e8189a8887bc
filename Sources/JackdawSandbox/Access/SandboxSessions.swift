/// The tokens of users who logged in. A token lives while requests come, and expires when none came for its lifetime
/// (Accept SDK integration guide 1.6.182, chapter 3: the demo's label; 1.6.074: the expiry is the backend session's).
struct SandboxSessions: Sendable {
    private struct Session: Sendable {
        let user: String
        var expiry: Duration
    }

    private var sessions: [String: Session] = [:]

    /// The number of tokens that have not expired, or have not been removed since.
    var count: Int { sessions.count }

    /// Adds a token of a user.
    /// - Returns: false if there is no room.
    mutating func add(_ token: String, user: String, expiry: Duration, now: Duration, most: Int) -> Bool {
        if sessions.count >= most { sessions = sessions.filter { $0.value.expiry > now } }
        guard sessions.count < most, sessions[token] == nil else { return false }
        sessions[token] = Session(user: user, expiry: expiry)
        return true
    }

    /// Uses a token, which prolongs it.
    /// - Returns: its user; nil if the token is unknown or expired.
    mutating func use(_ token: String, now: Duration, lifetime: Duration) -> String? {
        guard let session = sessions[token] else { return nil }
        guard session.expiry > now else {
            sessions[token] = nil
            return nil
        }
        sessions[token]?.expiry = now + lifetime
        return session.user
    }

    mutating func remove(_ token: String) { sessions[token] = nil }

    /// Removes the tokens of a user.
    mutating func removeAll(of user: String) { sessions = sessions.filter { $0.value.user != user } }
}

/// Counts failed logins, by name and by address, and refuses more of them for a while.
struct LoginLimiter: Sendable {
    private struct Failures: Sendable {
        var count: Int
        /// The time at which they are forgotten.
        let end: Duration
    }

    /// The most names and addresses that are watched. None is forgotten early: more are refused.
    static let maxWatched = 10_000

    private var failures: [String: Failures] = [:]
    /// The time before which none of them ends, so that no flood of logins makes the sandbox search them each time.
    private var nextPurge = Duration.zero

    private mutating func purge(_ now: Duration) {
        failures = failures.filter { $0.value.end > now }
        nextPurge = failures.values.map(\.end).min() ?? now
    }

    /// The time until a login is possible; nil if it is possible now.
    mutating func wait(for keys: [String], now: Duration, most: Int) -> Duration? {
        let ends = keys.compactMap { key -> Duration? in
            guard let entry = failures[key], entry.end > now, entry.count >= most else { return nil }
            return entry.end
        }
        if let end = ends.max() { return end - now }
        guard failures.count + keys.count > Self.maxWatched else { return nil }
        if now >= nextPurge { purge(now) }
        return failures.count + keys.count > Self.maxWatched ? .seconds(1) : nil
    }

    mutating func fail(_ keys: [String], now: Duration, period: Duration) {
        for key in keys {
            if let entry = failures[key], entry.end > now {
                failures[key]?.count = entry.count + 1
            } else {
                failures[key] = Failures(count: 1, end: now + period)
            }
        }
    }

    mutating func forget(_ keys: [String]) { for key in keys { failures[key] = nil } }
}
