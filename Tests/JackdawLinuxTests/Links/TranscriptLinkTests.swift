import Foundation
import Glibc
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Transcripts in files, by the names of their links.
@Suite struct TranscriptLinkTests {
    private let devices = LinuxDevices()
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "transcripts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test(.timeLimit(.minutes(30))) func aSessionIsRecordedAndPlayedBack() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/session.txt"
        let listener = try TCPListener()
        // Twice: the second one is written over the first.
        for _ in 0..<2 {
            let link = try await devices.connect(
                LinkName(recording: listener.address.link, in: path), secrecy: .revealed)
            let far = try await listener.accept()
            try await link.send([1, 2, 3])
            #expect(try await far.received() == [1, 2, 3])
            try await far.send([0x34, 0x31])
            #expect(try await link.received() == [0x34, 0x31])
            await far.close()
            #expect(try await link.received() == nil)
            await link.close()
        }
        #expect(try mode(path) == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("jackdaw-transcript 1 revealed \(listener.address.link)\n"))
        #expect(text.split(separator: "\n").count == 5)
        let replay = try await devices.connect(LinkName(.replay, path))
        try await replay.send([1, 2, 3])
        #expect(try await replay.received() == [0x34, 0x31])
        #expect(try await replay.received() == nil)
    }

    @Test func transcriptsAreMaskedByDefault() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/session.txt"
        let listener = try TCPListener()
        let link = try await devices.connect(LinkName(recording: listener.address.link, in: path))
        try await link.send(Array("4111111111111111".utf8))
        await link.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("jackdaw-transcript 1 masked "))
        #expect(text.contains("> ** **"))
        // A byte, and no part of a time or of the port.
        #expect(!text.contains(" 31"))
        #expect(try mode(path) == 0o600)
    }

    /// A replay of a card is masked as the card is: a mask that knows no commands leaves a short PIN.
    @Test func aReplayedCardIsMaskedAsACardIs() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let command = hex("00 20 00 80 08 24 12 34 FF FF FF FF FF")
        let paths = (0..<4).map { "\(folder)/\($0).txt" }
        let dialogue = Transcript(
            header: TranscriptHeader(link: "pcsc:0", isMasked: false),
            entries: [
                TranscriptEntry(time: .zero, event: .sent(command)),
                TranscriptEntry(time: .zero, event: .received([0x90, 0x00])),
            ])
        try dialogue.text.write(toFile: paths[0], atomically: true, encoding: .utf8)
        // The third one is a replay of a replay in clear.
        for (source, target, secrecy) in [
            (0, 1, nil), (0, 2, TranscriptSecrecy.revealed), (2, 3, nil),
        ] as [(Int, Int, TranscriptSecrecy?)] {
            let name = LinkName(recording: LinkName(.replay, paths[source]), in: paths[target])
            let link = try await devices.connect(name, secrecy: secrecy)
            try await link.send(command)
            #expect(try await link.received() == [0x90, 0x00])
            await link.close()
        }
        for path in [paths[1], paths[3]] {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasPrefix("jackdaw-transcript 1 masked pcsc:0\n"))
            #expect(text.contains("> 00 20 00 80 08 ** ** ** ** ** ** ** **\n"))
            #expect(text.contains("< 90 00\n"))
        }
    }

    @Test(arguments: ["others may read it", "a link", "a folder", "a second name"])
    func noOtherFileIsWrittenOver(kind: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/there"
        let other = "\(folder)/other"
        let files = FileManager.default
        #expect(files.createFile(atPath: other, contents: Data("kept".utf8), attributes: [.posixPermissions: 0o600]))
        switch kind {
        case "others may read it":
            #expect(files.createFile(atPath: path, contents: Data("kept".utf8), attributes: [.posixPermissions: 0o644]))
        case "a link": try files.createSymbolicLink(atPath: path, withDestinationPath: other)
        case "a folder": try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: try files.linkItem(atPath: other, toPath: path)
        }
        let listener = try TCPListener()
        let error = await linkError {
            _ = try await devices.connect(LinkName(recording: listener.address.link, in: path), secrecy: .revealed)
        }
        #expect(error?.code == .notPermitted)
        #expect(error?.remedy != nil)
        if kind != "a folder" { #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept") }
    }

    @Test func invalidTranscriptsAreRefused() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/session.txt"
        #expect(await linkError { _ = try await devices.connect(LinkName(.replay, path)) }?.code == .notFound)
        try "jackdaw-transcript 1 masked a:b\n0.000000 > 4111\n".write(toFile: path, atomically: true, encoding: .utf8)
        let error = await linkError { _ = try await devices.connect(LinkName(.replay, path)) }
        #expect(error?.code == .unsupported)
        #expect(error?.underlying?.hasPrefix("line 2") == true)
        #expect(error?.description.contains("4111") == false)
        #expect(await linkError { _ = try await devices.connect(LinkName(.replay, folder)) }?.code == .unsupported)
        // The folder of a transcript that is not there.
        let listener = try TCPListener()
        let missing = LinkName(recording: listener.address.link, in: "\(folder)/none/session.txt")
        #expect(await linkError { _ = try await devices.connect(missing) }?.code == .notFound)
    }

    @Test func unknownFamiliesAndSoundLinksAreRefusedInTranscripts() async throws {
        for text in ["sim:nobody", "record:\(folder)/a,sim:nobody"] {
            let error = await linkError { _ = try await devices.connect(LinkName(parsing: text)) }
            #expect(error?.code == .notFound)
        }
        for text in ["record:\(folder)/a,alsa:default"] {
            let error = await linkError { _ = try await devices.connect(LinkName(parsing: text)) }
            #expect(error?.code == .unsupported)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/a"))
        #expect(throws: LinkError.self) { try devices.capture(LinkName(.tcp, "a:1")) }
        try FileManager.default.removeItem(atPath: folder)
    }
}
