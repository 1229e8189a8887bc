import JackdawReaders
import JackdawTestSupport
import Testing

@testable import JackdawSimulator

/// The bytes of a reader at a link.
@Suite struct LinkInputTests {
    /// A message of an SPm20, as docs/readers/jsonpos.md describes it: eight digits of length, a colon, an object, a line
    /// feed.
    private static let message = answer(256)

    private static func answer(_ count: Int) -> [UInt8] {
        let object = "{\"result\":\"" + String(repeating: "5413330089604111", count: count / 16) + "\"}"
        let length = String(object.utf8.count, radix: 16)
        return Array((String(repeating: "0", count: 8 - length.count) + length + ":\(object)\n").utf8)
    }

    @Test(arguments: [1, 7, 1_000]) func messagesAreWhole(_ size: Int) {
        var input = LinkInput(JSONPOSFormat())
        let stream = Self.message + [UInt8(ascii: "x")] + Self.answer(16)
        var messages: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            input.receive(Array(stream[start..<min(start + size, stream.count)])) { messages.append($0) }
        }
        #expect(messages == [Self.message, Self.answer(16)])
    }

    /// Neither the copy that is handed out nor a stored part of the message is left.
    @Test func messagesAreOverwritten() throws {
        var input = LinkInput(JSONPOSFormat())
        var address: UInt = 0
        var held: [UInt8] = []
        for part in [Self.message.prefix(100), Self.message.dropFirst(100)] {
            input.receive(Array(part)) { message in
                address = unsafe message.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                held = message.map { $0 ^ 0xFF }
            }
        }
        // Read before anything else uses the memory again; the allocator writes its own notes into it.
        let left = try processMemory(at: address, count: held.count)
        #expect(held.map { $0 ^ 0xFF } == Self.message)
        let isLeft = left.indices.contains { left[$0...].starts(with: Array("5413330089604111".utf8)) }
        #expect(!isLeft)
    }

    @Test func messagesForTheReaderAreTakenOnce() {
        var input = LinkInput(JSONPOSFormat())
        input.unsent = [[1], [2]]
        let taken = [input.takeTasks(), input.takeTasks()].map { tasks in
            tasks.map { task in if case .send(let message) = task { message } else { [] as [UInt8] } }
        }
        #expect(taken == [[[1], [2]], []])
    }
}
