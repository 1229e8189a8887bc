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

    @Test("what is no name says what one begins with", arguments: ["", "hw", ":", "hw:1,0", "ALSA:default"])
    func wrong(_ text: String) {
        let error = #expect(throws: LinkError.self) { try LinkName(parsing: text) }
        #expect(error?.code == .badName)
        #expect(error?.code.exitStatus == 64)
        #expect(error?.description.contains("alsa:") == true)
    }

    @Test("a name without an address is none")
    func missingAddress() {
        let error = #expect(throws: LinkError.self) { try LinkName(parsing: "alsa:") }
        #expect(error?.code == .badName)
    }
}

@Suite("Errors of links")
struct LinkErrorTests {
    @Test("one line says what is wrong, why and what to do")
    func line() {
        let error = LinkError(
            .busy, link: "alsa:hw:1,0", "another program has it", remedy: "stop it", underlying: "Resource busy")
        #expect(error.description == "alsa:hw:1,0: another program has it (Resource busy); stop it")
        #expect(error.code.exitStatus == 69)
        #expect(error.code.name == "busy")
        #expect(LinkError(.system, link: "x", "failed").code.exitStatus == 74)
    }
}
