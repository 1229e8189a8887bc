import Glibc
import JackdawBluetooth
internal import JackdawSystem
public import JackdawTransport

/// Opens serial lines, and the peer ends of pseudo-terminals, by their paths.
struct SerialLine: Sendable {
    let loop: EventLoop
    var calls: any TerminalCalls = SystemTerminalCalls()

    /// Opens a line exclusively, in raw mode and at its present speed; earlier input is discarded.
    /// - Parameter link: a name with the scheme `pty`.
    /// - Returns: the link.
    /// - Throws: `LinkError` with the cause and a remedy.
    func open(_ link: LinkName) throws(LinkError) -> SocketLink {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try calls.open(link.address)
        } catch {
            throw SocketFailures.terminal.notConnected(error, link.description)
        }
        do throws(SystemFailure) {
            // First, so that the line of another program stays unchanged.
            try calls.lock(descriptor)
            try calls.makeRaw(descriptor)
            try calls.discardInput(descriptor)
        } catch {
            calls.close(descriptor)
            throw SocketFailures.terminal.notConnected(error, link.description)
        }
        return try SocketLink(
            descriptor, link: link, format: .indivisible, failures: .terminal, loop: loop, calls: calls)
    }
}

extension SocketFailures {
    /// Converts the errors of terminals.
    static let terminal = SocketFailures(
        noSocket: { .system($0, link: $1, "no pseudo-terminal can be created") },
        notConnected: { failure, link in
            let (code, message, remedy): (LinkError.Code, String, String?) =
                switch failure.code {
                case ENOENT, ENXIO, ENODEV, ENOTDIR:
                    (.notFound, "there is no such serial line", "plug the reader in, and find its path in /dev")
                case EACCES, EPERM, EROFS:
                    (
                        .notPermitted, "this user may not open it",
                        "sudo usermod -aG dialout USER, or the group that owns it, and log in again"
                    )
                case EBUSY, EAGAIN: (.busy, "another program uses it", "end that program")
                case ENOTTY, EISDIR, EINVAL, ELOOP, ENAMETOOLONG:
                    (.unsupported, "is not a serial line or a terminal", "give the path of one, such as /dev/ttyACM0")
                case EIO: (.disconnected, "the line was hung up", "plug the reader in again")
                default: (.system, "cannot be opened", nil)
                }
            return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
        },
        lost: { failure, link, undelivered in
            LinkError(
                .disconnected, link: link, "the line was hung up",
                remedy: "check that the reader is plugged in, and that the program at the other end is running",
                underlying: failure.message, undelivered: undelivered)
        })
}

/// A pseudo-terminal that simulates a reader on a serial line. Programs open one end by its path; the other end is a
/// link to the program that has it open. Programs may come and go; the link lasts until it is closed.
///
/// The kernel buffers a few thousand bytes for a program that has not opened the line yet; after that, sending waits. A
/// program that opens the line as a reader's discards the buffered bytes. Bytes that the last program has not read may
/// be lost when the link is closed.
public struct PseudoTerminal: Sendable {
    /// The path that others open, such as `/dev/pts/3`.
    public let path: String
    /// The link to the program that has the path open; its name is `pty:` and the path.
    public let transport: any Transport

    /// Makes a pseudo-terminal, with a thread of its own.
    /// - Throws: `LinkError` if the system has no pseudo-terminal left.
    public init() throws(LinkError) {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop(name: "jackdaw-terminal")
        } catch {
            throw .system(error, link: Self.name, "no event loop can be created")
        }
        try self.init(loop: loop, calls: SystemTerminalCalls())
    }

    init(loop: EventLoop, calls: any TerminalCalls) throws(LinkError) {
        let (master, other, path): (Int32, Int32, String)
        do throws(SystemFailure) {
            (master, other, path) = try Self.pair(calls)
        } catch {
            throw SocketFailures.terminal.noSocket(error, Self.name)
        }
        self.path = path
        transport = try SocketLink(
            master, link: LinkName(.pty, path), format: .indivisible, failures: .terminal, loop: loop,
            calls: PtyMasterCalls(calls, holding: other))
    }

    private static let name = "pty"

    private static func pair(_ calls: any TerminalCalls) throws(SystemFailure) -> (Int32, Int32, String) {
        let master = try calls.openMaster()
        var other: Int32?
        do throws(SystemFailure) {
            let path = try calls.unlock(master)
            let end = try calls.open(path)
            other = end
            try calls.makeRaw(end)
            return (master, end, path)
        } catch {
            if let other { calls.close(other) }
            calls.close(master)
            throw error
        }
    }
}

/// Opens RFCOMM links by one connector, so that they share its thread and its cache of channels.
actor SerialPorts {
    private let make: @Sendable () throws(LinkError) -> RFCOMMConnector
    private var made: RFCOMMConnector?

    /// - Parameter make: makes the connector, when the first link is opened.
    init(_ make: @escaping @Sendable () throws(LinkError) -> RFCOMMConnector) { self.make = make }

    func connect(to address: RFCOMMAddress) async throws(LinkError) -> any Transport {
        try await connector().connect(to: address)
    }

    private func connector() throws(LinkError) -> RFCOMMConnector {
        if let made { return made }
        let connector = try make()
        made = connector
        return connector
    }
}
