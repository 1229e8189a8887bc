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
    /// - Returns: whether readers noticed any of it; what goes on beside them takes as long as it takes.
    func pass() async throws -> Bool

    /// Conversations and links that are still in memory, and work at the jack that goes on.
    var livingCount: Int { get }

    /// How often the volume was raised and not put back.
    var raisedCount: Int { get }
}
