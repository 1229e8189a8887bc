// What the thread sanitizer reports of `Lock`, for .ci/thread-sanitizer, which compiles this file with the lock alone.
//   main ordered     Threads that pass objects to each other under a contended lock: no report.
//   main race        The same without the lock: a report.
//   main half        One thread holds the lock, and the other one does not: a report.
import Glibc

final class Cell: @unchecked Sendable { var number = 0 }

final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs bodies on threads of their own until all have ended.
func runThreads(_ bodies: [@Sendable () -> Void]) {
    var threads: [pthread_t] = []
    for body in bodies {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}

let rounds = 20_000
switch CommandLine.arguments.dropFirst().first {
case "ordered":
    let cells = Lock<[Cell]>([])
    runThreads(
        (0..<4).map { _ in
            {
                for _ in 0..<rounds {
                    let cell = Cell()
                    cell.number += 1
                    cells.withLock { $0.append(cell) }
                    cells.withLock { $0.popLast() }?.number += 1
                }
            }
        })
case "race":
    let cell = Cell()
    let body = { @Sendable in for _ in 0..<rounds { cell.number += 1 } }
    runThreads([body, body])
case "half":
    let (cell, lock) = (Cell(), Lock(0))
    runThreads([
        { for _ in 0..<rounds { lock.withLock { $0 += 1; cell.number += 1 } } },
        { for _ in 0..<rounds { cell.number += 1 } },
    ])
default: exit(2)
}
