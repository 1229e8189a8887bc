/// The exit status of the command (numbers of sysexits.h, and the shell's for an interrupt).
package enum ExitStatus: Int32, Comparable {
    /// The verb completed all work.
    case done = 0
    /// The verb ran, and decoded or found nothing, or a payment was not approved.
    case nothingFound = 1
    /// The command line is invalid.
    case usage = 64
    /// The input is invalid.
    case badData = 65
    /// The input does not exist, or may not be read.
    case noInput = 66
    /// A device or a program is missing or busy.
    case unavailable = 69
    /// Reading or writing failed.
    case inputOutput = 74
    /// The end of a payment is not known yet, a message about it has not reached the issuer, or a terminal has not refunded
    /// it.
    case unsettled = 75
    /// The user interrupted the command from the keyboard.
    case interrupted = 130

    package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Ends a verb: a status, and one line with the reason.
package struct CommandError: Error {
    package let status: ExitStatus
    package let message: String

    package init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    package static var interrupted: CommandError { CommandError(.interrupted, "interrupted") }
}
