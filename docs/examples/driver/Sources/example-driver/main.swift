import JackdawLinux
import JackdawReaders
import JackdawTransport

// With the name of a link: reads cards at it. Without one: gives the driver the bytes of a conversation.
if CommandLine.arguments.count > 1 {
    let link = try await LinuxDevices().connect(try LinkName(parsing: CommandLine.arguments[1]))
    let session = ReaderSession(link, ExampleDialect())
    await session.perform(.connect)
    for await event in session.events {
        print(event)
        if case .ready = event { await session.perform(.requestSwipe(within: .seconds(20))) }
    }
} else {
    let dialect = ExampleDialect()
    var driver = ReaderDriver(dialect)
    var outputs = driver.perform(.connect, at: .zero)
    outputs += driver.receive(try dialect.frames.frame([0x11] + Array("E0000001".utf8)).span, at: .milliseconds(100))
    outputs += driver.perform(.requestSwipe(within: .seconds(20)), at: .milliseconds(200))
    outputs += driver.receive(try dialect.frames.frame([0x10]).span, at: .milliseconds(300))
    let track = Array(";4111111111111111=29121010000012300000?".utf8)
    outputs += driver.receive(try dialect.frames.frame([0x20] + track).span, at: .seconds(2))
    for case .event(let event) in outputs { print(event) }
}
