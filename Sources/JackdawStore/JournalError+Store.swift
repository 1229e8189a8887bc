#if Payments
internal import GRDB
import JackdawPayments

extension JournalError {
    /// The error of a call of the store.
    init(_ error: any Error) {
        switch error {
        case let error as JournalError: self = error
        case let error as DatabaseError: self.init(error)
        case let error as FileFault: self.init(error)
        default: self.init(.system, "The journal cannot be used.")
        }
    }

    /// The error of SQLite. Its message may have values of a record; the fixed text of the code has none.
    init(_ error: DatabaseError) {
        let cause = "SQLite \(error.extendedResultCode.rawValue), \(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            self.init(.damaged, "The journal is damaged.", cause: cause)
        case .SQLITE_ERROR:
            // The store's statements are right for the tables that it made.
            self.init(.damaged, "The journal is damaged: its tables are not those of a journal.", cause: cause)
        case .SQLITE_FULL: self.init(.full, "The disk has no room for the journal.", cause: cause)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(.notPermitted, "The journal cannot be written.", cause: cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.inUse, "Another program uses the journal.", cause: cause)
        default: self.init(.system, "The journal cannot be read or written.", cause: cause)
        }
    }

    init(_ fault: FileFault) {
        switch fault.kind {
        case .notPrivate:
            self.init(.notPermitted, "The file or folder \(fault.path) is not private.", cause: fault.cause)
        case .full: self.init(.full, "The disk has no room for \(fault.path).", cause: fault.cause)
        case .missing, .tooLarge, .system:
            self.init(.system, "The file \(fault.path) cannot be used.", cause: fault.cause)
        }
    }

    init(_ error: SecretFileError) {
        switch error.code {
        case .missing: self.init(.wrongKey, "The key of the journal is missing. \(error.message)", cause: error.cause)
        case .notPrivate: self.init(.notPermitted, error.message, cause: error.cause)
        case .full: self.init(.full, error.message, cause: error.cause)
        default: self.init(.system, error.message, cause: error.cause)
        }
    }
}
#endif
