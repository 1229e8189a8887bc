import JackdawTransport
import Testing

@Suite struct LockTests {
    private struct Holder {
        let number = Lock("4111111111111111")
    }

    private struct Failure: Error, Equatable { let code: Int }

    @Test func theValueUnderALockIsNotPrinted() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        for text in [dumped, "\(holder)", String(reflecting: holder), "\(holder.number)"] {
            #expect(text.contains("Lock"))
            #expect(!text.contains("4111"))
        }
        #expect(holder.number.withLock { $0.count } == 16)
    }

    @Test func tasksDoNotInterleaveUnderALock() async {
        let counts = Lock((started: 0, ended: 0))
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<1_000 {
                        counts.withLock { counts in
                            counts.started += 1
                            counts.ended = counts.started
                        }
                    }
                }
            }
        }
        #expect(counts.withLock { $0.started } == 8_000)
        #expect(counts.withLock { $0.ended } == 8_000)
    }

    @Test func aThrownErrorReleasesTheLock() {
        let lock = Lock(1)
        #expect(throws: Failure(code: 7)) {
            try lock.withLock { value throws(Failure) in
                value = 2
                throw Failure(code: 7)
            }
        }
        #expect(lock.withLock { $0 } == 2)
    }
}
