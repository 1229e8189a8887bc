/// A fault that a request meets. Beyond version 3: it is for tests of tills.
public enum SandboxFault: Sendable, Hashable {
    /// The request is processed, and the answer comes later than usual.
    case slow(Duration)
    /// The request is lost: nothing is processed, and no answer comes.
    case silentBefore
    /// The request is processed, and no answer comes.
    case silentAfter
    /// Nothing is processed, and the answer has this status, 400 to 599.
    case status(Int)
    /// The request is processed, and the answer has this status, 400 to 599.
    case statusAfter(Int)
    /// The request is processed, and the body of the answer is damaged.
    case garbled
    /// The request is processed, and the connection ends after this number of bytes of the answer's body.
    case cut(Int)
    /// The token is withdrawn: nothing is processed, and the answer is 401.
    case tokenExpired
    /// Nothing is processed, and the answer says that the identifier is used: 409.
    case duplicateIdentifier

    /// Reads a fault in text: `slow=5000` (milliseconds), `silent-before`, `silent-after`, `status=503`,
    /// `status-after=500`, `garbled`, `cut=17`, `token-expired` or `duplicate-id`.
    /// - Returns: nil if the text is none.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let number = parts.count == 2 ? parts[1].wholeNumber.map { Int($0) } : nil
        switch (parts[0], number) {
        case ("slow", let milliseconds?) where milliseconds <= 600_000: self = .slow(.milliseconds(milliseconds))
        case ("status", let status?) where (400...599).contains(status): self = .status(status)
        case ("status-after", let status?) where (400...599).contains(status): self = .statusAfter(status)
        case ("cut", let count?) where count <= 1 << 20: self = .cut(count)
        default:
            guard parts.count == 1 else { return nil }
            switch text {
            case "silent-before": self = .silentBefore
            case "silent-after": self = .silentAfter
            case "garbled": self = .garbled
            case "token-expired": self = .tokenExpired
            case "duplicate-id": self = .duplicateIdentifier
            default: return nil
            }
        }
    }
}

/// A fault, and the requests that it applies to.
public struct PlannedFault: Sendable, Hashable {
    /// The fault that these requests get.
    public let fault: SandboxFault
    /// The route, as `POST payments.json`; nil for all.
    public let route: String?
    /// The number of requests of the route that are answered without the fault first.
    public private(set) var after: Int
    /// The number of requests after these that get the fault; nil for all.
    public private(set) var times: Int?

    /// - Parameters:
    ///   - fault: the fault.
    ///   - route: the first method and the path of a route in docs/sandbox.md: `POST payments/{id}/reverse.json`.
    ///     Default: all routes.
    ///   - after: the requests of the route that pass before, 0 or more. Default: none.
    ///   - times: the requests that meet the fault then. Default: all.
    public init(_ fault: SandboxFault, route: String? = nil, after: Int = 0, times: Int? = nil) {
        self.fault = fault
        self.route = route
        self.after = max(0, after)
        self.times = times
    }

    /// Counts a request of a route.
    /// - Returns: whether it meets the fault.
    mutating func take(_ name: String) -> Bool {
        guard route == nil || route == name else { return false }
        if after > 0 {
            after -= 1
            return false
        }
        guard let left = times else { return true }
        guard left > 0 else { return false }
        times = left - 1
        return true
    }
}
