package import JackdawTransport

extension LinkError {
    /// Whoever asked has given it up.
    package static func cancelled(_ link: String, undelivered: Int = 0) -> LinkError {
        LinkError(.cancelled, link: link, "given up", undelivered: undelivered)
    }

    /// The link was closed on this side.
    package static func closed(_ link: String, undelivered: Int = 0) -> LinkError {
        LinkError(.disconnected, link: link, "closed", undelivered: undelivered)
    }

    /// The system failed in a way that says nothing about the device.
    package static func system(_ failure: SystemFailure, link: String, _ message: String) -> LinkError {
        LinkError(.system, link: link, message, underlying: failure.message)
    }
}
