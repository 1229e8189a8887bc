import JackdawLinux
import JackdawReaders
import JackdawTransport

/// Reads cards at a link.
func read(at name: String) async throws {
    let link = try await LinuxDevices().connect(try LinkName(parsing: name))
    let session = ReaderSession(link, ExampleDialect())
    await session.perform(.connect)
    for await event in session.events {
        print(event)
        if case .ready = event { await session.perform(.requestSwipe(within: .seconds(20))) }
    }
}

/// Gives the driver the bytes of a conversation.
func rehearse() throws {
    let dialect = ExampleDialect()
    let version = try dialect.frames.frame([0x11] + Array("E0000001".utf8))
    let acknowledgement = try dialect.frames.frame([0x10])
    let swipe = try dialect.frames.frame([0x20] + Array(";4111111111111111=29121010000012300000?".utf8))
    var driver = ReaderDriver(dialect)
    var outputs = driver.perform(.connect, at: .zero)
    outputs += driver.receive(version.span, at: .milliseconds(100))
    outputs += driver.perform(.requestSwipe(within: .seconds(20)), at: .milliseconds(200))
    outputs += driver.receive(acknowledgement.span, at: .milliseconds(300))
    outputs += driver.receive(swipe.span, at: .seconds(2))
    for case .event(let event) in outputs { print(event) }
}

if CommandLine.arguments.count > 1 {
    try await read(at: CommandLine.arguments[1])
} else {
    try rehearse()
}
