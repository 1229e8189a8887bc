import Foundation
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// `jackdaw pay` runs another program.
struct PayProgramTests {
    @Test func theProgramIsBesideThisOneOrInThePath() {
        let paths = PayProgram.candidates(ownPath: "/opt/x/jackdaw", searchPath: "/usr/bin::bin:/bin")
        #expect(paths == ["/opt/x/jackdaw-pay", "/usr/bin/jackdaw-pay", "/bin/jackdaw-pay"])
        #expect(PayProgram.candidates(ownPath: nil, searchPath: nil).isEmpty)
    }

    @Test func itIsRunWithTheArguments() throws {
        let folder = try TemporaryFolder()
        let path = folder("jackdaw")
        try FileManager.default.copyItem(atPath: ChildProcess.executable.path, toPath: path)
        let program = URL(fileURLWithPath: path)
        let missing = try ChildProcess(["pay", "x"], environment: ["PATH": folder("none")], program: program)
        #expect(missing.status == 69)
        #expect(missing.output.isEmpty)
        let script = Array("#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n".utf8)
        try folder.write(script, to: "jackdaw-pay", mode: 0o700)
        let run = try ChildProcess(["pay", "--help", "a b"], program: program)
        #expect(run.status == 7)
        #expect(String(decoding: run.output, as: UTF8.self) == "--help\na b\n")
        try folder.write(script, to: "jackdaw-pay")
        #expect(try ChildProcess(["pay"], program: program).status == 69)
    }
}
