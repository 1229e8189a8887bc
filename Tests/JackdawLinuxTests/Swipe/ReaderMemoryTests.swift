import Foundation
import JackdawReaders
import Testing

@testable import JackdawLinux

/// A folder that goes with its owner.
final class SwipeFolder {
    let path = FileManager.default.temporaryDirectory.path + "/jackdaw-swipe-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The files that are remembered in.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0 != "lock" }.sorted()
    }

    func memory(_ card: String = "PCH HDA Intel PCH at 0xf7f10000 irq 30") -> ReaderMemory? {
        ReaderMemory(.directory(path)) { card }
    }
}

/// What is remembered of a card.
@Suite struct ReaderMemoryTests {
    private let folder = SwipeFolder()

    @Test func aStoredFamilyIsLoaded() throws {
        let memory = try #require(folder.memory())
        #expect(memory.family() == nil)
        memory.remember("ips")
        memory.remember("unimag")
        #expect(memory.family() == "unimag")
        #expect(folder.memory("PCH HDA Intel PCH at 0xf7f20000 irq 31")?.family() == nil)
        #expect(folder.names == ["reader-PCH_HDA_Intel_PCH_at_0xf7f10000_irq_30"])
        let file = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(folder.names[0])")
        #expect(file[.posixPermissions] as? Int == 0o600)
        #expect(ReaderMemory(.none) { "PCH" } == nil)
    }

    @Test func damagedFilesHaveNoFamily() throws {
        let memory = try #require(folder.memory())
        memory.remember("unimag")
        let path = "\(folder.path)/\(folder.names[0])"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var damages = (0..<whole.count).map { Data(whole[..<$0]) }
        damages += (0..<whole.count).map { place in
            var data = whole
            data[place] ^= 0x10
            return data
        }
        damages += [whole + whole, Data(repeating: 0xFF, count: 5_000_000), Data([0])]
        damages += ["unimag", "jackdaw reader 1\nnosuch\n", "{}", "jackdaw reader 2\nunimag\n"].map { Data($0.utf8) }
        for data in damages {
            try data.write(to: URL(fileURLWithPath: path))
            #expect(memory.family() == nil)
        }
        memory.remember("unimag")
        #expect(memory.family() == "unimag")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(memory.family() == nil)
        memory.remember("unimag")
        try FileManager.default.removeItem(atPath: path)
        // Another's file in its place is not followed.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        #expect(memory.family() == nil)
    }

    @Test(arguments: [
        "../../../etc/passwd", "/", ".", "..", "", "a\nb\0c", String(repeating: "x", count: 100_000), "\u{202E}🙈",
        "a/b",
    ])
    func namesAreNoPaths(card: String) throws {
        let memory = try #require(folder.memory(card))
        memory.remember("unimag")
        #expect(memory.family() == "unimag")
        #expect(folder.names.count == 1)
        #expect(folder.names[0].hasPrefix("reader-"))
        #expect(folder.names[0].utf8.count < 100)
    }

    @Test func anUnwritableDirectoryStoresNoFamily() throws {
        let memory = try #require(ReaderMemory(.directory("/dev/null/jackdaw")) { "PCH" })
        memory.remember("unimag")
        #expect(memory.family() == nil)
    }
}
