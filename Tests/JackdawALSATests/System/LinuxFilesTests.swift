import Foundation
import Testing

@testable import JackdawALSA
import JackdawSystem

/// The real file system is read as it is.
@Suite struct LinuxFilesTests {
    private let files = LinuxFiles()

    /// The kernel's own files report no size.
    @Test func filesOfTheKernelAreReadWhole() throws {
        let status = files.fields(of: "/proc/self/status")
        #expect(status["Pid"] == String(getpid()))
        #expect(files.line(of: "/proc/self/comm")?.contains("\n") == false)
        let table = try files.text(of: "/proc/self/maps")
        #expect(table.utf8.count > 4096)
    }

    @Test func unreadableFilesThrow() {
        #expect(throws: SystemFailure(code: ENOENT)) { try LinuxFiles().text(of: "/nonexistent") }
        #expect(throws: SystemFailure(code: EISDIR)) { try LinuxFiles().text(of: "/proc") }
        #expect(files.line(of: "/nonexistent") == nil)
        #expect(files.names(in: "/nonexistent").isEmpty)
    }

    @Test func foldersAreListedInOrder() {
        let names = files.names(in: "/proc/self")
        #expect(names.contains("status"))
        #expect(!names.contains("."))
        #expect(names == names.sorted())
    }

    @Test func filesMayBeOpenedOrAreMissing() {
        #expect(files.mayOpen("/dev/null") == true)
        #expect(files.mayOpen("/nonexistent") == nil)
        #expect(files.mayOpen("/dev/null/nonexistent") == nil)
    }

    @Test func theUserHasANumberAndAName() {
        let user = files.user
        #expect(user.number == geteuid())
        #expect(!user.name.isEmpty)
        #expect(user.number != 0 || user.name == "root")
    }

    /// A process is found by any of its threads.
    @Test func aThreadLeadsToItsProcess() throws {
        let thread = try #require(files.fields(of: "/proc/thread-self/status")["Pid"].flatMap { Int32($0) })
        let holder = DeviceHolder(thread: thread, files)
        #expect(holder.process == getpid())
        #expect(holder.name == files.line(of: "/proc/self/comm"))
        #expect(holder.user == getuid())
    }
}
