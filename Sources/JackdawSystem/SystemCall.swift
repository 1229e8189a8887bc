import Glibc

/// Makes a call until no signal interrupts it.
/// - Returns: what the call does, negative where it failed.
func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Makes a call until no signal interrupts it.
/// - Returns: what the call does.
/// - Throws: ``SystemFailure`` where that is negative.
func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemFailure) -> Result {
    let result = retried(call)
    guard result >= 0 else { throw .last }
    return result
}
