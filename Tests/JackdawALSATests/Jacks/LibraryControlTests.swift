import Foundation
import Testing

@testable import JackdawALSA
import JackdawSystem

/// Jacks through libasound itself: with a control plug-in in place of a card, which the lab beside the project has.
@Suite struct LibraryControlTests {
    @Test(
        .enabled(if: PlugIns.lab("ctl_jdsim.c") != nil, "the lab's plug-ins are not here"),
        .enabled(if: PlugIns.isPossible, "it needs a C compiler, and libasound2-dev for the plug-in"))
    func plugsReachTheMonitorThroughTheLibrary() async throws {
        let lab = try PlugIns([try #require(PlugIns.lab("ctl_jdsim.c"))]) {
            #"ctl.jd { type jdsim state "\#($0)/jacks" }"#
        }
        let state = lab.path + "/jacks"
        try Data("01".utf8).write(to: URL(filePath: state))

        await #expect(processExitsWith: .success) { [path = lab.path as String, state = state as String] in
            PlugIns.use(in: path)
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

    /// This module reports the failures, and the library prints nothing.
    @Test func theLibraryPrintsNothing() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for name in ["hw:31", "nonsense", "hw:CARD=Nobody"] {
                #expect(throws: SystemFailure.self) { try LibraryControl(name) }
            }
        }
        #expect(String(decoding: result?.standardErrorContent ?? [1], as: UTF8.self) == "")
    }
}
