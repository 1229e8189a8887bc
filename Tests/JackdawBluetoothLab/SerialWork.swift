import JackdawBluetooth
import JackdawTransport

/// What a reader with a serial port is tried with: channel 1 echoes, 2 sends, 3 drops the link. The same work as
/// `Tests/Lab/rfcomm_client.c`.
struct SerialWork: Sendable {
    private static let pumpSize = 256 * 1024
    private static let streamSize = 1024 * 1024
    private static let piece = 4096

    private let device: BluetoothAddress
    /// Whether channels 1 and 2 are the descriptors 3 and 4, as `Tests/Lab/serial_reader.c` leaves them.
    private let isConnected: Bool
    private let connector: RFCOMMConnector

    init(_ address: String) throws {
        isConnected = address == "sockets"
        guard let device = BluetoothAddress(isConnected ? "00:00:00:00:00:00" : address) else {
            throw Unexpected("\(address) is no address")
        }
        self.device = device
        connector = try RFCOMMConnector()
    }

    func run() async throws {
        if !isConnected { try await connectByName() }
        let link = try await open(1)
        try await withTaskExecutorPreference(link.executor) {
            try await measureLatency(link)
            try await receive()
            try await echo(link)
        }
        await link.close()
    }

    private func connectByName() async throws {
        let measured = Measured()
        let link = try await connector.connect(to: RFCOMMAddress(device: device), named: "Reader SPP")
        figure("connect-by-name", measured.milliseconds, "ms")
        guard link.link.description.hasSuffix("/1") else { throw Unexpected("found \(link.link), not channel 1") }
        await link.close()
    }

    /// A reader that goes away while it sends.
    func loseMidTransfer() async throws {
        let link = try await open(3)
        var count = 0
        do {
            while try await link.receive({ count += $0.count }) {}
            throw Unexpected("the link ended as if the reader had ended it")
        } catch let error as LinkError {
            guard error.code == .disconnected || error.code == .outOfRange else { throw error }
            print("serial-loss \(error.code.name) after \(count) bytes")
        }
        await link.close()
    }

    /// Opens, echoes and closes.
    func cycle() async throws -> AnyObject? {
        let link = try await connector.connect(to: RFCOMMAddress(device: device, channel: 1))
        try await link.send([1, 2, 3])
        var received: [UInt8] = []
        while received.count < 3, try await link.receive({ received.append($0) }) {}
        guard received == [1, 2, 3] else { throw Unexpected("the echo was \(received.count) bytes of something else") }
        await link.close()
        return link as AnyObject
    }

    private func open(_ channel: UInt8) async throws -> any Transport {
        let address = RFCOMMAddress(device: device, channel: channel)
        if isConnected { return try connector.adopt(Int32(channel) + 2, as: address) }
        let measured = Measured()
        let link = try await connector.connect(to: address)
        figure("connect\(channel)", measured.milliseconds, "ms")
        return link
    }

    private func measureLatency(_ link: any Transport) async throws {
        let bytes = Array("0123456789abcde\0".utf8)
        var times: [Double] = []
        let all = Measured()
        for _ in 0..<200 {
            let measured = Measured()
            try await link.send(bytes)
            var count = 0
            while count < bytes.count, try await link.receive({ count += $0.count }) {}
            times.append(measured.milliseconds)
        }
        let processed = all.processorMilliseconds
        figure("latency-median", times.quantile(0.5), "ms")
        figure("latency-95", times.quantile(0.95), "ms")
        figure("latency-processor", processed / Double(times.count) * 1000, "us")
    }

    private func receive() async throws {
        let link = try await open(2)
        let measured = Measured()
        var count = 0
        var isRight = true
        while count < Self.pumpSize {
            let more = try await link.receive { bytes in
                for index in bytes.indices where bytes[index] != UInt8(truncatingIfNeeded: count + index) {
                    isRight = false
                }
                count += bytes.count
            }
            guard more, isRight else { throw Unexpected("what was received is not what was sent, by byte \(count)") }
        }
        measured.tell("receive", bytes: Self.pumpSize)
        await link.close()
    }

    private func echo(_ link: any Transport) async throws {
        var noise: UInt32 = 2_463_534_242
        let sent = (0..<Self.streamSize).map { _ in
            noise ^= noise << 13
            noise ^= noise >> 17
            noise ^= noise << 5
            return UInt8(truncatingIfNeeded: noise)
        }
        let measured = Measured()
        async let sending: Void = send(sent, over: link)
        var count = 0
        var isRight = true
        while count < sent.count {
            let more = try await link.receive { bytes in
                for index in bytes.indices where bytes[index] != sent[count + index] { isRight = false }
                count += bytes.count
            }
            guard more, isRight else { throw Unexpected("the echo differs from what was sent, by byte \(count)") }
        }
        try await sending
        measured.tell("echo", bytes: sent.count)
    }

    private func send(_ bytes: [UInt8], over link: any Transport) async throws {
        for start in stride(from: 0, to: bytes.count, by: Self.piece) {
            try await link.send(Array(bytes[start..<min(start + Self.piece, bytes.count)]))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}
