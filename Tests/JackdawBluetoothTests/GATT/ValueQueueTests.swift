import Testing

@testable import JackdawBluetooth

/// The ring of values that wait to be received.
@Suite struct ValueQueueTests {
    @Test func valuesComeInOrderAndMoreThanFitIsRefused() {
        var queue = ValueQueue(capacity: 3)
        // More than once around.
        for start in UInt8(0)..<10 {
            for number in start..<start + 3 { #expect(queue.append([number]) == true) }
            #expect(queue.append([99]) == false)
            for number in start..<start + 3 { #expect(queue.next() == [number]) }
            #expect(queue.next() == nil)
            // From another place each time.
            #expect(queue.append([start]) == true)
            #expect(queue.next() == [start])
        }
    }

    @Test func removedValuesAreFreed() {
        var queue = ValueQueue(capacity: 2)
        weak var first: WipedBytes?
        weak var second: WipedBytes?
        do {
            let values: [WipedBytes] = [[1], [2]]
            (first, second) = (values[0], values[1])
            for value in values { #expect(queue.append(value) == true) }
        }
        _ = queue.next()
        #expect(first == nil)
        #expect(second == [2])
        queue.removeAll()
        #expect(second == nil)
        #expect(queue.isEmpty)
    }
}
