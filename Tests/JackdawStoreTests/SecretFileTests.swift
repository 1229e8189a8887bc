#if Payments
import Foundation
import JackdawCards
import Testing

@testable import JackdawStore

@Suite struct SecretFileTests {
    private let folder: JournalFolder

    init() throws { folder = try JournalFolder() }

    private var file: SecretFile { SecretFile(path: folder.path + "/secret") }

    private func make(_ text: String, _ permissions: Int = 0o600) throws {
        try? FileManager.default.removeItem(atPath: file.path)
        #expect(
            FileManager.default.createFile(
                atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: permissions]
            ))
    }

    private func secret(_ text: String) -> SecretText { SecretText(copying: Array(text.utf8).span) }

    private func code(_ body: () throws(SecretFileError) -> Void) -> SecretFileError.Code? {
        do throws(SecretFileError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func readingCode(_ file: SecretFile) -> SecretFileError.Code? {
        code { () throws(SecretFileError) in _ = try file.read() }
    }

    @Test(arguments: ["t0ken", "t0ken\n", "t0ken\r\n"])
    func theEndOfLineIsNoPartOfASecret(_ text: String) throws {
        try make(text)
        #expect(try file.read().revealedText() == "t0ken")
        try make(text, 0o400)
        #expect(try file.read().revealedText() == "t0ken")
    }

    @Test func aSecretIsWrittenAndReplaced() throws {
        for text in ["one", "", "another", String(repeating: "x", count: SecretFile.maxBytes)] {
            try file.write(secret(text))
            #expect(try file.read() == secret(text))
            let facts = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((facts[.posixPermissions] as? Int) == 0o600)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["secret"])
    }

    @Test func filesThatAreTooLargeOrMissing() throws {
        #expect(readingCode(file) == .missing)
        try make(String(repeating: "x", count: SecretFile.maxBytes + 1))
        #expect(readingCode(file) == .tooLarge)
        let long = secret(String(repeating: "x", count: SecretFile.maxBytes + 1))
        #expect(code { () throws(SecretFileError) in try file.write(long) } == .tooLarge)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o777, 0o620])
    func filesOfOthersAreRefused(_ permissions: Int) throws {
        try make("t0ken", permissions)
        #expect(readingCode(file) == .notPrivate)
        #expect(code { () throws(SecretFileError) in try file.write(secret("x")) } == .notPrivate)
    }

    @Test func linksFoldersAndPipesAreRefused() throws {
        try make("t0ken")
        let link = SecretFile(path: folder.path + "/link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.path)
        #expect(readingCode(link) == .notPrivate)
        #expect(code { () throws(SecretFileError) in try link.write(secret("x")) } == .notPrivate)
        try FileManager.default.removeItem(atPath: link.path)
        try FileManager.default.linkItem(atPath: file.path, toPath: link.path)
        #expect(readingCode(link) == .notPrivate)
        #expect(readingCode(SecretFile(path: folder.path)) == .notPrivate)
        let pipe = folder.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(readingCode(SecretFile(path: pipe)) == .notPrivate)
    }

    @Test func aLinkAtThePlaceOfTheNewFileIsNotFollowed() throws {
        let other = folder.path + "/other"
        #expect(FileManager.default.createFile(atPath: other, contents: Data("other".utf8)))
        try FileManager.default.createSymbolicLink(
            atPath: file.path + ".new", withDestinationPath: other)
        try file.write(secret("t0ken"))
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "other")
    }

    // systemd.exec(5), "Credentials": files in $CREDENTIALS_DIRECTORY, which belong to root or the service, mode 0400 or,
    // with an access list, 0440.
    @Test func credentialsOfSystemd() throws {
        try make("t0ken\n", 0o440)
        let credential = try SecretFile.credential("secret", in: folder.path)
        #expect(try credential.read().revealedText() == "t0ken")
        #expect(
            code { () throws(SecretFileError) in try credential.write(secret("x")) } == .notPrivate)
        try make("t0ken\n", 0o444)
        #expect(readingCode(credential) == .notPrivate)
        for name in ["", ".", "..", "a/b", "../secret", "a b", String(repeating: "a", count: 256)] {
            #expect(
                code { () throws(SecretFileError) in _ = try SecretFile.credential(name, in: folder.path)
                } == .missing)
        }
        #expect(
            code { () throws(SecretFileError) in _ = try SecretFile.credential("secret", in: nil) }
                == .missing)
    }
}
#endif
