import JackdawEMV
import JackdawPayments
import JackdawSimulator

// Faults, when they come and when they strike.

extension SoakWorld {
    /// The time of a fault has come: it happens now, or waits for its occasion.
    func meet(_ entry: (number: Int, fault: SoakFault)) {
        let fault = entry.fault
        let lastDay = Duration.seconds(plan.days * 86_400)
        func until(_ length: Duration) -> Duration { min(now + length, lastDay) }
        switch fault.kind {
        case .networkDown: networkDownUntil = max(networkDownUntil, until(.milliseconds(fault.size * fault.size * 40)))
        case .hostCrash: killHost(fault)
        case .hostClockJumps: host.clock += .seconds((fault.size - 500) * 4)
        case .diskFull: diskFullUntil = max(diskFullUntil, until(.seconds(fault.size)))
        case .suspend:
            guard desk != nil, now >= suspendedUntil else { return }
            suspendedUntil = now + .seconds(1 + fault.size * 3)
            // Some clocks count the time, and others do not.
            if fault.skips.isMultiple(of: 2) { uncounted += suspendedUntil - now }
        case .clockJumps: wallClock += .seconds((fault.size - 500) * 40)
        case .crash where fault.point == .now:
            guard desk != nil else { return }
            kill(fault)
        default:
            armed.append(entry)
            return
        }
        strike(entry)
    }

    private func strike(_ entry: (number: Int, fault: SoakFault)) {
        note("fault \(entry.number) \(entry.fault.kind.rawValue)")
        struck[entry.fault.kind, default: 0] += 1
        struckNumbers.insert(entry.number)
    }

    /// Takes the first waiting fault of a kind whose occasion this is.
    /// - Parameters:
    ///   - kind: the kind.
    ///   - point: the place of a crash.
    /// - Returns: the fault, which happens; nil if there is none, or it lets this occasion pass.
    func take(_ kind: SoakFault.Kind, at point: SoakFault.Point? = nil) -> SoakFault? {
        guard !armed.isEmpty else { return nil }
        armed.removeAll { now - $0.fault.time > SoakFault.patience }
        let index = armed.firstIndex { $0.fault.kind == kind && (point == nil || $0.fault.point == point) }
        guard let index else { return nil }
        guard armed[index].fault.skips == 0 else {
            armed[index].fault.skips -= 1
            return nil
        }
        let entry = armed.remove(at: index)
        strike(entry)
        return entry.fault
    }
}
