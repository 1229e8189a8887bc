package import JackdawTransport

/// What the system's failures mean to who uses a kind of link: each gives an error for the link of this name.
package struct SocketFailures: Sendable {
    /// There is not even a socket.
    package let noSocket: @Sendable (_ failure: SystemFailure, _ link: String) -> LinkError
    /// A connection did not come about, or none can be taken.
    package let notConnected: @Sendable (_ failure: SystemFailure, _ link: String) -> LinkError
    /// A link that was connected broke, and so many bytes were not sent.
    package let lost: @Sendable (_ failure: SystemFailure, _ link: String, _ undelivered: Int) -> LinkError

    package init(
        noSocket: @escaping @Sendable (SystemFailure, String) -> LinkError,
        notConnected: @escaping @Sendable (SystemFailure, String) -> LinkError,
        lost: @escaping @Sendable (SystemFailure, String, Int) -> LinkError
    ) {
        self.noSocket = noSocket
        self.notConnected = notConnected
        self.lost = lost
    }
}
