import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Sends bytes through a serial port of the reader, which sends them back.
func serialEcho(by bluetooth: Bluetooth) async throws {
    let port = try await bluetooth.serialPort(Radio.reader)
    #expect(port.link.description == "rfcomm:F0:F1:F2:F3:F4:F5")
    let sent = Array("0123456789abcdef".utf8)
    try await port.send(sent)
    var received: [UInt8] = []
    while received.count < sent.count { received += try await next(port) ?? [] }
    #expect(received == sent)
    await port.close()
}
