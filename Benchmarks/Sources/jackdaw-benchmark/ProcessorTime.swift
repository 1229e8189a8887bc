import Glibc

/// Seconds that this process has spent computing, in user and kernel mode, over all its threads.
func processorSeconds() -> Double {
    var usage = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}

/// Seconds of processor time that a body takes.
func processorSeconds(of body: () throws -> Void) rethrows -> Double {
    let start = processorSeconds()
    try body()
    return processorSeconds() - start
}
