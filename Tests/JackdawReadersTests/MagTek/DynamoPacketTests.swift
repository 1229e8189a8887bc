import JackdawReaders
import JackdawTestSupport
import Testing

/// Packets of uDynamo readers and the messages in them, made from what was reported.
@Suite struct DynamoPacketTests {
    private let message = (0..<600).map { UInt8($0 % 251) }

    @Test func framesAreCutHoweverTheyCome() {
        let packets = DynamoPacketFormat.packets(of: message, from: 15, size: 250) + [hex("A9 03 02 10 20 22")]
        let short = DynamoPacketFormat.packets(of: Array("01".utf8))
        verify(DynamoPacketFormat(), frames: short + packets, garbage: [0xF0, 0xF0, 0x55, 0])
    }

    @Test func aPacketIsMade() {
        // 99 + 00 + 01 + 31 and 35 are 100.
        #expect(DynamoPacketFormat.packets(of: [0x31]) == [hex("99 00 01 31 35")])
        #expect(
            DynamoPacketFormat.packets(of: [1, 2, 3], from: 15, size: 2).map { $0.prefix(3) } == [
                hex("69 0F 02")[...], hex("99 00 01")[...],
            ])
        #expect(DynamoPacketFormat.packets(of: []) == [hex("99 00 00 67")])
    }

    @Test func wrongPacketsAreReportedWithTheirPlace() {
        expectFault(.check, at: 4, "36", "35") {
            try DynamoPacketFormat().check(hex("99 00 01 31 36"))
        }
        expectFault(.field, at: 1, "16", "0", "15") {
            try DynamoPacketFormat().check(hex("99 10 01 31 25"))
        }
    }

    /// Messages of packets, and what is wrong with them.
    private func join(_ packets: [[UInt8]], most: Int = 4096) -> (messages: [[UInt8]], faults: [JoiningFault]) {
        var joiner = DynamoMessageJoiner(greatestMessage: most)
        var messages: [[UInt8]] = []
        var faults: [JoiningFault] = []
        for packet in packets {
            do throws(JoiningFault) {
                try joiner.receive(packet.span) { bytes in messages.append(bytes.indices.map { bytes[$0] }) }
            } catch {
                faults.append(error)
            }
        }
        return (messages, faults)
    }

    @Test func messagesAreJoined() {
        for size in [1, 100, 255] {
            let packets = DynamoPacketFormat.packets(of: message, from: 9, size: size)
            let joined = join(packets + DynamoPacketFormat.packets(of: [7]) + packets)
            #expect(joined.messages == [message, [7], message])
            #expect(joined.faults.isEmpty)
        }
    }

    @Test func lostPacketsAreReportedOnce() {
        let packets = DynamoPacketFormat.packets(of: message, from: 14, size: 100)
        var missing = packets
        missing.remove(at: 2)
        #expect(join(missing + packets).faults == [.missing(0)])
        #expect(join(missing + packets).messages == [message])
        var repeated = packets
        repeated.insert(packets[1], at: 1)
        #expect(join(repeated + packets).faults == [.repeated(15)])
        #expect(join(repeated + packets).messages == [message])
        var endless = packets
        endless.remove(at: 4)
        // The end itself shows that something is missing: what follows is another message.
        #expect(join(endless + packets).faults == [.missing(2)])
        #expect(join(endless + packets).messages == [message])
        #expect(join(packets + [packets[5]], most: 599).faults == [.tooLong(most: 599)])
        #expect(join(packets + [packets[5]], most: 599).messages == [Array(message.suffix(100))])
    }

    /// What fuzzing found: after a packet of number 255 the next number was 256, which a byte does not hold.
    @Test func aNumberThatNoPacketHasLosesTheMessage() {
        let end = DynamoPacketFormat.packets(of: [7])
        #expect(join([hex("69 FF 01 10 87"), hex("69 00 01 10 86")] + end + end).faults == [.impossible(255)])
        #expect(join([hex("69 FF 01 10 87"), hex("69 00 01 10 86")] + end + end).messages == [[7]])
        #expect(join([hex("99 10 01 10 46")] + end).faults == [.impossible(16)])
        #expect(join([hex("99 10 01 10 46")] + end).messages == [[7]])
    }
}
