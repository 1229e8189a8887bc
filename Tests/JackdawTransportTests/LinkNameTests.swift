import JackdawTransport
import Testing

@Suite("Names of links")
struct LinkNameTests {
    @Test("a name is a scheme and an address, which may hold colons itself")
    func parts() throws {
        let name = try LinkName(parsing: "alsa:hw:1,0")
        #expect(name.scheme == .alsa)
        #expect(name.address == "hw:1,0")
        #expect(name.description == "alsa:hw:1,0")
        #expect(try LinkName(parsing: "wav:a:b.wav") == LinkName(.wav, "a:b.wav"))
    }

    @Test("text that is no name is refused with an example", arguments: ["", "hw", ":", "hw:1,0", "ALSA:default"])
    func wrong(_ text: String) {
        let error = #expect(throws: LinkError.self) { try LinkName(parsing: text) }
        #expect(error?.code == .badName)
        #expect(error?.code.exitStatus == 64)
        #expect(error?.description.contains("alsa:") == true)
    }

    @Test(
        "each kind is read and printed again",
        arguments: [
            "tcp:reader.example:4000", "tcp:[::1]:4000", "pty:/dev/pts/3", "pty:/dev/ttyUSB0", "sim:unimag",
            "replay:a,b.txt", "rfcomm:AA:BB:CC:DD:EE:FF/1", "ble:AA:BB:CC:DD:EE:FF", "alsa:hw:1,0", "wav:a:b.wav",
            "pcsc:ACS ACR39U 00 00", "pcsc:0",
            "record:session.txt,tcp:[::1]:4000", "record:a b,pty:/dev/pts/3", "record:a:b,replay:c,d",
        ])
    func lossless(_ text: String) throws {
        let name = try LinkName(parsing: text)
        #expect(name.description == text)
        #expect(text.hasPrefix("\(name.scheme.rawValue):"))
        #expect(LinkName(name.scheme, name.address) == name)
        #expect((name.recording != nil) == text.hasPrefix("record:"))
    }

    @Test("a recording is a file, which ends at the first comma, and a link")
    func recording() throws {
        let inner = LinkName(.alsa, "hw:1,0")
        let name = LinkName(recording: inner, in: "out/session.txt")
        #expect(name.description == "record:out/session.txt,alsa:hw:1,0")
        #expect(name.recording?.file == "out/session.txt")
        #expect(name.recording?.link == inner)
        #expect(try LinkName(parsing: name.description) == name)
    }

    @Test(
        "an invalid recording is refused with the reason",
        arguments: [
            ("record:session.txt", "a comma and a link are missing"), ("record:,tcp:a:1", "file is missing"),
            ("record:session.txt,", "not the name of a link"), ("record:session.txt,hw:1", "unknown kind of link hw"),
            ("record:session.txt,tcp:", "a device is missing"),
            ("record:a,b,tcp:a:1", "unknown kind of link b,tcp"),
            ("record:a,record:b,tcp:a:1", "already a record link"),
            (String(repeating: "record:a,", count: 100_000), "already a record link"),
        ])
    func wrongRecording(_ text: String, _ message: String) {
        let error = #expect(throws: LinkError.self) { try LinkName(parsing: text) }
        #expect(error?.code == .badName)
        #expect(error?.message.contains(message) == true)
        #expect(error?.link == text)
        #expect(error?.remedy != nil)
    }

    @Test("a name without an address is refused")
    func missingAddress() {
        let error = #expect(throws: LinkError.self) { try LinkName(parsing: "alsa:") }
        #expect(error?.code == .badName)
    }
}

@Suite("Errors of links")
struct LinkErrorTests {
    @Test("a description is one line with the error, its cause and an action")
    func line() {
        let error = LinkError(
            .busy, link: "alsa:hw:1,0", "another program uses it", remedy: "stop it", underlying: "Resource busy")
        #expect(error.description == "alsa:hw:1,0: another program uses it (Resource busy); stop it")
        #expect(error.code.exitStatus == 69)
        #expect(error.code.name == "busy")
        #expect(LinkError(.system, link: "x", "failed").code.exitStatus == 74)
    }
}
