import JackdawTestSupport
import Testing

@testable import JackdawBluetooth

/// Asking for records, and the answers that devices give.
@Suite struct ServiceSearchTests {
    @Test func theQuestionIsTheOneThatOthersAsk() {
        #expect(ServiceSearch(for: DiscoverySample.vendor).request == DiscoverySample.request)
    }

    @Test func theRecordsOfAnAnswer() throws {
        var search = ServiceSearch(for: .serialPort)
        guard case .done(let records) = try search.receive(DiscoverySample.response) else {
            Issue.record("it goes on")
            return
        }
        #expect(records.map(\.name) == ["Sim Reader", "Vendor"])
        #expect(records.map(\.channel) == [1, 5])
        #expect(records.map(\.handle) == [0x10001, 0x10002])
        #expect(records.map(\.classes) == [[.serialPort], [DiscoverySample.vendor, .serialPort]])
        #expect(records.map(\.browseGroups) == [[.publicBrowseRoot], [.publicBrowseRoot]])
        #expect(records.map(\.list.bytes).flatMap { $0 } == Array(DiscoverySample.lists.dropFirst(2)))
        #expect(ServiceDiscovery.channel(in: records, DiscoverySample.vendor) == 5)
        #expect(ServiceDiscovery.channel(in: records, .serialPort) == 1)
        #expect(ServiceDiscovery.channel(in: records, .serialPort, named: "Vendor") == 5)
        #expect(ServiceDiscovery.channel(in: records, .serialPort, named: "Nobody") == nil)
        #expect(ServiceDiscovery.channel(in: [], .serialPort) == nil)
    }

    private func answer(_ transaction: UInt16, _ part: some Collection<UInt8>, _ continuation: [UInt8]) -> [UInt8] {
        var parameters: [UInt8] = []
        parameters.appendBigEndian(UInt128(part.count), count: 2)
        parameters += part
        parameters.append(UInt8(continuation.count))
        parameters += continuation
        return DiscoveryPacket(.searchAttributeResponse, transaction: transaction, parameters).bytes
    }

    @Test func anAnswerInTwoPartsIsTheSameAtEverySplit() throws {
        let lists = DiscoverySample.lists
        var whole = ServiceSearch(for: .serialPort)
        let expected = try whole.receive(DiscoverySample.response)
        for split in 1..<lists.count {
            var search = ServiceSearch(for: .serialPort)
            let continuation = [UInt8](repeating: UInt8(split), count: 1 + split % 16)
            let step = try search.receive(answer(1, lists[..<split], continuation))
            // The same question again, with the next number and what the device wants to be reminded of.
            var again = ServiceSearch(for: .serialPort, transaction: 2).request
            again.removeLast()
            again[4] += UInt8(continuation.count)
            #expect(step == .send(again + [UInt8(continuation.count)] + continuation))
            #expect(try search.receive(answer(2, lists[split...], [])) == expected)
        }
    }

    @Test func anAnswerByteAfterByte() throws {
        let lists = DiscoverySample.lists
        var search = ServiceSearch(for: .serialPort, transaction: .max)
        for (index, byte) in lists.enumerated() {
            let transaction = UInt16.max &+ UInt16(index)
            let isLast = index == lists.count - 1
            let step = try search.receive(answer(transaction, [byte], isLast ? [] : [UInt8(index)]))
            guard isLast else { continue }
            guard case .done(let records) = step else {
                Issue.record("it goes on")
                return
            }
            #expect(records.count == 2)
        }
    }

    @Test func answersToOtherQuestionsAreWaitedOut() throws {
        var search = ServiceSearch(for: .serialPort, transaction: 7)
        #expect(try search.receive(DiscoverySample.response) == .wait)
        #expect(try search.receive(answer(7, [0x35, 0], [])) == .done([]))
    }

    @Test func errorResponsesThrow() {
        var search = ServiceSearch(for: .serialPort)
        #expect(throws: ServiceDiscoveryFault.refused(3)) { try search.receive([UInt8](hex: "01 0001 0002 0003")) }
    }

    @Test func endlessResponsesAreRefused() throws {
        var search = ServiceSearch(for: .serialPort)
        #expect(throws: ServiceDiscoveryFault.noProgress) { try search.receive(answer(1, [], [1])) }
        search = ServiceSearch(for: .serialPort)
        var transaction: UInt16 = 1
        let part = [UInt8](repeating: 0, count: 1_000)
        #expect(throws: ServiceDiscoveryFault.tooLong) {
            while true {
                _ = try search.receive(answer(transaction, part, [1]))
                transaction += 1
            }
        }
        #expect(Int(transaction) == ServiceSearch.maxBytes / part.count + 1)
    }

    @Test func truncatedResponsesAreRefused() {
        for count in 0..<DiscoverySample.response.count {
            var search = ServiceSearch(for: .serialPort)
            #expect(throws: ServiceDiscoveryFault.truncated) {
                try search.receive(Array(DiscoverySample.response[..<count]))
            }
        }
        var search = ServiceSearch(for: .serialPort)
        #expect(throws: ServiceDiscoveryFault.excess) { try search.receive(DiscoverySample.response + [0]) }
    }

    @Test(arguments: [
        ("06 0001 0000", ServiceDiscoveryFault.unexpected), ("05 0001 0000", .unexpected),
        ("01 0001 0001 00", .truncated),
        ("07 0001 0004 0001 00 00", .unexpected), ("07 0001 0007 0004 3502 0801 00", .unexpected),
        ("07 0001 0009 0006 3504 3502 0801 00", .unexpected), ("07 0001 0003 0000 00", .truncated),
        ("07 0001 0014 0000 11 0000000000000000000000000000000000", .unexpected),
        ("07 0001 0006 0003 3500 00 00", .excess),
    ])
    func malformedResponsesAreRefused(hex: String, fault: ServiceDiscoveryFault) {
        var search = ServiceSearch(for: .serialPort)
        #expect(throws: fault) { try search.receive([UInt8](hex: hex)) }
    }

    @Test func randomResponsesDoNotTrap() {
        var random = SeededRandom(seed: 5)
        var outcomes = [0, 0, 0]
        for round in 0..<100_000 {
            var bytes = DiscoverySample.response
            if round % 3 == 0 {
                bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in .random(in: 0...255, using: &random) }
                bytes = DiscoveryPacket(.searchAttributeResponse, transaction: 1, bytes).bytes
            } else {
                for _ in 0...Int.random(in: 0...3, using: &random) {
                    let index = Int.random(in: bytes.indices, using: &random)
                    bytes[index] = round % 3 == 1 ? .random(in: 0...255, using: &random) : bytes[index] ^ 1
                }
            }
            var search = ServiceSearch(for: .serialPort)
            do throws(ServiceDiscoveryFault) {
                switch try search.receive(bytes) {
                case .done(let records):
                    outcomes[0] += 1
                    for record in records {
                        _ = (record.classes, record.profiles, record.browseGroups, record.name, record.handle)
                        if let channel = record.channel, !RFCOMMAddress.channels.contains(channel) {
                            Issue.record("channel \(channel)")
                        }
                    }
                case .send, .wait: outcomes[1] += 1
                }
            } catch {
                outcomes[2] += 1
            }
        }
        // All ways were gone.
        #expect(outcomes.allSatisfy { $0 > 100 }, "\(outcomes)")
    }
}
