import Foundation
import JackdawTransport
import Testing

@testable import JackdawSystem

/// Files of what is remembered: whole or not at all, for this user alone, one process at a time.
@Suite struct StateDirectoryTests {
    /// A directory that is removed with everything in it.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/jackdaw-state-" + UUID().uuidString
        deinit { try? FileManager.default.removeItem(atPath: path) }
        var content: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func savedFilesAreLoaded() throws {
        let folder = Folder()
        let directory = StateDirectory(folder.path + "/a/b")
        try directory.locked { () throws(LinkError) in
            #expect(try directory.load("x") == nil)
            try directory.save([1, 2], as: "x")
            try directory.save([3], as: "x")
            #expect(try directory.load("x") == [3])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/a/b").sorted() == ["lock", "x"])
        #expect(try Self.mode(folder.path + "/a/b/x") == 0o600)
        #expect(try Self.mode(folder.path + "/a/b") == 0o700)
        try directory.remove("x")
        try directory.remove("x")
        #expect(try directory.load("x") == nil)
    }

    @Test func theUsualPlaceFollowsTheSystem() {
        func path(_ user: uid_t, _ variables: [String: String]) -> String? {
            StateDirectory.standardPath(user: user) { variables[$0] }
        }
        #expect(path(1_000, ["HOME": "/home/a"]) == "/home/a/.local/state/jackdaw")
        #expect(path(1_000, ["HOME": "/home/a", "XDG_STATE_HOME": "/s"]) == "/s/jackdaw")
        #expect(path(1_000, ["HOME": "/home/a", "XDG_STATE_HOME": "s"]) == "/home/a/.local/state/jackdaw")
        #expect(path(0, ["HOME": "/root"]) == "/var/lib/jackdaw")
        #expect(path(0, ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/root"]) == "/var/lib/a")
        #expect(path(1_000, [:]) == nil)
        #expect(path(1_000, ["HOME": ""]) == nil)
    }

    /// A place that is no directory, as no rights bind root.
    @Test func aDirectoryThatCannotBeMadeThrows() throws {
        let error = #expect(throws: LinkError.self) { try StateDirectory("/dev/null/jackdaw").locked {} }
        #expect(error?.code == .system)
        #expect(error?.remedy?.contains("XDG_STATE_HOME") == true)
    }

    @Test func aLinkOrAPipeInThePlaceOfAFileIsRefused() throws {
        let folder = Folder()
        let directory = StateDirectory(folder.path)
        try directory.locked {}
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "/etc/passwd")
        #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
        for (name, code) in [("link", LinkError.Code.system), ("pipe", .notPermitted)] {
            let error = #expect(throws: LinkError.self) { try directory.load(name) }
            #expect(error?.code == code)
        }
        // A link is replaced and not followed.
        try directory.save([1], as: "link")
        #expect(try directory.load("link") == [1])
    }

    /// Of a huge file no more is read than is needed to see that it is too long.
    @Test func aHugeFileIsNotReadToItsEnd() throws {
        let folder = Folder()
        let directory = StateDirectory(folder.path)
        try directory.locked {}
        #expect(FileManager.default.createFile(atPath: folder.path + "/huge", contents: nil))
        #expect(unsafe truncate(folder.path + "/huge", 1 << 40) == 0)
        let bytes = try #require(try directory.load("huge"))
        #expect(bytes.count > StateDirectory.maxBytes && bytes.count <= StateDirectory.maxBytes + 4_096)
        let aside = try directory.setAside("huge")
        #expect(folder.content == ["huge.unreadable", "lock"])
        #expect(aside == folder.path + "/huge.unreadable")
    }

    /// Two threads stand for two processes: the lock belongs to an open file.
    @Test func oneProcessAtATime() throws {
        let folder = Folder()
        let directory = StateDirectory(folder.path)
        try directory.start("0")
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<25 {
                try? directory.locked { () throws(LinkError) in
                    let text = String(decoding: try directory.load("count") ?? [], as: UTF8.self)
                    try directory.save(Array("\((Int(text) ?? 0) + 1)".utf8), as: "count")
                }
            }
        }
        #expect(try directory.load("count") == Array("100".utf8))
    }
}

extension StateDirectory {
    fileprivate func start(_ text: String) throws {
        try locked { () throws(LinkError) in try save(Array(text.utf8), as: "count") }
    }
}
