import Foundation
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Standard input and output, signals and exit codes, which need a process of its own.
@Suite struct ProcessTests {
    @Test func soundPassesThroughPipes() throws {
        let sound = try ChildProcess(["synth", "-o", "-", "--reverse"])
        #expect(sound.status == 0)
        #expect(sound.output.starts(with: Array("RIFF".utf8)))
        let decoded = try ChildProcess(["decode", "--json", "-"], input: sound.output)
        #expect(decoded.status == 0)
        let line = String(decoding: decoded.output, as: UTF8.self)
        #expect(line.contains("\"file\":\"-\""))
        #expect(line.contains("\"pan\":\"411111******1111\""))
        let inspected = try ChildProcess(["inspect", "--json", "-"], input: sound.output)
        #expect(inspected.status == 0)
        #expect(try ChildProcess(["bench", "-"], input: sound.output).status == 0)
    }

    @Test func cardTextComesFromStandardInput() throws {
        let folder = try TemporaryFolder()
        let text = Array(";9999990123456789011=2912?\n".utf8)
        let run = try ChildProcess(["synth", "-o", folder("a.wav"), "--track2", "@-"], input: text)
        #expect(run.status == 0, "\(run.messages)")
        #expect(CommandRun("decode", "--json", "--reveal", folder("a.wav")).output.contains("9999990123456789011"))
    }

    private static let exitCodes: [([String], Int32)] = [
        (["decode", "/nonexistent.wav"], 66), (["decode", "/"], 66), (["decode"], 64), (["nonsense"], 64),
        (["decode", "--help"], 0), (["--version"], 0), (["inspect", "/dev/null"], 66), (["decode", "-"], 65),
        (["demodulate", "-"], 65), (["demodulate", "/"], 66), (["demodulate"], 64), (["demodulate", "--list"], 0),
        (["modulate"], 64), (["modulate", "--mode", "v21", "-o", "/nonexistent/a.wav"], 74),
    ]

    @Test(arguments: exitCodes)
    func exitCodesReachTheShell(arguments: [String], status: Int32) throws {
        let run = try ChildProcess(arguments)
        #expect(run.status == status, "\(run.messages)")
        #expect((status == 0) == !run.output.isEmpty)
    }

    @Test func usageErrorsOfTheProcessHideAccountNumbers() throws {
        let run = try ChildProcess(["synth", ";4012888888881881=2912?"])
        #expect(run.status == 64)
        #expect(!run.messages.contains("888888"))
    }

    /// Whether this process ignores a signal, such as a hangup after nohup; then its children ignore it, too.
    private static func ignores(_ signal: Int32) throws -> Bool {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let mask = try #require(status.firstMatch(of: /SigIgn:\s*([0-9a-f]+)/)?.1)
        return try #require(UInt64(mask, radix: 16)) >> UInt64(signal - 1) & 1 == 1
    }

    /// Names of any bytes: invalid UTF-8, a character that combines with the slash before it, quotes, a line end. A
    /// shell makes them from octal digits, because `Process` passes only UTF-8.
    @Test(arguments: [
        (#"a\0377b"#, #"a\xffb"#), (#"\0303"#, #"\xc3"#), (#"\0314\0201a"#, "\u{301}a"), ("'q", "'q"),
        (#"a\0330\0234b"#, #"a\u{61c}b"#), (#"a\nb"#, #"a\u{a}b"#), (#"\0364\0217\0277\0277"#, #"\xf4\x8f\xbf\xbf"#),
    ])
    func filesOfAnyNameOpen(octal: String, shown: String) throws {
        let folder = try TemporaryFolder()
        let script = """
            name=$(printf '%b' "$2")
            cd "$3" || exit 99
            "$1" synth -o "$PWD/$name.wav" --track1 test && "$1" decode "./$name.wav" &&
            "$1" decode --json "$name.wav" && "$1" inspect "$name.wav" &&
            "$1" listen --link "wav:$name.wav" --record "$name.kept.wav" &&
            test -s "$name.kept.wav" && test -s "$name.kept.wav.json" && "$1" decode "$name.kept.wav" > /dev/null
            """
        let run = try ChildProcess(
            ["-c", script, "sh", ChildProcess.executable.path, octal, folder.path],
            program: URL(fileURLWithPath: "/bin/sh"))
        let output = String(decoding: run.output, as: UTF8.self)
        #expect(run.status == 0, "\(run.messages)")
        #expect(output.hasPrefix("./\(shown).wav: 411111******1111, visa, "))
        #expect(String(validating: run.output, as: UTF8.self) != nil)
        let object = try #require(output.split(separator: "\n").first { $0.hasPrefix("{") })
        let name = shown.replacing("\\u{61c}", with: "\u{61C}").replacing("\\u{a}", with: "\n")
        #expect(try jsonObject(String(object))["file"] as? String == "\(name).wav")
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func anInterruptEndsItInGoodOrder(signal: Int32) throws {
        guard try !Self.ignores(signal) else { return }
        let process = try waitingForSound()
        process.send(signal)
        #expect(process.end() == .exit(128 + signal))
    }

    @Test func aClosedPipeEndsTheCommandBySIGPIPE() throws {
        guard try !Self.ignores(SIGPIPE) else { return }
        let output = Pipe()
        try output.fileHandleForReading.close()
        let process = try SpawnedProcess(ChildProcess.executable.path, ["decode", "--help"], output: .pipe(output))
        #expect(process.end() == .signal(SIGPIPE))
    }

    /// Each verb, with options by which it opens files, links and threads. Verbs that would go on for ever write to a
    /// full disk.
    private static let verbs: [(line: String, statuses: [Int32])] = [
        ("decode a.wav", [0]), ("synth -o b.wav", [0]), ("demodulate a.wav", [0, 1, 65]), ("inspect a.wav", [0]),
        ("modulate --mode v23 -o b.wav", [0]), ("inspect --plot a.png a.wav", [0, 69]), ("bench a.wav", [0]),
        ("frame miura 01:00:04:D0:62:00:00:B7", [0]), ("frame idtech --key-file key 00", [65]),
        ("listen --link wav:a.wav --record b.wav", [0]), ("listen --link sim:miura --swipes 1", [0, 74]),
        ("listen --link record:b.txt,sim:miura --swipes 1", [0, 74]),
        ("listen --link replay:a.txt --reader miura", [1, 74]), ("listen --link alsa:hw:99 --reader unimag", [69, 74]),
        ("listen --link tcp:127.0.0.1:9 --reader miura --json", [74]),
        ("listen --link pty:/dev/ptmx --reader miura --json", [74]),
        ("listen --link rfcomm:AA:BB:CC:DD:EE:FF/1 --reader miura --json", [69, 74]),
        ("listen --link ble:AA:BB:CC:DD:EE:FF --reader edynamo --json", [74]),
        ("devices", [0, 1, 74]), ("devices --scan", [69, 74]), ("pair rfcomm:AA:BB:CC:DD:EE:FF", [69, 74]),
        ("simulate miura --link tcp:127.0.0.1:0 --json", [74]),
        ("simulate miura --link pty --json", [74]), ("autodetect --link sim:unimag --yes", [0, 74]),
    ]

    /// With so few file descriptors the verb does its work, or ends with an error.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
        .timeLimit(.minutes(30)), arguments: verbs)
    func fewDescriptorsEndInNoTrap(line: String, statuses: [Int32]) throws {
        let folder = try TemporaryFolder()
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        _ = try folder.write("0123456789ABCDEF".utf8, to: "key")
        _ = try folder.write("jackdaw-transcript 1 masked sim:miura\n0.000000 end\n".utf8, to: "a.txt")
        let output = line.hasSuffix("--json") ? "/dev/full" : "/dev/null"
        for limit in 8...16 {
            let run = try ChildProcess(
                shell: "cd \"$1\" && exec >\(output) && ulimit -n \(limit) && exec \"$0\" \(line)", folder.path)
            #expect(statuses.contains(run.status), "\(limit): \(run.status) \(run.messages)")
        }
    }

    /// A crash must not write card data from the memory to the disk. A limit of 0 would still pass the core to a
    /// program that collects cores.
    @Test func aCrashLeavesNoCore() throws {
        let process = try waitingForSound()
        let limits = try String(contentsOfFile: "/proc/\(process.identifier)/limits", encoding: .utf8)
        process.send(SIGTERM)
        process.end()
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        let limit = line.dropFirst("Max core file size".count).split(separator: " ").prefix(2)
        #expect(["0", "1"].contains(limit[0]) && limit[0] == limit[1])
    }

    /// Starts the command, which has read a swipe and waits for more sound.
    private func waitingForSound() throws -> SpawnedProcess {
        let input = Pipe()
        let output = Pipe()
        let process = try SpawnedProcess(
            ChildProcess.executable.path, ["decode", "--json", "--raw", "44100,s16,1", "-"], input: .pipe(input),
            output: .pipe(output))
        let folder = try TemporaryFolder()
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let sound = try folder.read("a.wav").dropFirst(44) + [UInt8](repeating: 0, count: 4 * 65_536)
        try input.fileHandleForWriting.write(contentsOf: Data(sound))
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        return process
    }
}
