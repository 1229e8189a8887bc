import FuzzSupport
import Glibc
import JackdawReaders

/// Cuts the input into frames. A format must find the same frames for every size of pieces, account for each byte, hold
/// no more than one frame, and explain each frame that it finds.
///
/// The first two bytes name the target by its number (``FuzzTarget``), the third is the size of the pieces less one.
@c(LLVMFuzzerTestOneInput)
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count > 3 else { return 0 }
    let rest = Array(bytes.dropFirst(3))
    let key = FuzzTarget.key(bytes)
    switch targets[FuzzTarget.nearest(key, in: targets.map(\.key))].kind {
    case .stream(let format): check(rest, step: 1 + Int(bytes[2]), with: format)
    case .blocks: join(rest)
    case .messages: readMessage(rest)
    }
    return 0
}

/// With JACKDAW_FUZZ_LIST prints the names of the framers; with JACKDAW_FUZZ_SEEDS writes the seeds of the families'
/// frames into that folder.
@c(LLVMFuzzerInitialize)
public func initializeFuzzFrames(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    if unsafe getenv("JACKDAW_FUZZ_LIST") != nil {
        var printed: Set<String> = []
        for target in targets where printed.insert(target.framer).inserted { print(target.framer) }
        exit(0)
    }
    guard let folder = unsafe getenv("JACKDAW_FUZZ_SEEDS").map({ unsafe String(cString: $0) }) else { return 0 }
    for target in targets {
        for (number, seed) in target.seeds.enumerated() {
            write(FuzzTarget.bytes(of: target.key) + [6] + hexadecimal(seed), to: "\(folder)/\(target.name)-\(number)")
        }
    }
    exit(0)
}

private func write(_ bytes: [UInt8], to path: String) {
    guard let file = unsafe fopen(path, "wb") else { preconditionFailure("\(path) cannot be written") }
    unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
}

private func hexadecimal(_ digits: String) -> [UInt8] {
    let nibbles = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: nibbles.count - 1, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
}

/// What bytes are read as.
private enum Kind {
    case stream(any FrameFormat)
    case blocks, messages
}

/// Layouts that a profile may supply: one with each check, with lengths that count more or less.
private let layouts = [
    FrameLayout(start: [0x02], lengthSize: 2, counted: .content, check: .crc16, checked: .start, end: [0x03]),
    FrameLayout(
        start: [0xAA, 0x55], lengthSize: 1, counted: .everything, check: .longitudinal, checked: .length, end: []),
    FrameLayout(start: [0x10], lengthSize: 1, counted: .content, check: .sum, checked: .content, end: [0x10, 0x03]),
    FrameLayout(start: [0x55], lengthSize: 2, counted: .everything, check: .none, checked: .start, end: []),
]

/// What a stream is given to. Several targets of one framer differ in their number in the name.
private struct Target {
    let framer: String
    let name: String
    let kind: Kind
    var seeds: [String] = []
    var key: UInt16 { FuzzTarget.key(of: name) }
}

/// The frames of all registered families, then what belongs to none; or those that JACKDAW_FUZZ_FRAMER names.
private let targets: [Target] = {
    var all: [Target] = []
    for named in FrameProtocol.all {
        for kind in named.kinds {
            let framer = kind.name.isEmpty ? named.name : "\(named.name)-\(kind.name)"
            for (number, format) in kind.streams.enumerated() {
                all.append(
                    Target(
                        framer: framer, name: number == 0 ? framer : "\(framer)-\(number)", kind: .stream(format),
                        seeds: kind.seeds))
            }
        }
    }
    for (number, layout) in layouts.enumerated() {
        all.append(
            Target(
                framer: "layout", name: "layout-\(number)", kind: .stream(LayoutFormat(layout)),
                seeds: number == 1 ? ["AA55074901024D00"] : []))
    }
    all.append(Target(framer: "blocks", name: "blocks", kind: .blocks, seeds: ["030001020301030402FF02"]))
    all.append(Target(framer: "messages", name: "messages", kind: .messages, seeds: ["02010203"]))
    guard let framer = unsafe getenv("JACKDAW_FUZZ_FRAMER").map({ unsafe String(cString: $0) }) else { return all }
    let named = all.filter { $0.framer == framer }
    precondition(!named.isEmpty, "no framer is named \(framer)")
    return named
}()

/// Any bytes as notifications, each a length and so many bytes: what is joined is no longer than a message may be.
private func join(_ stream: [UInt8]) {
    var blocks = MagTekBlockJoiner(greatestPayload: 64)
    var packets = DynamoMessageJoiner(greatestMessage: 64)
    var start = 0
    while start < stream.count {
        let end = min(stream.count, start + 1 + Int(stream[start]))
        let part = stream.span.extracting(start + 1..<end)
        let take = { (message: Span<UInt8>) in precondition(message.count <= 64, "longer than a message may be") }
        try? blocks.receive(part, take)
        try? packets.receive(part, take)
        start = end
    }
}

/// Any bytes as a message of eDynamo, and as one that was not shortened yet.
private func readMessage(_ bytes: [UInt8]) {
    let shortened = MagTekRunLength.encode(bytes.span)
    guard let read = try? MagTekRunLength.decode(shortened.span, most: bytes.count), read == bytes else {
        preconditionFailure("not read as it was shortened")
    }
    let format = MagTekPayloadFormat()
    guard (try? format.check(bytes)) != nil else { return }
    var end = 0
    for field in format.fields(of: bytes, isRevealing: true) {
        precondition(field.range.lowerBound == end, "a gap between fields")
        end = field.range.upperBound
    }
    precondition(end == bytes.count, "bytes that no field explains")
}

/// What a stream was cut into.
private struct Cut: Equatable {
    var events: [FrameEvent] = []
    var frames: [[UInt8]] = []
}

private func check(_ stream: [UInt8], step: Int, with format: some FrameFormat) {
    let whole = cut(stream, step: max(1, stream.count), with: format)
    precondition(cut(stream, step: step, with: format) == whole, "cut otherwise where it comes in pieces")
    var next = 0
    var frames = whole.frames.makeIterator()
    for event in whole.events {
        switch event {
        case .frame(let first):
            precondition(first == next, "bytes are lost before a frame")
            next += frames.next()?.count ?? 0
        case .fault(let fault, let first):
            precondition(first == next && fault.offset >= 0 && !fault.message.isEmpty, "a fault without a place")
        case .skipped(let range):
            precondition(range.lowerBound == next && !range.isEmpty, "bytes are lost before others that are skipped")
            next = range.upperBound
        }
    }
    precondition(next == stream.count, "bytes are lost at the end")
    for frame in whole.frames {
        guard (try? format.check(frame)) != nil else { preconditionFailure("a frame that is none") }
        var end = 0
        for field in format.fields(of: frame, isRevealing: true) {
            precondition(field.range.lowerBound == end, "a gap between fields")
            end = field.range.upperBound
        }
        precondition(end == frame.count, "bytes that no field explains")
    }
}

private func cut(_ stream: [UInt8], step: Int, with format: some FrameFormat) -> Cut {
    var reader = FrameReader(format)
    var cut = Cut()
    let take = { (event: FrameEvent, bytes: Span<UInt8>) in
        cut.events.append(event)
        if case .frame = event { cut.frames.append(bytes.indices.map { bytes[$0] }) }
    }
    for start in stride(from: 0, to: stream.count, by: step) {
        reader.receive(stream.span.extracting(start..<min(start + step, stream.count)), take)
        precondition(reader.pendingCount <= format.greatestSize, "more is kept than a frame has")
    }
    reader.finish(take)
    return cut
}
