import Testing

@testable import JackdawReaders

@Suite struct WaitingEventsTests {
    /// The program may never have taken all of them.
    @Test(arguments: [0, 1, 200]) func receivedEventsTakeNoMemory(behind: Int) {
        var waiting = WaitingEvents()
        for _ in 0..<behind { waiting.append(.ready) }
        for number in 0..<10_000 {
            waiting.append(.reported(.status("\(number)")))
            let event = waiting.next().map { "\($0)" }
            #expect(event == (number < behind ? "ready" : "status \(number - behind)"))
            #expect(waiting.count == behind)
            #expect(waiting.placeCount <= 2 * behind + 2)
        }
        for _ in 0..<behind { #expect(waiting.next() != nil) }
        #expect(waiting.next() == nil)
        #expect(waiting.placeCount == 0)
    }
}
