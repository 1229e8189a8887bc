import Glibc
import JackdawAudioFile

/// Runs gnuplot, which draws what a script says.
enum Gnuplot {
    /// Draws a picture.
    /// - Parameters:
    ///   - script: commands that write the picture to standard output.
    ///   - path: where the picture goes, for this user alone: it shows the sound of a card. An existing file is
    ///     replaced once the new one is complete.
    /// - Throws: ``CommandError`` with status `unavailable` where there is no gnuplot, or `inputOutput`.
    static func draw(_ script: String, to path: String) throws(CommandError) {
        let input = try file(containing: script)
        defer { close(input) }
        let complaints = try file(containing: "")
        defer { close(complaints) }
        try NewFile.make(at: path) { file throws(CommandError) in
            var picture = PictureFile(isVector: path.hasSuffix(".svg"))
            try run(input: input, errors: complaints) { bytes throws(CommandError) in
                picture.add(bytes)
                do throws(AudioFileError) {
                    try file.write(bytes)
                } catch {
                    throw CommandError(error, isOutput: true)
                }
            }
            guard picture.isComplete else {
                throw CommandError(.inputOutput, "\(path): gnuplot did not complete the picture")
            }
        }
    }

    /// Runs it. What it draws comes through a pipe: it would take no notice of a disk that is full.
    private static func run(
        input: CInt, errors: CInt, _ take: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw NewFile.failure("a pipe") }
        let (picture, output) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process: pid_t
        do throws(CommandError) {
            defer { close(output) }
            process = try start(input: input, output: output, errors: errors)
        } catch {
            close(picture)
            throw error
        }
        var failure: CommandError?
        do throws(CommandError) {
            try receive(from: picture, take)
        } catch {
            failure = error
            kill(process, SIGTERM)
        }
        close(picture)
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {
            if Interruption.isRequested { kill(process, SIGTERM) }
        }
        try Interruption.check()
        if let failure { throw failure }
        guard status == 0 else {
            throw CommandError(.unavailable, "gnuplot failed: \(firstLine(of: errors))")
        }
    }

    /// Hands over the bytes of a pipe, to its end.
    private static func receive(
        from pipe: CInt, _ take: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        defer { bytes.removeWiping() }
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(pipe, $0.baseAddress, $0.count) }
            try Interruption.check()
            guard count != 0 else { return }
            if count > 0 {
                try take(Array(bytes[..<count]))
            } else if errno != EINTR {
                throw CommandError(.inputOutput, "gnuplot: \(unsafe String(cString: strerror(errno)))")
            }
        }
    }

    private static func start(input: CInt, output: CInt, errors: CInt) throws(CommandError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var process = pid_t()
        let name = unsafe strdup("gnuplot")
        defer { unsafe free(name) }
        let failure = unsafe posix_spawnp(&process, "gnuplot", &actions, nil, [name, nil], environ)
        guard failure == 0 else {
            throw CommandError(
                .unavailable,
                failure == ENOENT
                    ? "--plot needs gnuplot, which is not installed: apt install gnuplot-nox"
                    : "gnuplot cannot be started: \(unsafe String(cString: strerror(failure)))")
        }
        return process
    }

    /// A nameless file, for this user alone, to be read from its start.
    private static func file(containing text: String) throws(CommandError) -> CInt {
        var name = Array("/tmp/jackdaw-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw NewFile.failure("/tmp") }
        unsafe unlink(name)
        do throws(CommandError) {
            try NewFile.write(Array(text.utf8), to: descriptor, at: "/tmp")
        } catch {
            close(descriptor)
            throw error
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    private static func firstLine(of descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 2_048)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let lines = bytes[..<max(0, count)].split(separator: UInt8(ascii: "\n"))
        return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? "no reason given"
    }
}

/// Distinguishes a whole picture from a part of one.
struct PictureFile {
    private static let signature: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8)
    /// The last chunk, which has no data (PNG, 3rd edition, 11.2.5), and its CRC.
    private static let ending: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    private static let longestTail = 64

    private let isVector: Bool
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    /// - Parameter isVector: SVG if true, PNG if not.
    init(isVector: Bool) { self.isVector = isVector }

    /// Takes the next bytes of the file.
    mutating func add(_ bytes: [UInt8]) {
        head += bytes.prefix(Self.signature.count - head.count)
        tail = (tail + bytes.suffix(Self.longestTail)).suffix(Self.longestTail)
    }

    /// Whether the file begins and ends as such a picture does.
    var isComplete: Bool {
        guard isVector else { return head == Self.signature && tail.suffix(Self.ending.count) == Self.ending[...] }
        let text = String(decoding: tail, as: UTF8.self)
        return head.first == UInt8(ascii: "<") && text.trimmingBlanksAtEnd.replacing("\n", with: "").hasSuffix("</svg>")
    }
}
