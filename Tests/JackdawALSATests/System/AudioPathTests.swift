import Foundation
import Testing

@testable import JackdawALSA

/// What the threads of streams do beside waiting and moving sound, counted in a program of its own: a library takes the
/// place of the system's calls for memory and mutexes there.
@Suite(.enabled(if: isPossible, "it needs a C compiler, and glibc without a sanitizer's"))
struct AudioPathTests {
    /// What was counted (`Tests/Lab/audio_path.c`).
    private struct Count {
        let threads, polls, allocations, frees, locks, library: Int

        /// Lets a stream run on a device of silence, which needs no hardware.
        init(_ scene: String) throws {
            let files = try RecordingFiles()
            let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Lab/audio_path.c").path
            let compiler = try ChildProgram(
                "/usr/bin/cc", ["-shared", "-fPIC", "-O2", "-o", files.path + "/audio_path.so", source])
            try #require(compiler.wait() == 0)
            let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: "JackdawAudioPath").path
            let child = try ChildProgram(
                "/usr/bin/env",
                [
                    "LD_PRELOAD=\(files.path)/audio_path.so", "AUDIO_PATH_REPORT=\(files.path)/report", program, scene,
                    "null",
                ])
            try #require(child.wait() == 0)
            let report = try String(contentsOfFile: files.path + "/report", encoding: .utf8)
            // The second line: of the second stream, which finds all types known.
            let numbers = report.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) } ?? []
            try #require(numbers.count == 6)
            (threads, polls) = (numbers[0], numbers[1])
            (allocations, frees, locks, library) = (numbers[2], numbers[3], numbers[4], numbers[5])
        }
    }

    @Test(arguments: ["capture", "play"]) func theAudioPathNeitherAllocatesNorLocks(scene: String) throws {
        let count = try Count(scene)
        #expect(count.threads == 1)
        #expect(count.polls > 10)
        #expect(count.allocations == 0)
        #expect(count.frees == 0)
        #expect(count.locks == 0)
        // It is seen what others do: the library has a mutex for each device.
        #expect(count.library > 0)
    }

    @Test func aSourceThatAllocatesIsSeen() throws {
        let count = try Count("wasteful")
        #expect(count.allocations > 100)
        #expect(count.frees > 100)
    }
}

/// A sanitizer has calls for memory of its own.
private let isSanitized = unsafe dlsym(nil, "__sanitizer_print_stack_trace") != nil
private let isPossible = !isSanitized && FileManager.default.fileExists(atPath: "/usr/bin/cc")
