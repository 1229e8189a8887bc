import SwipeController

/// A jack in which a reader comes and goes.
protocol StressJack: Sendable {
    var environment: any SwipeEnvironment { get }
    var clock: any Clock<Duration> { get }
    /// Whether the reader can be looked for.
    var isSearchable: Bool { get }

    /// Says whether the reader is in the jack.
    func attach(_ isAttached: Bool)

    /// Lets ten milliseconds pass.
    func pass() async throws

    /// Conversations and links that are still in memory, and work at the jack that goes on.
    var livingCount: Int { get }

    /// How often the volume was raised and not put back.
    var raisedCount: Int { get }
}
