import JackdawTransport

/// Tells the owner of a stream what happens to its sound. Where nobody asks for so long that there is no room, gaps are added
/// up, and a device that has gone and come back meanwhile was never away.
struct EventWriter {
    let report: PlaybackReport
    private var owesDisconnected = false
    private var owesReconnected = false
    private var owedGap: PlaybackGap?
    private var hasNews = false

    init(_ report: PlaybackReport) { self.report = report }

    /// Whether something was told since this was asked last.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// The sound broke off and goes on.
    mutating func interrupt(_ gap: PlaybackGap) {
        report.count(gap)
        owedGap =
            owedGap.map { owed in
                // The oldest frame that was not heard and the newest that was late are what counts.
                let first = min(owed.position - owed.unheard, gap.position - gap.unheard)
                return PlaybackGap(
                    position: gap.position, silence: owed.silence + gap.silence, unheard: gap.position - first)
            } ?? gap
        tell()
    }

    /// The device has gone.
    mutating func disconnect() {
        report.set(isConnected: false)
        if owesReconnected { owesReconnected = false } else { owesDisconnected = true }
        tell()
    }

    /// The device is back.
    mutating func reconnect() {
        report.set(isConnected: true)
        owesReconnected = true
        tell()
    }

    /// Tells what is owed, as far as there is room.
    mutating func tell() {
        if owesDisconnected { owesDisconnected = !write(.disconnected) }
        if owesReconnected, !owesDisconnected { owesReconnected = !write(.reconnected) }
        if let gap = owedGap, !owesDisconnected, !owesReconnected, write(.interrupted(gap)) { owedGap = nil }
    }

    private mutating func write(_ event: PlaybackEvent) -> Bool {
        guard report.events.write(event) else { return false }
        hasNews = true
        return true
    }
}
