import Foundation
import Testing

@testable import JackdawALSA
import JackdawSystem

/// Jacks through libasound itself: with a control plug-in in place of a card, which the lab beside the project has.
@Suite struct LibraryControlTests {
    /// The plug-in's source, in a folder `shared` beside the project or above it.
    private static let plugin = sequence(first: URL(fileURLWithPath: #filePath)) { $0.deletingLastPathComponent() }
        .prefix { $0.path != "/" }
        .map { $0.appending(path: "shared/lab/alsa/ctl_jdsim.c").path }
        .first { FileManager.default.fileExists(atPath: $0) }

    @Test(.enabled(if: plugin != nil, "the lab's plug-ins are not here"))
    func plugsReachTheMonitorThroughTheLibrary() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "jackdaw-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let library = folder.appending(path: "libasound_module_ctl_jdsim.so").path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-shared", "-fPIC", "-DPIC", "-o", library, try #require(Self.plugin), "-lasound",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        let state = folder.appending(path: "jacks").path
        try Data("01".utf8).write(to: URL(fileURLWithPath: state))
        let configuration = folder.appending(path: "asoundrc").path
        try Data(
            """
            </usr/share/alsa/alsa.conf>
            ctl_type.jdsim { lib "\(library)" }
            ctl.jd { type jdsim state "\(state)" }
            """.utf8
        ).write(to: URL(fileURLWithPath: configuration))

        // The library reads its configuration from the environment, which all tests of a process have in common.
        await #expect(processExitsWith: .success) {
            [configuration = configuration as String, state = state as String] in
            unsafe setenv("ALSA_CONFIG_PATH", configuration, 1)
            let monitor = JackMonitor(
                link: "jd", sources: [try ElementJacks(try LibraryControl("jd"))], waiting: SystemWaiting())
            #expect(monitor.states.map(\.jack.name) == ["Mic", "Headphone"])
            #expect(monitor.states.map(\.jack.kind) == [.microphone, .headphone])
            #expect(monitor.states.map(\.isPlugged) == [false, true])
            for (text, story) in [("11", "+Mic"), ("10", "-Headphone")] {
                let file = unsafe open(state, O_WRONLY)
                #expect(unsafe write(file, text, 2) == 2)
                close(file)
                var names: [String] = []
                let hasCome = try monitor.receive(within: .seconds(30)) { event in
                    switch event {
                    case .attached(let jack, _): names.append("+\(jack)")
                    case .detached(let jack, _): names.append("-\(jack)")
                    case .gone: names.append("gone")
                    }
                }
                #expect(hasCome)
                #expect(names == [story])
            }
        }
    }

    /// What fails is told by this module, and nothing by the library.
    @Test func theLibraryPrintsNothing() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for name in ["hw:31", "nonsense", "hw:CARD=Nobody"] {
                #expect(throws: SystemFailure.self) { try LibraryControl(name) }
            }
        }
        #expect(String(decoding: result?.standardErrorContent ?? [1], as: UTF8.self) == "")
    }
}
