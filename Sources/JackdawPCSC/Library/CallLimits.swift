/// The longest waits for pcscd and for other programs.
struct CallLimits: Sendable {
    /// The wait until a card is connected, and other programs have ended their transactions with it.
    var connection = Duration.seconds(10)
    /// The wait of the task that closes a link, until the card is reset. The link's thread goes on.
    var closing = Duration.seconds(5)
    /// Milliseconds of one wait for a change of the readers, after which their list is made again.
    var change: UInt32 = 5_000
    /// Milliseconds between two waits of which the first one returned although nothing had changed; negative for no
    /// limit.
    var pause: Int32 = 500

    /// The number of times that a call is repeated because the readers or the card have changed since the call before.
    static let repeats = 10
}
