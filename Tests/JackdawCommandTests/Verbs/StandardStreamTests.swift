import Foundation
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Standard input and output that cannot be read or written: one line that names the stream, and an exit code.
@Suite struct StandardStreamTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["decode", "demodulate", "inspect", "bench"])
    func standardInputThatIsNoSoundIsNamed(verb: String) throws {
        for (source, words, status) in [
            ("/dev/null", "is a device, not a sound file", Int32(66)), ("/", "is a directory, not a sound file", 66),
            (try folder.write([], to: "empty"), "is empty", 65),
        ] {
            let run = try ChildProcess([verb, "-"], from: source)
            #expect(run.messages == "jackdaw: standard input: \(words)\n")
            #expect(run.status == status)
            #expect(run.output.isEmpty)
        }
    }

    @Test func bytesThatCannotBeReadAreAnInputOutputError() throws {
        let run = try ChildProcess(["modulate", "--mode", "v21", "-o", folder("a.wav")], from: "/")
        #expect(run.status == 74)
        #expect(run.messages.hasPrefix("jackdaw: standard input: cannot be read ("), "\(run.messages)")
        #expect(folder.names.isEmpty)
    }

    /// Without a precaution the output file would become standard input, and be read.
    @Test func closedStandardInputIsAnInputOutputError() throws {
        let run = try ChildProcess(shell: "\"$0\" modulate --mode v21 -o \"$1\" <&-", folder("a.wav"))
        #expect(run.status == 74)
        #expect(run.messages.hasPrefix("jackdaw: standard input: cannot be read ("), "\(run.messages)")
        #expect(folder.names.isEmpty)
    }

    /// Without a precaution the recording would become standard output, and receive the results.
    @Test func closedStandardOutputIsAnInputOutputErrorAndInNoRecording() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = try ChildProcess(
            shell: "\"$0\" listen --link \"wav:$1\" --record \"$2\" --json >&-", folder("a.wav"), folder("b.wav"))
        #expect(run.status == 74)
        #expect(run.messages.hasSuffix("standard output: cannot be written (Bad file descriptor)\n"), "\(run.messages)")
        let recording = try folder.read("b.wav")
        #expect(!String(decoding: recording, as: UTF8.self).contains("\"file\""))
        #expect(CommandRun("decode", folder("b.wav")).lines.first?.hasSuffix("service code 101, source sound") == true)
        // A closed standard error makes no difference.
        let whole = try ChildProcess(
            shell: "\"$0\" listen --link \"wav:$1\" --record \"$2\" 2>&-", folder("a.wav"), folder("c.wav"))
        #expect(whole.status == 0)
        #expect(!whole.output.isEmpty)
        #expect(CommandRun("decode", folder("c.wav")).status == 0)
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
        arguments: [["--help"], ["--version"], ["decode", "--help"], ["--generate-completion-script", "bash"]])
    func helpForAFullDiskIsAnInputOutputError(arguments: [String]) throws {
        let run = try ChildProcess(arguments, to: "/dev/full")
        #expect(run.status == 74)
        #expect(run.messages == "jackdaw: standard output: cannot be written (No space left on device)\n")
    }

    /// Whether a process waits in the system call `poll` or `ppoll`.
    private static func waitsInPoll(_ process: SpawnedProcess) -> Bool {
        let call = try? String(contentsOfFile: "/proc/\(process.identifier)/syscall", encoding: .utf8)
        let number = call?.split(separator: " ").first.flatMap { Int($0) }
        #if arch(x86_64)
        return [7, 271].contains(number)
        #else
        return number == 73
        #endif
    }

    /// A read or a write of a non-blocking pipe passes only the bytes that are available or fit.
    @Test(.timeLimit(.minutes(30))) func pipesThatDoNotBlockAreWaitedFor() throws {
        func stopBlocking(_ handle: FileHandle, _ room: Int32 = 0) {
            _ = fcntl(handle.fileDescriptor, F_SETFL, fcntl(handle.fileDescriptor, F_GETFL) | O_NONBLOCK)
            // F_SETPIPE_SZ of Linux.
            if room > 0 { _ = fcntl(handle.fileDescriptor, 1031, room) }
        }
        let output = Pipe()
        stopBlocking(output.fileHandleForWriting, 4_096)
        let script = ["--generate-completion-script", "bash"]
        let writing = try SpawnedProcess(ChildProcess.executable.path, script, output: .pipe(output))
        let written = try output.fileHandleForReading.readToEnd()
        #expect(writing.end() == .exit(0))
        #expect(try written.map { Array($0) } == ChildProcess(script).output)

        let input = Pipe()
        stopBlocking(input.fileHandleForReading)
        let reading = try SpawnedProcess(
            ChildProcess.executable.path, ["modulate", "--mode", "v21", "-o", folder("a.wav")], input: .pipe(input))
        // Until the command has found nothing to read and waits, or has ended.
        while !Self.waitsInPoll(reading), reading.isRunning { sched_yield() }
        try input.fileHandleForWriting.write(contentsOf: Data("hello".utf8))
        try input.fileHandleForWriting.close()
        #expect(reading.end() == .exit(0))
        #expect(CommandRun("demodulate", "--mode", "v21", folder("a.wav")).output == "hello")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
    func standardOutputThatIsFullIsNamed() throws {
        for arguments in [["synth", "-o", "-"], ["modulate", "--mode", "v21", "-o", "-"]] {
            let run = try ChildProcess(arguments, input: [1, 2, 3], to: "/dev/full")
            #expect(run.status == 74)
            #expect(run.messages == "jackdaw: standard output: cannot be written (No space left on device)\n")
        }
        try ModemSound.write([1, 2, 3], "v21", to: folder("a.wav"))
        for arguments in [
            ["demodulate", "--mode", "v21"], ["demodulate", "--mode", "v21", "--json"], ["inspect"],
        ] {
            let run = try ChildProcess(arguments + [folder("a.wav")], to: "/dev/full")
            #expect(run.status == 74)
            #expect(
                run.messages.hasSuffix("jackdaw: standard output: cannot be written (No space left on device)\n"),
                "\(run.messages)")
        }
        // The work is cancelled because of the full disk, which is no interrupt by the user.
        #expect(try ChildProcess(["listen", "--link", "sim:miura"], input: [], to: "/dev/full").status == 74)
    }

    @Test(arguments: ["decode", "demodulate", "inspect"])
    func aWrongPartOfARawFormatIsNamed(verb: String) {
        for (text, words) in [
            ("44100,s16", "2 of 3 parts"), ("44k,s16,1", "the rate '44k'"), ("44100,u8,1", "the encoding 'u8'"),
            ("44100,s16,mono", "the number of channels 'mono'"), ("44100,s16,0", "0 channels"),
            ("4410,s16,1", "4410.0 Hz"),
        ] {
            let run = CommandRun(verb, "--raw", text, "a.raw")
            #expect(run.status == 64)
            #expect(run.messages.contains(words), "\(run.messages)")
            // The message also lists the accepted values.
            #expect(run.messages.contains("RATE,s16|s24|s32|f32|f64,CHANNELS"))
        }
    }

    @Test func anUnknownFramingListsTheKnownOnes() {
        let run = CommandRun("demodulate", "--framing", "9N1", "a.wav")
        #expect(run.status == 64)
        #expect(run.messages.contains("'9N1'"))
        #expect(run.messages.contains("Data bits (5 to 8), parity (N, E, O) and stop bits (1, 1.5, 2)"))
    }
}
