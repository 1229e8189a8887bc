internal import JackdawSystem
public import JackdawTransport

/// A pair of terminals, for what stands in for a reader on a serial line: programs open the one by its path, and the other
/// is a link to whoever does. They may come and go; the link lasts until it is closed.
///
/// The system keeps a few thousand bytes for who has not come yet; then sending waits. Who opens the line as a reader's
/// forgets them. What the last one has not read when the link is closed may be lost to them.
public struct PseudoTerminal: Sendable {
    /// The path that others open, such as `/dev/pts/3`.
    public let path: String
    /// The link to who has it open, with the name `pty:` and the path.
    public let transport: any Transport

    /// Makes a pair, with a thread of its own.
    /// - Throws: `LinkError` where the system has none to spare.
    public init() throws(LinkError) {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop(name: "jackdaw-terminal")
        } catch {
            throw .system(error, link: Self.name, "cannot be watched")
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
            calls: HeldTerminalCalls(calls, holding: other))
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
