@testable import Accept

/// A situation in which a call ends with an error: the text of docs/accept-errors.md, and the calls that provoke it.
struct ErrorSituation: Sendable {
    /// The side that makes the situation.
    enum Side: String, Sendable {
        /// A fault or a rule of the sandbox.
        case sandbox
        /// An event of a terminal or its link, which simulated readers have, too.
        case reader
        /// The sound card of the computer.
        case computer
        /// The calls of the program.
        case program
    }

    let code: AcceptError.Code
    let side: Side
    /// The situation, for people.
    let text: String
    /// Provokes the error.
    let provoke: @Sendable () async throws(Failed) -> AcceptError?

    /// A call that is no part of the situation has failed.
    struct Failed: Error { let error: any Error }

    init(
        _ code: AcceptError.Code, _ side: Side, _ text: String,
        _ provoke: @escaping @Sendable () async throws -> Void
    ) {
        self.code = code
        self.side = side
        self.text = text
        self.provoke = { () async throws(Failed) in
            do {
                try await provoke()
                return nil
            } catch let error as AcceptError { return error } catch { throw Failed(error: error) }
        }
    }

    static let all: [ErrorSituation] =
        accounts + configurations + payments + choices + links + readers + cards + computers + operations + baskets
}
