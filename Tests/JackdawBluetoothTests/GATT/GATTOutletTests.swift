import Glibc
import JackdawSystem
import Testing

@testable import JackdawBluetooth

/// Writing into a socket that may be full.
@Suite(.timeLimit(.minutes(30))) struct GATTOutletTests {
    private let loop: EventLoop
    private let outlet: GATTOutlet
    /// The other side.
    private let reader: BusDescriptor

    init() throws {
        var ends: [Int32] = [0, 0]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        loop = try EventLoop()
        outlet = GATTOutlet(AcquiredSocket(descriptor: BusDescriptor(owning: ends[0]), packetSize: 247), on: loop)
        reader = BusDescriptor(owning: ends[1])
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = reader.withDescriptor { unsafe recv($0, &buffer, buffer.count, Int32(MSG_DONTWAIT)) } ?? -1
        return count >= 0 ? Array(buffer.prefix(count)) : nil
    }

    private static func value(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }

    /// Writes values without end, and reports each.
    private func flood() -> (task: Task<SystemFailure, Never>, written: AsyncStream<Int>) {
        let (written, continuation) = AsyncStream.makeStream(of: Int.self)
        let task = Task { [outlet] in
            var number = 0
            while true {
                do throws(SystemFailure) {
                    try await outlet.write(WipedBytes(Self.value(number)))
                } catch {
                    continuation.finish()
                    return error
                }
                continuation.yield(number)
                number += 1
            }
        }
        return (task, written)
    }

    @Test func valuesWaitForRoomAndKeepTheirOrder() async throws {
        let (task, written) = flood()
        var iterator = written.makeAsyncIterator()
        var number = 0
        // More than any socket holds, so that it was full in between.
        while number < 5_000 {
            _ = await iterator.next()
            guard let value = read() else { continue }
            #expect(value == Self.value(number))
            number += 1
        }
        task.cancel()
        #expect(await task.value.code == ECANCELED)
    }

    @Test(arguments: [true, false]) func aWaitForRoomEndsAtCancellationAndClosing(_ isCancelled: Bool) async throws {
        let (task, written) = flood()
        var iterator = written.makeAsyncIterator()
        // A hundred at least fit everywhere.
        for _ in 0..<100 { _ = await iterator.next() }
        if isCancelled { task.cancel() } else { await outlet.close() }
        #expect(await task.value.code == (isCancelled ? ECANCELED : EPIPE))
    }

    @Test func theEndOfTheOtherSideIsAFailure() async throws {
        if let descriptor = reader.take() { close(descriptor) }
        await #expect(throws: SystemFailure(code: EPIPE)) { try await outlet.write([1]) }
    }
}
