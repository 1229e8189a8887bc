import Dispatch
import FuzzSupport
import JackdawReaders
import JackdawTransport
import Synchronization

/// Reads the input as a transcript: the same entries for every size of pieces, which are written as they were read, and
/// played back to the end. Masks the input as bytes of a reader: the mask must return as many bytes.
@c(LLVMFuzzerTestOneInput)
public func fuzzTranscripts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 3 else { return 0 }
    let rest = Array(bytes.dropFirst(3))
    let step = 1 + Int(bytes[2])
    let families = ReaderFamily.all
    let choice = FuzzTarget.nearest(FuzzTarget.key(bytes), in: keys)
    if choice == families.count {
        read(rest, step: step)
    } else if let mask = try? families[choice].makeMask(families[choice].simulatedProfile) {
        check(mask, rest, step: step)
    }
    return 0
}

private let keys = (ReaderFamily.all.map(\.name) + ["transcript"]).map { FuzzTarget.key(of: $0) }

/// What was read of a transcript.
private struct Reading: Equatable {
    var header: TranscriptHeader?
    var entries: [TranscriptEntry] = []
    var failure: TranscriptError?
}

private func read(_ bytes: [UInt8], step: Int) {
    let whole = reading(bytes, step: max(1, bytes.count))
    let pieces = reading(bytes, step: step)
    precondition(whole.header == pieces.header && whole.failure == pieces.failure, "read otherwise in pieces")
    guard whole.failure == nil, let header = whole.header else { return }
    precondition(whole == pieces, "read otherwise in pieces")
    let text = ([header.line] + whole.entries.map(\.line)).joined(separator: "\n") + "\n"
    precondition(reading(Array(text.utf8), step: step) == whole, "not read as it was written")
    let transcript = Transcript(header: header, entries: whole.entries)
    let isPlayed = DispatchSemaphore(value: 0)
    Task.detached {
        await repeatConversation(transcript)
        await listen(to: transcript)
        isPlayed.signal()
    }
    isPlayed.wait()
}

/// No time passes but that of the waits.
private final class LeapingClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Mutex(Duration.zero)
    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline.offset) }
    }
}

/// The program of the transcript: it sends the same again, and receives the same.
private func repeatConversation(_ transcript: Transcript) async {
    let isWhole = !transcript.entries.contains { if case .unsent = $0.event { true } else { false } }
    guard let link = try? LinkName(parsing: "replay:x"), isWhole else { return }
    let replay = ReplayTransport(transcript, link: link, clock: LeapingClock())
    for entry in transcript.entries {
        switch entry.event {
        case .sent(let bytes):
            do { try await replay.send(bytes.map { $0 ?? 0 }) } catch { preconditionFailure("not sent again") }
        case .received(let bytes):
            let received = try? await next(of: replay)
            precondition(received == bytes.map { $0 ?? UInt8(ascii: "*") }, "not received again")
        case .end:
            let received = try? await next(of: replay)
            precondition(received == [], "no end")
        case .lost:
            let received = try? await next(of: replay)
            precondition(received == nil, "no loss")
            return
        case .unsent, .endedSending, .closed: continue
        }
    }
    await replay.close()
}

/// A program that sends nothing: the replay ends all the same.
private func listen(to transcript: Transcript) async {
    guard let link = try? LinkName(parsing: "replay:x") else { return }
    let replay = ReplayTransport(transcript, link: link, clock: LeapingClock())
    while let bytes = try? await next(of: replay), !bytes.isEmpty {}
    await replay.close()
}

/// The next bytes; none at the end.
private func next(of replay: ReplayTransport) async throws(LinkError) -> [UInt8] {
    var next: [UInt8] = []
    _ = try await replay.receive { bytes in next = bytes.indices.map { bytes[$0] } }
    return next
}

private func reading(_ bytes: [UInt8], step: Int) -> Reading {
    var reader = TranscriptReader()
    var reading = Reading()
    do throws(TranscriptError) {
        for start in stride(from: 0, to: bytes.count, by: step) {
            reading.entries += try reader.receive(bytes.span.extracting(start..<min(start + step, bytes.count)))
        }
        reading.entries += try reader.finish()
    } catch {
        reading.failure = error
    }
    reading.header = reader.header
    return reading
}

/// No byte is lost or added, whatever is no frame.
private func check(_ mask: ReaderMask, _ bytes: [UInt8], step: Int) {
    var mask = mask
    var kept = 0
    for (number, start) in stride(from: 0, to: bytes.count, by: step).enumerated() {
        let piece = Array(bytes[start..<min(start + step, bytes.count)])
        if number % 8 == 7 { precondition(mask.maskMessages(piece, isSent: true).count == piece.count, "lost") }
        kept += mask.maskMessages(piece, isSent: false).count
        precondition(kept <= start + piece.count, "bytes are added")
    }
    kept += mask.finish(isSent: false).count
    precondition(kept == bytes.count, "bytes are lost")
}
