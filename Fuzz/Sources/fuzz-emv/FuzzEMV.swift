import JackdawEMV

/// Parses the input as data of a card, and has a card send it. Every parser must return a value within its limits, or
/// an error with a place in the input. A selection, a survey and both kernels must end, whatever the card answers.
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
    checkSurvey(octets)
    checkKernel(octets)
    checkContactlessKernel(octets)
    checkScripts(octets)
    checkTrace(octets)
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
        case .send(_, let identifier):
            sent += 1
            precondition(
                selection.receive(CardResponse(status: .success), to: identifier - 1).isIgnored, "a late answer counts")
            precondition(sent < 1_000, "a selection without end")
            step = selection.receive(nextAnswer(&left) ?? CardResponse(status: .fileNotFound), to: identifier)
        case .choose(_, let identifier): step = selection.choose(0, to: identifier)
        case .selected, .failed: return
        case .ignored: preconditionFailure("the answer is not late")
        }
    }
}

extension ApplicationSelection.Step {
    fileprivate var isIgnored: Bool { if case .ignored = self { true } else { false } }
}

/// Answers of a card to a survey, each with its number of octets before it. The survey ends.
private func checkSurvey(_ octets: [UInt8]) {
    var survey = CardSurvey(asksForCryptogram: octets.count % 2 == 0)
    var next = survey.start()
    var left = octets[...]
    var sent = 0
    while next != nil {
        sent += 1
        precondition(sent <= 600, "a survey without end")
        next = survey.receive(nextAnswer(&left) ?? CardResponse(status: .fileNotFound))
    }
    precondition(survey.applications.allSatisfy { (5...16).contains($0.count) }, "a name of another length")
    precondition(Set(survey.applications).count == survey.applications.count, "an application twice")
}

/// An answer of the card after its number of octets; nil if it is none.
private func nextAnswer(_ left: inout ArraySlice<UInt8>) -> CardResponse? {
    let count = Int(left.popFirst() ?? 0)
    let answer = Array(left.prefix(count))
    left = left.dropFirst(count)
    return try? CardResponse(answer.span)
}

/// A signature is its own text here, and every hash is zero: certificates that a fuzzer can find.
private struct OpenPrimitives: AuthenticationPrimitives {
    func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { block }
    func sha1(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
}

/// A terminal with a floor limit and a key, and a purchase.
private func terminal() -> (KernelConfiguration, KernelTransaction) {
    guard let date = CardDate(year: 2026, month: 1, day: 15) else { preconditionFailure("the date is valid") }
    var configuration = KernelConfiguration(
        type: TerminalType(rawValue: 0x22), capabilities: TerminalCapabilities(rawValue: 0xE0F8C8),
        additionalCapabilities: [.cash, .goods, .services], country: [0x05, 0x28], applicationVersion: [0x00, 0x96])
    configuration.limits = RiskLimits(floorLimit: 10_000, targetPercentage: 50)
    let key = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 48), exponent: [3])
    configuration.keys = AuthenticationKeys([
        CertificationAuthorityKey(provider: [0xA0, 0, 0, 0, 3], index: 1, key: key)
    ])
    return (configuration, KernelTransaction(amount: 1000, currency: [0x09, 0x78], type: .purchase, date: date))
}

/// Answers, each with its number of octets before it. The kernel ends, once, and has one effect open at most.
private func checkKernel(_ octets: [UInt8]) {
    let (configuration, transaction) = terminal()
    var application = DataObjectStore()
    application[0x84] = [0xA0, 0, 0, 0, 3, 0x10, 0x10]
    guard var kernel = try? ContactKernel(configuration, transaction, application: application, OpenPrimitives())
    else { preconditionFailure("the terminal and the transaction are valid") }
    var left = octets[...]
    var actions = kernel.start()[...]
    var outcomes = 0
    var identifier = 0
    while let action = actions.popFirst() {
        switch action {
        case .step: break
        case .finished: outcomes += 1
        case .effect(let effect):
            precondition(effect.identifier == identifier + 1, "an effect of another number")
            identifier = effect.identifier
            precondition(identifier < 500, "a kernel without end")
            actions += kernel.receive(answer(effect.task, &left), to: identifier)
        }
    }
    precondition(outcomes == 1, "a kernel with \(outcomes) outcomes")
    precondition(kernel.receive(.cardLost, to: identifier).count == 1, "an answer after the end")
}

/// Answers of a contactless card, each with its number of octets before it, to the kernel that the first octet chooses.
/// The kernel ends, once, and has one effect open at most; it approves only with a cryptogram, and never with a PIN
/// that the issuer must verify.
private func checkContactlessKernel(_ octets: [UInt8]) {
    var left = octets[...]
    let number = (left.popFirst() ?? 0) % 2 == 0 ? 2 : 3
    let (configuration, transaction) = terminal()
    var profile = ContactlessProfile()
    profile.limits.qualifiers = [.emvSupported, .contactChipSupported, .onlinePINSupported, .signatureSupported]
    profile.refused = []
    var application = DataObjectStore()
    application[0x84] = [0xA0, 0, 0, 0, 3, 0x10, 0x10]
    application[0x9F38] = [0x9F, 0x66, 0x04, 0x9F, 0x02, 0x06, 0x5F, 0x2A, 0x02, 0x9F, 0x37, 0x04]
    guard
        var kernel = try? ContactlessKernel(
            configuration, profile, transaction, kernel: number, application: application, OpenPrimitives())
    else { preconditionFailure("the terminal and the transaction are valid") }
    var actions = kernel.start()[...]
    var outcomes: [ContactlessOutcome] = []
    var identifier = 0
    while let action = actions.popFirst() {
        switch action {
        case .step: break
        case .finished(let outcome): outcomes.append(outcome)
        case .effect(let effect):
            precondition(effect.identifier == identifier + 1, "an effect of another number")
            identifier = effect.identifier
            precondition(identifier < 500, "a kernel without end")
            actions += kernel.receive(answer(effect.task, &left), to: identifier)
        }
    }
    precondition(outcomes.count == 1, "a kernel with \(outcomes.count) outcomes")
    for outcome in outcomes {
        precondition((outcome.online != nil) == (outcome.disposition == .onlineRequest), "no data for the issuer")
        guard outcome.disposition == .approved else { continue }
        precondition(outcome.dataRecord?.contains(0x9F26) == true, "approved without a cryptogram")
        precondition(outcome.verification != .onlinePIN, "approved with a PIN for the issuer")
    }
    precondition(kernel.receive(.cardLost, to: identifier).count == 1, "an answer after the end")
}

private func answer(_ task: KernelEffect.Task, _ left: inout ArraySlice<UInt8>) -> KernelAnswer {
    switch task {
    case .random(let count): return .random([UInt8](repeating: 1, count: count))
    case .enterPIN(let request):
        guard let first = left.popFirst(), first % 4 > 0 else { return .pinBypassed }
        return request.isOnline ? .onlinePINEntered : .pin(SecretOctets([1, 2, 3, 4]))
    case .authorise:
        guard let code = AuthorisationResponseCode([0x30, 0x30]) else { preconditionFailure("two octets") }
        let response = HostResponse(
            isApproved: left.count % 2 == 0, responseCode: code, authenticationData: Array(left.prefix(9)),
            scripts: Array(left))
        return .host(left.isEmpty ? .unknown : .answered(response))
    case .transmit: return nextAnswer(&left).map { .response($0) } ?? .cardLost
    }
}

/// Each script gives one result of five octets, whatever the card answers.
private func checkScripts(_ octets: [UInt8]) {
    let scripts = IssuerScript.scripts(in: octets.span)
    var results = 0
    for phase in [IssuerScript.Phase.beforeFinalCryptogram, .afterFinalCryptogram] {
        var run = IssuerScriptRun(scripts, phase)
        var words = octets[...]
        while run.next() != nil { run.receive(StatusWord(rawValue: UInt16(words.popFirst() ?? 0x90) << 8)) }
        precondition(run.results.allSatisfy { $0.octets.count == 5 }, "a result of another length")
        results += run.results.count
    }
    precondition(results == scripts.count, "a script without result")
}

/// The octets as the text of a trace: read in pieces of any size, it gives the same exchanges or the same error, and
/// each exchange is explained, with secrets left out and no more objects than there are octets.
private func checkTrace(_ octets: [UInt8]) {
    func read(_ size: Int) -> Result<[TraceExchange], TraceError> {
        var reader = TraceReader()
        var exchanges: [TraceExchange] = []
        do throws(TraceError) {
            for start in stride(from: 0, to: octets.count, by: size) {
                exchanges += try reader.receive(octets.span.extracting(start..<min(start + size, octets.count)))
            }
            return .success(try exchanges + reader.finish())
        } catch {
            return .failure(error)
        }
    }
    let whole = read(max(1, octets.count))
    precondition(whole == read(1 + octets.count % 7), "other pieces give other exchanges")
    guard case .success(let exchanges) = whole else { return }
    let key = RSAPublicKey(modulus: [UInt8](repeating: 1, count: 48), exponent: [3])
    let keys = AuthenticationKeys([CertificationAuthorityKey(provider: [0xA0, 0, 0, 0, 3], index: 1, key: key)])
    var explainer = TraceExplainer(OpenPrimitives(), keys: keys, isRevealing: octets.count % 2 == 0)
    for exchange in exchanges {
        let explained = explainer.explain(exchange)
        check(explained.command.data, exchange.command.octets.count)
        // An answer in parts has the data of all of them.
        if let answer = explained.answer { check(answer.data, octets.count) }
        if explained.command.name == "VERIFY" { precondition(explained.command.data.digits == nil, "a PIN is shown") }
    }
}

/// A value without octets has a tag and length in BER-TLV, and only a length in a list.
private func check(_ data: ExplainedData, _ count: Int) {
    precondition(data.objects.count <= count + 256, "more objects than octets")
    for explained in data.objects {
        precondition(explained.object.value.upperBound <= data.count, "an object outside the data")
    }
}
