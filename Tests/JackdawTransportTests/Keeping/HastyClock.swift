import JackdawTestSupport

/// Wakes who sleeps a first time before the time has come.
final class HastyClock: Clock {
    let clock = ManualClock()
    private let isHasty = Shared(true)

    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let isHasty = isHasty.with { isHasty in
            defer { isHasty = false }
            return isHasty
        }
        if !isHasty { try await clock.sleep(until: deadline, tolerance: tolerance) }
    }
}
