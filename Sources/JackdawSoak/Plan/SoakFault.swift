/// A fault that a simulated till meets.
package struct SoakFault: Sendable, Hashable {
    /// The kind of a fault. Raw values are the names in histories.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        // MARK: faults of the network

        case loseRequest = "lose-request"
        case loseAnswer = "lose-answer"
        case slowRequest = "slow-request"
        case slowAnswer = "slow-answer"
        case doubleRequest = "double-request"
        case doubleAnswer = "double-answer"
        case unreachable
        case cutAnswer = "cut-answer"
        case garbleAnswer = "garble-answer"
        /// No host can be reached for a time.
        case networkDown = "network-down"

        // MARK: faults of the host

        case hostSlow = "host-slow"
        case hostSilentBefore = "host-silent-before"
        case hostSilentAfter = "host-silent-after"
        case hostRefuses = "host-4xx"
        case hostFails = "host-5xx"
        case hostFailsAfter = "host-5xx-after"
        case hostTokenExpired = "host-token-expired"
        case hostDuplicate = "host-duplicate-id"
        /// The host's program is killed, and starts again after a time.
        case hostCrash = "host-crash"
        case hostCrashBefore = "host-crash-before-request"
        case hostCrashAfter = "host-crash-after-request"
        /// The host's books cannot be written.
        case booksFail = "books-fail"
        /// The host's program is killed in the middle of a write of its books.
        case booksTorn = "books-torn"
        case hostClockJumps = "host-clock-jumps"

        // MARK: the disk of the till

        case writeFails = "write-fails"
        case writeFailsDurable = "write-fails-durable"
        case writeSlow = "write-slow"
        case lookUpFails = "look-up-fails"
        /// All writes fail for a time.
        case diskFull = "disk-full"

        // MARK: faults of the till

        /// The till's program is killed at ``SoakFault/point``, and starts again after a time.
        case crash
        case suspend
        case clockJumps = "clock-jumps"

        // MARK: the reader and the card

        case unplugReader = "unplug-reader"
        case cancel
    }

    /// A place in the work of the till at which it may be killed.
    package enum Point: String, Sendable, Hashable, CaseIterable {
        case now
        case minting, lookingUp
        case beforeWrite, duringWrite, afterWrite, afterWritten
        case beforeRequest, afterRequest
        case beforeAnswer, afterAnswer
        case beforeReader, afterReader
        case beforeReport, afterReport
    }

    /// The kind of the fault.
    package let kind: Kind
    /// The time from which it may happen, since the start. It happens at the next occasion within ``patience``.
    package let time: Duration
    /// The place of a crash.
    package let point: Point
    /// The occasions that pass before it happens.
    package var skips: Int
    /// How long it lasts, or how late something is: 0 to 1,000.
    package let size: Int

    /// The time in which a fault waits for its occasion.
    package static let patience = Duration.seconds(1800)
}
