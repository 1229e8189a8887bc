#if Payments
import Foundation
import JackdawConsole
import JackdawSandbox
import JackdawSystem
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// Files of users and merchants, as `--directory` takes them.
struct DirectoryFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Reads a file with some permissions.
    /// - Returns: the error's status and text, if there is one, and the number of messages.
    private func read(_ text: String, mode: Int) throws -> (failure: CommandError?, messages: Int) {
        let path = "\(folder.path)/directory.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        var messages = 0
        let console = Console(
            results: { _ throws(SystemFailure) in }, messages: { _ throws(SystemFailure) in messages += 1 },
            isWatched: false)
        do throws(CommandError) {
            _ = try SandboxVerb.read(directory: path, console)
            return (nil, messages)
        } catch { return (error, messages) }
    }

    @Test(arguments: [(0o600, false, 0), (0o644, false, 1), (0o620, true, 0), (0o602, true, 0)])
    func passwordsThatOthersCanChangeAreRefused(mode: Int, isRefused: Bool, messages: Int) throws {
        let result = try read(SandboxDirectory.readyText, mode: mode)
        #expect(result.failure?.status == (isRefused ? .noInput : nil))
        #expect(result.messages == messages)
    }

    @Test(arguments: [
        // The example of the documentation of passlib 1.7, passlib.hash.scrypt.
        ("$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E", true),
        ("$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iC", false),
        ("$2b$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m", false), ("swordfish", false),
    ])
    func hashesOfAnotherKindAreRefused(hash: String, isRead: Bool) throws {
        let plain = #""password": "till-2-password""#
        let text = SandboxDirectory.readyText.replacing(plain, with: #""password_hash": "\#(hash)""#)
        #expect(text != SandboxDirectory.readyText)
        let failure = try read(text, mode: 0o600).failure
        #expect(failure?.status == (isRead ? nil : .badData))
        #expect(isRead || failure?.message.contains("users[1].password_hash") == true)
        #expect(failure?.message.contains(hash) != true)
    }
}
#endif
