import Glibc

/// One process and no other: its number is given to another one later, with a later start or in another run of the system.
struct ProcessIdentity: Sendable, Hashable {
    var process: Int32
    /// Clock ticks from the start of the system to that of the process.
    var startTime: UInt64
    /// The number of this run of the system.
    var boot: String
}

/// What is known of processes: the system's, or a test's.
struct ProcessTable: Sendable {
    /// Who this process is; nil where the system does not tell.
    var current: @Sendable () -> ProcessIdentity?
    /// Whether a process is still there.
    var isAlive: @Sendable (ProcessIdentity) -> Bool

    /// The processes of this system.
    static let system = ProcessTable(directory: "/proc")
}

extension ProcessTable {
    /// The processes of a directory like `/proc`.
    init(directory: String) {
        self.init(
            current: { ProcessTable.identity(of: getpid(), in: directory) },
            isAlive: { ProcessTable.identity(of: $0.process, in: directory) == $0 })
    }

    static func identity(of process: Int32, in directory: String) -> ProcessIdentity? {
        guard let status = read("\(directory)/\(process)/stat"), let startTime = startTime(status: status),
            let boot = read("\(directory)/sys/kernel/random/boot_id")
        else { return nil }
        let number = boot.prefix { (0x21...0x7E).contains($0) }
        guard !number.isEmpty else { return nil }
        return ProcessIdentity(process: process, startTime: startTime, boot: String(decoding: number, as: UTF8.self))
    }

    /// The start of a process that still runs, out of its `/proc/PID/stat`; nil where it is dead and only not yet buried.
    static func startTime(status: [UInt8]) -> UInt64? {
        // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
        guard let parenthesis = status.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = status[(parenthesis + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        // The third field is the first one here; the start is the 22nd.
        guard fields.count >= 20, let state = fields[0].first, !"ZXx".utf8.contains(state) else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // A page is more than either file has, and the kernel hands them out in one piece.
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
