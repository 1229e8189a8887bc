import JackdawLinux
import JackdawReaders
import JackdawTransport
import Testing

/// A sound card with a reader in its jack, opened by name; ALSA's null plug-in stands in for the card.
@Suite(.timeLimit(.minutes(30)))
struct AudioReaderLinkTests {
    private static func sound() throws -> ReaderSound {
        let family = try #require(ReaderFamily.named("unimag"))
        return try #require(try family.makeSound())
    }

    @Test func aCardIsOpenedPlayedToAndClosed() async throws {
        let link = try await LinuxDevices.connect(LinkName(.alsa, "null"), sound: try Self.sound())
        try await link.setPower(.connecting)
        try await link.send([0x02, 0x52, 0x22, 0x03, 0x71])
        await link.close()
        await #expect(throws: LinkError.self) { _ = try await link.receive { _ in } }
        await #expect(throws: LinkError.self) { try await link.setPower(.connected) }
    }

    @Test func linksWithoutASoundCardAreRefused() async throws {
        await #expect(throws: LinkError.self) {
            _ = try await LinuxDevices.connect(LinkName(.tcp, "localhost:1"), sound: try Self.sound())
        }
        await #expect(throws: LinkError.self) {
            _ = try await LinuxDevices.connect(LinkName(.alsa, "hw:nonexistent"), sound: try Self.sound())
        }
    }
}
