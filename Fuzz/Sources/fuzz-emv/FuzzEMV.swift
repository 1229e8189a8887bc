import JackdawEMV

/// Any octets as what a card sends: every parser must end in an error that points into them, or in a value that keeps to its
/// limits, and a selection must end whatever the card answers.
@c(LLVMFuzzerTestOneInput)
public func fuzzEMV(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    checkOffset(octets) { () throws(DataObjectError) in try checkObjects(octets) }
    checkOffset(octets) { () throws(DataObjectError) in
        let list = try DataObjectList(octets.span)
        let built = list.build { $0.rawValue % 2 == 0 ? SecretOctets(octets) : nil }
        precondition(built.count == list.valueCount, "the values do not have the lengths of the list")
        precondition(list.entries.reduce(0) { $0 + $1.tag.count + 1 } == octets.count, "the list has other entries")
    }
    checkOffset(octets) { () throws(DataObjectError) in
        let records = try ApplicationFileLocator(octets.span).records
        precondition(records.allSatisfy { (1...30).contains($0.file) && (1...255).contains($0.number) }, "no record")
    }
    checkOffset(octets) { () throws(DataObjectError) in _ = try CardholderVerificationList(octets.span) }
    checkOffset(octets) { () throws(DataObjectError) in
        _ = try AnswerToReset(octets.span).rejection(checkingHistoricalOctets: true)
    }
    for index: UInt8 in 1...10 {
        guard let table = CodeTable(index) else { continue }
        checkOffset(octets) { () throws(DataObjectError) in _ = try table.text(octets.span) }
    }
    if let command = try? CardCommand(octets.span) { precondition(command.octets == octets, "another command") }
    if let answer = try? CardResponse(octets.span) { precondition(answer.octets == octets, "another answer") }
    _ = IssuerApplicationData(octets.span)
    checkSelection(octets)
    return 0
}

private func checkOffset(_ octets: [UInt8], _ body: () throws(DataObjectError) -> Void) {
    do throws(DataObjectError) {
        try body()
    } catch {
        precondition((0...octets.count).contains(error.offset), "an offset beyond the octets")
    }
}

/// Objects lie in their templates, and encode to octets that give the same objects.
private func checkObjects(_ octets: [UInt8]) throws(DataObjectError) {
    let objects = try TagLengthValue.list(octets.span)
    var open: [TagLengthValue] = []
    for object in objects {
        precondition(object.depth <= min(open.count, TagLengthValue.maxDepth), "an object outside its template")
        open.removeLast(open.count - object.depth)
        let outer = open.last?.value ?? 0..<octets.count
        precondition(outer.lowerBound <= object.start && object.value.upperBound <= outer.upperBound, "outside")
        open.append(object)
    }
    var builder = TagLengthValueBuilder()
    for object in objects where object.depth == 0 {
        builder.append(object.tag, octets.span.extracting(object.value))
    }
    let again = try TagLengthValue.list(builder.octets.span)
    precondition(again.map(\.tag) == objects.map(\.tag), "encoding gives other objects")
    var store = DataObjectStore()
    try store.add(octets.span)
    let explained = try ExplainedObject.explain(octets.span, isRevealing: octets.count % 2 == 0)
    precondition(explained.count == objects.count, "an object is not explained")
    for object in explained { _ = object.details }
}

/// Answers, each with its number of octets before it.
private func checkSelection(_ octets: [UInt8]) {
    guard
        let applications = try? [
            SupportedApplication([0xA0, 0, 0, 0, 3], allowsPartialName: true),
            SupportedApplication([0xA0, 0, 0, 0, 4, 0x10, 0x10], allowsPartialName: false),
        ]
    else { preconditionFailure("the identifiers are valid") }
    var selection = ApplicationSelection(applications, on: octets.first == 0 ? .contactless : .contact)
    var step = selection.start()
    var left = octets.dropFirst()
    var sent = 0
    while true {
        switch step {
        case .send:
            sent += 1
            precondition(sent < 1_000, "a selection without end")
            let count = Int(left.popFirst() ?? 0)
            let answer = Array(left.prefix(count))
            left = left.dropFirst(count)
            step = selection.receive((try? CardResponse(answer.span)) ?? CardResponse(status: .fileNotFound))
        case .choose: step = selection.choose(0)
        case .selected, .failed: return
        }
    }
}
