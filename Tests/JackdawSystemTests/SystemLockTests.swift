import JackdawSystem
import Testing

@Suite struct SystemLockTests {
    private struct Holder {
        let number = SystemLock("4111111111111111")
    }

    @Test func whatIsBehindALockIsNotPrinted() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        for text in [dumped, "\(holder)", String(reflecting: holder), "\(holder.number)"] {
            #expect(text.contains("SystemLock"))
            #expect(!text.contains("4111"))
        }
        #expect(holder.number.withLock { $0.count } == 16)
    }
}
