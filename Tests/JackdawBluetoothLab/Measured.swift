import Glibc

/// How long something takes, and how much of the processor.
struct Measured {
    private let start = ContinuousClock.now
    private let processed = Self.processorSeconds

    /// Time that has passed.
    var milliseconds: Double { (ContinuousClock.now - start) / .milliseconds(1) }

    /// Time that the process's threads have taken, in the kernel, too.
    var processorMilliseconds: Double { (Self.processorSeconds - processed) * 1000 }

    /// Prints how fast bytes went.
    func tell(_ name: String, bytes: Int) {
        figure(name, Double(bytes) / milliseconds * 1000, "B/s")
        figure("\(name)-processor", processorMilliseconds, "ms")
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
    }
}

func figure(_ name: String, _ value: Double, _ unit: String) {
    let thousandths = (value * 1000).rounded() / 1000
    print(name, thousandths, unit)
}

extension [Double] {
    /// The value that a fraction of the values lie below. There must be one.
    func quantile(_ fraction: Double) -> Double { sorted()[Int(Double(count) * fraction)] }
}
