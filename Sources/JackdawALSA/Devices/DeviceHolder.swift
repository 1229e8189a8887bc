/// The process that holds a device which only one can have.
public struct DeviceHolder: Sendable, Hashable, CustomStringConvertible {
    /// The number of the process.
    public let process: Int32
    /// The name of its command, cut at 15 bytes by the kernel; nil where it is not known.
    public let name: String?
    /// The number of the user it runs for; nil where it is not known.
    let user: UInt32?

    /// Name and number: `arecord (process 1234)`.
    public var description: String { name.map { "\($0) (process \(process))" } ?? "process \(process)" }

    /// The process that a thread belongs to: the kernel names the thread that opened a device, and a sound server does so in
    /// a thread whose number and name say little.
    init(thread: Int32, _ files: some SystemFiles) {
        let status = files.fields(of: "/proc/\(thread)/status")
        process = status["Tgid"].flatMap { Int32($0) } ?? thread
        name = files.line(of: "/proc/\(process)/comm")
        user = status["Uid"]?.split(whereSeparator: \.isWhitespace).first.flatMap { UInt32($0) }
    }
}
