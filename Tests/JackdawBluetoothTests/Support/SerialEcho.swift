import Glibc
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Sends bytes through a serial socket of the reader, which sends them back.
func serialEcho(by bluetooth: Bluetooth) async throws {
    let socket = try await bluetooth.serialSocket(Radio.reader, service: MockBlueZ.serialPort)
    let descriptor = try #require(socket.withDescriptor { $0 })
    let loop = try await bluetooth.client().bus.loop
    let (ready, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try loop.watch(descriptor, for: .reading) { _ in continuation.yield() }
    defer { loop.unwatch(watch) }
    let sent = Array("0123456789abcdef".utf8)
    let count = unsafe sent.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress!, $0.count, 0) }
    #expect(count == sent.count)
    var received: [UInt8] = []
    var iterator = ready.makeAsyncIterator()
    while received.count < sent.count {
        _ = await iterator.next()
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { received += buffer.prefix(count) }
    }
    #expect(received == sent)
}
