import JackdawReaders
import JackdawTransport

/// Any bytes as a transcript, which is read the same however it comes and written again as it was read; and as what a reader
/// sends, of which its family's mask keeps as many bytes.
@c(LLVMFuzzerTestOneInput)
public func fuzzTranscripts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 2 else { return 0 }
    let rest = Array(bytes.dropFirst(2))
    let step = 1 + Int(bytes[1])
    let families = ReaderFamily.all
    let choice = Int(bytes[0]) % (families.count + 1)
    if choice == families.count {
        read(rest, step: step)
    } else if let mask = try? families[choice].makeMask(families[choice].simulatedProfile) {
        check(mask, rest, step: step)
    }
    return 0
}

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
