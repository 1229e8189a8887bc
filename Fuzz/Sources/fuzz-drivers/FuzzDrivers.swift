import FuzzSupport
import JackdawReaders
import JackdawTransport

/// Gives a driver the events of the input: commands, bytes of a reader, time, the loss of the link. Without further
/// events it must become ready, off or lost, and no deadline may be in the past.
@c(LLVMFuzzerTestOneInput)
public func fuzzDrivers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 2 else { return 0 }
    let family = ReaderFamily.all[FuzzTarget.nearest(FuzzTarget.key(bytes), in: keys)]
    guard let dialect = try? family.makeDialect(family.simulatedProfile) else { preconditionFailure("no profile") }
    var driver = ReaderDriver(dialect)
    var now = Duration.zero
    var next = 2
    while next < bytes.count {
        let step = bytes[next]
        next += 1
        switch step {
        case 0x80...:
            // So many bytes of the reader.
            let end = min(bytes.count, next + Int(step & 0x7F))
            check(driver.receive(bytes.span.extracting(next..<end), at: now))
            next = end
        case 0x40...:
            if let deadline = driver.nextDeadline {
                precondition(deadline >= now, "a deadline that was passed over")
                now = deadline
            }
            check(driver.advance(to: now))
        case 0x20...:
            now += .milliseconds(Int(step) * 10)
            check(driver.advance(to: now))
        case 0x1F: check(driver.lose(nil))
        default: check(driver.perform(commands[Int(step) % commands.count], at: now))
        }
    }
    comeToRest(&driver)
    return 0
}

private let keys = ReaderFamily.all.map { FuzzTarget.key(of: $0.name) }

private let commands: [ReaderCommand] = [
    .connect, .requestSwipe(within: .seconds(3)), .cancel, .ask(.firmware), .ask(.battery), .ask(.settings),
    .set(ReaderSetting(0x4C, [0x31])), .powerDown,
]

/// No answers: the driver comes to rest.
private func comeToRest(_ driver: inout ReaderDriver) {
    for _ in 0..<200 {
        guard let deadline = driver.nextDeadline else { break }
        check(driver.advance(to: deadline))
    }
    let isAtRest = [ReaderState.off, .ready, .lost].contains(driver.state)
    precondition(isAtRest, "left alone it does not come to rest")
}

/// What is said of cards, noise and failures shows no run of 13 digits. A reader's own number may have as many.
private func check(_ outputs: [ReaderOutput]) {
    for case .event(let event) in outputs {
        switch event {
        case .connected, .answered, .reported: continue
        default: break
        }
        var digits = 0
        for character in "\(event)".utf8 {
            digits = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) ? digits + 1 : 0
            precondition(digits < 13, "a number in a description")
        }
    }
}
