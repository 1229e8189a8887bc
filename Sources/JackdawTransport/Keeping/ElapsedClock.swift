/// A clock that counts from its beginning, whatever the instants of the clock below are.
package struct ElapsedClock: Sendable {
    /// How long ago the beginning is.
    package let now: @Sendable () -> Duration
    /// Sleeps until so long after the beginning.
    package let sleep: @Sendable (_ deadline: Duration) async throws -> Void

    /// A clock whose beginning is now.
    package init(_ clock: some Clock<Duration>) {
        let beginning = clock.now
        now = { beginning.duration(to: clock.now) }
        sleep = { deadline in try await clock.sleep(until: beginning.advanced(by: deadline), tolerance: nil) }
    }
}
