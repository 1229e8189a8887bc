import Glibc
internal import JackdawSystem
internal import JackdawTransport

extension SocketFailures {
    /// What failures of TCP's sockets mean.
    static let network = SocketFailures(
        noSocket: { failure, link in
            switch failure.code {
            case EACCES, EPERM:
                LinkError(
                    .notPermitted, link: link, "this program may not use the network",
                    remedy: "look at its service's or its container's rules", underlying: failure.message)
            case EAFNOSUPPORT, EPROTONOSUPPORT:
                LinkError(
                    .unsupported, link: link, "this system has no such network", underlying: failure.message)
            default: .system(failure, link: link, "no socket to spare")
            }
        }, notConnected: { notConnected($0, link: $1) }, lost: { lost($0, link: $1, undelivered: $2) })

    private static func notConnected(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (LinkError.Code, String, String?) =
            switch failure.code {
            case ECONNREFUSED:
                (.refused, "nobody listens at this port", "start what listens there, or look at the port")
            case EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN:
                (.outOfRange, "the host cannot be reached", "look whether it and this computer are on the network")
            case ETIMEDOUT: (.timedOut, "the host does not answer", "switch it on, and look at firewalls")
            case EACCES, EPERM:
                (.notPermitted, "a rule of this system forbids it", "take a port above 1023, and look at firewalls")
            case EADDRINUSE: (.busy, "another program has this port", "end it, or take another port")
            case EADDRNOTAVAIL: (.notFound, "this computer has no such address, or no port", "take another one")
            case EAFNOSUPPORT, EPROTONOSUPPORT, EINVAL:
                (.unsupported, "this system has no way to such an address", nil)
            case ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE:
                (.disconnected, "the link broke before it was made", "try again")
            default: (.system, "cannot be connected", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    private static func lost(_ failure: SystemFailure, link: String, undelivered: Int) -> LinkError {
        let (message, remedy) =
            switch failure.code {
            case ECONNRESET: ("the other side broke the link", "look whether it still runs, and connect again")
            case EPIPE, ENOTCONN: ("the link has ended", "connect again")
            case ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN:
                ("the other side is heard no more", "look at the network, and connect again")
            default: ("the link broke", "connect again")
            }
        return LinkError(
            .disconnected, link: link, message, remedy: remedy, underlying: failure.message, undelivered: undelivered)
    }
}

extension LinkError {
    /// A host's name leads to no address.
    init(_ failure: HostLookup.Failure, link: String) {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case EAI_NONAME, Self.noData: (.notFound, "there is no such host", "look at its name, or give its address")
            case EAI_AGAIN: (.notFound, "no name server answers", "look at the network, or give the host's address")
            default: (.system, "the host's name cannot be looked up", "give the host's address")
            }
        self.init(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    /// `EAI_NODATA`, which Glibc's header hides from Swift.
    private static let noData: Int32 = -5
}
