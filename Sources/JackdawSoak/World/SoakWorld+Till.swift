import Accept
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator

// The till: the desk with its effects, the disk, the readers, kills and restarts.

extension SoakWorld {
    /// Hands an event to the desk.
    func send(_ event: DeskEvent) {
        guard let effects = desk?.receive(event, at: tillTime, on: date) else { return }
        recordSteps()
        carryOut(effects)
    }

    /// Carries out effects in their order, until the till is killed.
    func carryOut(_ effects: [DeskEffect]) {
        let started = process
        for effect in effects {
            guard process == started, checker.violation == nil else { return }
            carryOut(effect)
        }
    }

    private func carryOut(_ effect: DeskEffect) {
        let number = effect.identifier
        switch effect.action {
        case .mintIdentifier:
            guard !isKilled(at: .minting) else { return }
            queue.add(.minted(effect: number, process: process), at: now + wait(0...2))
        case .lookUp(let attempt, let sale):
            guard !isKilled(at: .lookingUp) else { return }
            queue.add(.lookUp(effect: number, attempt, sale, process: process), at: now + wait(1...5))
        case .write(let record): write(record, number)
        case .ask(let request): ask(request, number)
        case .reader(let attempt, let task, let octets): read(attempt, task, octets)
        case .accepted(let call, let report):
            guard !isKilled(at: .beforeReport) else { return }
            note("accepted call \(call): \(report.attempt) \(report.state.rawValue)")
            let entry = calls.removeValue(forKey: call)
            checker.check(report, call: entry?.request, disk)
            if !answer(.accepted(report), toCall: call), let entry { accepted(entry.sale, report) }
            _ = isKilled(at: .afterReport)
        case .refused(let call, let refusal):
            guard !isKilled(at: .beforeReport) else { return }
            note("refused call \(call): \(refusal)")
            let entry = calls.removeValue(forKey: call)
            if !answer(.refused(refusal), toCall: call), let entry { refused(entry.sale, refusal) }
        case .report(let report):
            guard !isKilled(at: .beforeReport) else { return }
            note("report \(report.attempt) \(report.state.rawValue) \(report.outcome?.rawValue ?? "")")
            checker.check(report, disk)
            checkCard(report)
            pay(.report(report), report.attempt)
            reported(report)
            hear(report)
            _ = isKilled(at: .afterReport)
        case .ignored: note("ignored")
        }
    }

    /// Keeps the steps of payment flows, if the history is kept.
    private func recordSteps() {
        guard options.keepsHistory, let steps = desk?.flowSteps, !steps.isEmpty else { return }
        desk?.flowSteps = []
        for step in steps { recordings.add(step, at: tillTime) }
    }

    // MARK: identifiers and the disk

    func mint(_ effect: Int) {
        send(.minted(newIdentifier(), effect: effect))
    }

    func newIdentifier() -> AttemptIdentifier {
        let text = identifiers.next().sixteenDigits + identifiers.next().sixteenDigits
        guard let attempt = AttemptIdentifier(rawValue: text) else { preconditionFailure("no identifier") }
        return attempt
    }

    func lookUp(_ effect: Int, _ attempt: AttemptIdentifier, _ sale: SaleIdentifier?) {
        guard take(.lookUpFails) == nil else { return send(.lookUpFailed(effect: effect)) }
        send(.found(disk.records(of: attempt, sale), effect: effect))
    }

    private func write(_ record: AttemptRecord, _ effect: Int) {
        guard !isKilled(at: .beforeWrite) else { return }
        lastWrite += 1
        var write = Write(number: lastWrite, effect: effect, record: record)
        if diskFullUntil > now || take(.writeFails) != nil {
            (write.fails, write.isDurable) = (true, false)
        } else if take(.writeFailsDurable) != nil {
            write.fails = true
        }
        var time = wait(1...15, number(of: record.request.sale))
        if let fault = take(.writeSlow) { time += .milliseconds(100 * fault.size) }
        writes.append(write)
        queue.add(.write(write.number, process: process), at: now + time)
        _ = isKilled(at: .duringWrite)
    }

    func finishWrite(_ number: Int) {
        guard let index = writes.firstIndex(where: { $0.number == number }) else { return }
        let write = writes.remove(at: index)
        keep(write)
        guard !isKilled(at: .afterWrite) else { return }
        send(write.fails ? .writeFailed(effect: write.effect) : .written(effect: write.effect))
        _ = isKilled(at: .afterWritten)
    }

    private func keep(_ write: Write) {
        note(
            "write \(write.record.identifier) \(write.record.state.rawValue)"
                + (write.fails ? (write.isDurable ? " fails, durable" : " fails") : ""))
        guard write.isDurable else { return }
        disk.write(write.record)
        checker.note(write.record, host)
        checker.check(write.record, host, isLate: true)
    }

    // MARK: kills and restarts

    /// Whether the till is killed here.
    func isKilled(at point: SoakFault.Point) -> Bool {
        guard !armed.isEmpty, let fault = take(.crash, at: point) else { return false }
        kill(fault)
        return true
    }

    func kill(_ fault: SoakFault) { kill(size: fault.size) }

    /// Kills the till's program. Of the writes under way some are done. It starts again after 2 s, and 0.1 s times `size`.
    func kill(size: Int) {
        guard desk != nil else { return }
        note("kill")
        for var write in writes {
            write.isDurable = write.isDurable && random.happens(50)
            keep(write)
        }
        writes = []
        desk = nil
        process += 1
        (requests, exchanges, calls, operations) = ([:], [:], [:], [])
        for entry in stations { giveBack(entry.station, entry.card) }
        stations = []
        checker.restart()
        for number in merchants.keys { merchants[number]?.call = nil }
        queue.add(.tillStarts(process: process), at: now + .seconds(2) + .milliseconds(100 * size))
    }

    func startTill() {
        note("start")
        session = AcceptSession(.ofSandbox)
        var fresh = newDesk()
        do throws(JournalError) {
            let needed = try disk.neededRecords()
            let effects = fresh.start(with: needed, at: tillTime, on: date)
            desk = fresh
            recordSteps()
            carryOut(effects)
        } catch { checker.fail(.unreadable, nil, error.message) }
    }

    // MARK: readers and cards

    private func read(_ attempt: AttemptIdentifier, _ effect: PaymentEffect, _ octets: HTTPBody) {
        guard !isKilled(at: .beforeReader) else { return }
        note("reader \(attempt) \(effect.action.name)")
        checker.check(reader: attempt, disk)
        if effect.action == .prepare, !stations.contains(where: { $0.attempt == attempt }) { openStation(attempt) }
        pay(.task(effect, forCard: octets), attempt)
        if let fault = take(.unplugReader) {
            queue.add(.unplug(attempt, process: process), at: now + .milliseconds(4 * fault.size))
        }
        if let fault = take(.cancel) {
            queue.add(.person(attempt, .cancel, process: process), at: now + .milliseconds(4 * fault.size))
        }
        _ = isKilled(at: .afterReader)
    }

    // MARK: the payments of Accept

    /// Hands an event to Accept's payment of an attempt, and carries its effects out, until the till is killed.
    func pay(_ event: AcceptPayEvent, _ attempt: AttemptIdentifier) {
        guard let index = stations.firstIndex(where: { $0.attempt == attempt }) else { return }
        let started = process
        for effect in stations[index].pay.receive(event) {
            guard process == started, checker.violation == nil else { return }
            carryOut(effect, attempt)
        }
    }

    private func carryOut(_ effect: AcceptPayEffect, _ attempt: AttemptIdentifier) {
        let sale = disk[attempt].flatMap { number(of: $0.request.sale) }
        func answer(_ event: AcceptPayEvent, in range: ClosedRange<Int>) {
            queue.add(.person(attempt, event, process: process), at: now + wait(range, sale))
        }
        switch effect {
        case .progress(let step): note("step \(attempt) \(step)")
        case .carryOut(let effect, let forCard):
            guard let station = stations.first(where: { $0.attempt == attempt })?.station else { return }
            follow(station.carryOut(effect, forCard, at: now), attempt)
        case .choose(let index):
            guard let station = stations.first(where: { $0.attempt == attempt })?.station else { return }
            follow(station.choose(index, at: now), attempt)
        case .send(let event, let answered, let sealed):
            send(.payment(attempt, event, answering: answered, sealed: sealed))
        case .askSignature(_, _, _, let request):
            let isRefused = sale.flatMap { merchants[$0] }?.plan.signsWrongly == true
            answer(.signature(isRefused ? nil : [1], request: request), in: 1000...9000)
        case .askVerification(let request): answer(.verification(.approved, request: request), in: 500...3000)
        case .askApplication(_, let request): answer(.application(0, request: request), in: 500...3000)
        case .cancelled(let isDone): note("cancellation \(attempt) \(isDone ? "done" : "refused")")
        case .sendDecline(let sealed): sendDecline(sealed, attempt)
        case .end(let report, let error, let signature):
            note("end \(attempt) \(error?.code.name ?? "approved")")
            checker.check(report, error)
            closeStation(attempt)
            guard error == nil, !signature.isEmpty, let sale = disk[attempt]?.request.sale else { return }
            lastCall += 1
            send(.sign(attempt, of: sale, HTTPBody(copying: signature.span), call: lastCall))
        }
    }

    func unplug(_ attempt: AttemptIdentifier) {
        guard let station = stations.first(where: { $0.attempt == attempt })?.station else { return }
        note("unplug \(attempt)")
        follow(station.unplug(at: now), attempt)
    }

    /// Has events of a terminal follow at once.
    func follow(_ events: [AcceptTerminalEvent], _ attempt: AttemptIdentifier) {
        for event in events { queue.add(.station(attempt, event, process: process), at: now) }
    }

    func take(_ event: AcceptTerminalEvent, _ attempt: AttemptIdentifier) {
        if case .payment(let event, _, _) = event { note("event \(attempt) \(event.rawValue)") }
        pay(.terminal(event), attempt)
    }

    private func openStation(_ attempt: AttemptIdentifier) {
        guard let record = disk[attempt], let sale = number(of: record.request.sale), let plan = merchants[sale]?.plan
        else { return }
        let amount = record.request.amount.minorUnits
        // The days of cards are those of the till's wall clock, which may be wrong by hours.
        var transaction = KernelTransaction(
            amount: amount, currency: [0x09, 0x78], type: .purchase, date: Self.cardDate)
        let isOfflineAllowed = desk?.allowsOffline(attempt) == true
        transaction.isOnlineForced = !isOfflineAllowed
        guard plan.way != .swipe, let (number, card) = cards.take(from: sale) else {
            let stripe = transaction.objects(ofStripe: SoakCards.stripe(sale % SoakCards.count))
            open(attempt, SwipeStation(stripe, delay: wait(1000...9000, sale)), nil, [.swipe])
            return
        }
        let parts = ReaderTillParts(
            settings: SoakCards.settings(isOfflineAllowed: isOfflineAllowed, seed: merchants[sale]?.random.next() ?? 0),
            reference: "soak", transaction: transaction, card: card, payer: SoakCards.payer(plan), issuer: freshIssuer)
        let cryptography = SoakCryptography()
        let faults = plan.readerFault.map { [$0] } ?? []
        let station: any Station =
            switch plan.way {
            case .posmate:
                ReaderStation(
                    EPOSPayment(transaction, ReaderTillParts.eposValues), transaction, parts.posmate(cryptography),
                    ReaderTillParts.eposValues.wire.format, faults)
            case .emvswiper:
                ReaderStation(
                    BBPOSPayment(transaction, ReaderTillParts.bbposValues), transaction, parts.emvswiper(cryptography),
                    ReaderTillParts.bbposValues.wire.format, faults)
            default:
                ReaderStation(
                    MiuraPayment(transaction), transaction, parts.miura(cryptography), MiuraFormat(.answer), faults)
            }
        open(attempt, station, number, [.chip, .swipe])
    }

    private func open(
        _ attempt: AttemptIdentifier, _ station: any Station, _ card: Int?, _ entries: Set<CardEntry>
    ) {
        let pay = AcceptPayMachine(exclusion: nil, entries: entries)
        stations.append(OpenStation(attempt: attempt, station: station, card: card, pay: pay))
    }

    private static let cardDate: CardDate = {
        guard let date = CardDate(year: 2026, month: 1, day: 15) else { preconditionFailure("not a date") }
        return date
    }()

    private func closeStation(_ attempt: AttemptIdentifier) {
        guard let index = stations.firstIndex(where: { $0.attempt == attempt }) else { return }
        let entry = stations.remove(at: index)
        giveBack(entry.station, entry.card)
    }

    private func giveBack(_ station: any Station, _ number: Int?) {
        if let number, let card = station.card { cards.giveBack(card, number) }
    }

    /// A chip card that paid has approved.
    private func checkCard(_ report: AttemptReport) {
        guard report.outcome?.isApproved == true, disk[report.attempt]?.flow?.entry == .chip,
            let station = stations.first(where: { $0.attempt == report.attempt })?.station
        else { return }
        if station.cryptogram != .tc {
            checker.fail(
                .cardDisagrees, report.attempt,
                "approved, and the card's cryptogram is \(String(describing: station.cryptogram))")
        }
    }
}
