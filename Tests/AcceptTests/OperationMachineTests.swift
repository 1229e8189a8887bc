import JackdawEMV
import JackdawPayments
import Testing

@testable import Accept

/// The machine of operations on payments, event by event.
@Suite struct OperationMachineTests {
    private static let date = RecordedTime(seconds: 1_453_992_427, offset: 60)
    private static let sale = SaleIdentifier(rawValue: "sale")!

    /// The host's view of the payment A1 of 10.00 EUR, as the sandbox writes it.
    private static func view(_ state: String, booked: Int) -> AcceptOperationEvent {
        .answered(
            HTTPAnswer(
                status: 200,
                body: body(
                    #"{"unique_id":"A1","state":"\#(state)","amount":1000,"currency":"EUR","sandbox":{"booked":\#(booked)}}"#
                )))
    }

    private static func report(
        _ name: String, _ state: AttemptState, _ kind: AttemptKind = .purchase
    ) throws -> AttemptReport {
        let request = try AttemptRequest(
            sale: sale, kind: kind, amount: Amount(minorUnits: 300, currencyCode: 978))
        return AttemptReport(
            AttemptRecord(
                identifier: attempt(name), request: request, originalReference: nil, state: state, flow: nil,
                began: date, changed: date))
    }

    private func transaction(_ effect: AcceptOperationEffect) -> AcceptTransaction? {
        guard case .end(.success(let payment)) = effect else { return nil }
        return payment
    }

    /// Takes events, and returns the effect of the last one.
    private func take(
        _ events: [AcceptOperationEvent], _ machine: inout AcceptOperationMachine
    ) -> AcceptOperationEffect {
        var effect = machine.begin(at: .zero, on: Self.date)
        for event in events { effect = machine.receive(event, at: .zero, on: Self.date) }
        return effect
    }

    /// Begins an operation on A1, approved, whose identifier an earlier request for 3.00 has.
    private func find(
        _ identifier: String, _ kind: AttemptKind, booked: Int, _ machine: inout AcceptOperationMachine
    ) throws -> (request: AttemptRequest, effect: AcceptOperationEffect) {
        let request = try AttemptRequest(
            sale: Self.sale, kind: kind, amount: Amount(minorUnits: 300, currencyCode: 978))
        let effect = take(
            [
                Self.view("approved", booked: booked), .accepted(try Self.report("A1", .approved)),
                .found(AttemptRecord(attempt(identifier), request, on: Self.date)),
            ], &machine)
        return (request, effect)
    }

    /// The report of the card's results, which the host took, may be sent while the reversal begins.
    @Test func aLateReportOfTheApprovalDoesNotEndTheReversal() throws {
        var machine = AcceptOperationMachine(.reverse(hasJournal: true), on: attempt("A1"))
        let waiting = take(
            [
                .accepted(try Self.report("A1", .approved)), Self.view("approved", booked: 1000),
                .accepted(try Self.report("A1", .reversing)), .report(try Self.report("A1", .approved)),
            ], &machine)
        guard case .awaitReport(let name, let deadline) = waiting else {
            Issue.record("it has ended: \(waiting)")
            return
        }
        #expect(name == attempt("A1") && deadline == Accept.requestLimit)
        let read = machine.receive(.report(try Self.report("A1", .reversed)), at: .zero, on: Self.date)
        guard case .send(let request) = read else {
            Issue.record("the payment is not read")
            return
        }
        #expect(request.path == "/v3/payments/A1.json")
        let end = machine.receive(Self.view("reversed", booked: 0), at: .zero, on: Self.date)
        #expect(transaction(end)?.status == .reversed)
    }

    /// The money has moved, and an error would have the caller move it again.
    @Test func aBookedRefundIsDoneAlsoIfThePaymentCannotBeReadAfterIt() throws {
        for (amount, status, left) in [(300, AcceptTransactionStatus.approved, 700), (1000, .refunded, 0)] {
            var parameters = AcceptPaymentParameters()
            parameters.amount = AcceptHundredths(rawValue: Int64(amount))
            parameters.note = "wrong goods"
            var machine = AcceptOperationMachine(.refund(attempt("R1")), on: attempt("A1"), parameters)
            let end = take(
                [
                    Self.view("approved", booked: 1000), .accepted(try Self.report("A1", .approved)),
                    .accepted(try Self.report("R1", .asked, .refund(of: attempt("A1")))),
                    .report(try Self.report("R1", .approved, .refund(of: attempt("A1")))),
                    .unanswered(HTTPFailure(.unreachable, message: "")),
                ], &machine)
            let payment = try #require(transaction(end))
            #expect(payment.status == status)
            #expect(payment.bookedAmount == AcceptHundredths(rawValue: Int64(left)))
            #expect(payment.refunds.map(\.amount) == [AcceptHundredths(rawValue: Int64(amount))])
            #expect(payment.refunds.map(\.note) == ["wrong goods"])
        }
    }

    @Test func aBookedCaptureIsDoneAlsoIfThePaymentCannotBeReadAfterIt() throws {
        var parameters = AcceptPaymentParameters()
        parameters.amount = 800
        var machine = AcceptOperationMachine(.capture(attempt("C1")), on: attempt("A1"), parameters)
        let end = take(
            [
                Self.view("authorized", booked: 0), .accepted(try Self.report("A1", .approved)),
                .accepted(try Self.report("C1", .approved, .capture(of: attempt("A1")))),
                .answered(HTTPAnswer(status: 503, body: body(""))),
            ], &machine)
        let payment = try #require(transaction(end))
        #expect(payment.status == .approved && payment.bookedAmount == 800)
    }

    /// The host's view may have the part of the first call already, and counts it once.
    @Test func aRepeatedRefundIsCountedOnce() throws {
        for (amount, isRead) in [(300, false), (300, true), (nil, false)] as [(Int64?, Bool)] {
            var parameters = AcceptPaymentParameters()
            parameters.amount = amount.map { AcceptHundredths(rawValue: $0) }
            parameters.operationId = "R1"
            var machine = AcceptOperationMachine(.refund(attempt("R1")), on: attempt("A1"), parameters)
            let (request, begin) = try find("R1", .refund(of: attempt("A1")), booked: 700, &machine)
            guard case .begin(request, attempt("R1")) = begin else {
                Issue.record("another request: \(begin)")
                continue
            }
            _ = machine.receive(
                .accepted(try Self.report("R1", .approved, .refund(of: attempt("A1")))), at: .zero, on: Self.date)
            let end = machine.receive(
                isRead ? Self.view("approved", booked: 700) : .unanswered(HTTPFailure(.unreachable, message: "")),
                at: .zero, on: Self.date)
            #expect(transaction(end)?.bookedAmount == 700)
        }
    }

    @Test func theIdentifierOfACaptureIsNoneForARefund() throws {
        var parameters = AcceptPaymentParameters()
        parameters.operationId = "C1"
        var machine = AcceptOperationMachine(.refund(attempt("C1")), on: attempt("A1"), parameters)
        let (_, end) = try find("C1", .capture(of: attempt("A1")), booked: 1000, &machine)
        guard case .end(.failure(let error)) = end else {
            Issue.record("it goes on: \(end)")
            return
        }
        #expect(error.code == .identifierUsed)
    }

    /// After its limit the till goes on with the reversal, and the caller may ask for it again.
    @Test func aReversalThatIsNotOverInTimeIsLost() throws {
        for event in [AcceptOperationEvent.timer, .stopped(isCancelled: true), .stopped(isCancelled: false)] {
            var machine = AcceptOperationMachine(.reverse(hasJournal: true), on: attempt("A1"))
            let end = take(
                [
                    .accepted(try Self.report("A1", .approved)), Self.view("approved", booked: 1000),
                    .accepted(try Self.report("A1", .reversing)), event,
                ], &machine)
            guard case .end(.failure(let error)) = end else {
                Issue.record("it goes on: \(end)")
                return
            }
            #expect(error.code == .pay(.responseLost) && error.attempt == "A1")
        }
    }

    /// An SPm20's payment may be approved long after its begin.
    @Test func S1_71_theDayOfAReversalBeginsWithTheApproval() throws {
        var record = AttemptRecord(
            attempt("A1"),
            try AttemptRequest(
                sale: Self.sale, kind: .purchase, amount: Amount(minorUnits: 300, currencyCode: 978)), on: Self.date)
        record.state = .approved
        func isTooLate(_ seconds: Int64) -> Bool {
            var machine = AcceptOperationMachine(.reverseAtTerminal(record), on: attempt("A1"))
            let date = RecordedTime(seconds: Self.date.seconds + seconds, offset: 60)
            guard case .end(.failure(let error)) = machine.begin(at: .zero, on: date) else { return false }
            return error.code == .reversalTooLate
        }
        // A record of an earlier version of the program has the time of the begin alone.
        #expect(!isTooLate(86_399) && isTooLate(86_400))
        record.approved = RecordedTime(seconds: Self.date.seconds + 300, offset: 60)
        #expect(!isTooLate(86_699) && isTooLate(86_700))
    }

    /// An event that answers nothing ends the operation, and does not stop the program.
    @Test func anEventInAnyOtherStepIsAnError() {
        var machine = AcceptOperationMachine(.refund(attempt("R1")), on: attempt("A1"))
        for event in [AcceptOperationEvent.timer, .refused(DeskRefusal(.salePaid)), Self.view("approved", booked: 1)] {
            var other = machine
            guard case .end(.failure(let error)) = other.receive(event, at: .zero, on: nil) else {
                Issue.record("it was taken")
                continue
            }
            #expect(error.code == .notRunning)
        }
        _ = machine.begin(at: .zero, on: nil)
        guard case .end(.failure) = machine.receive(.timer, at: .zero, on: nil) else {
            Issue.record("it was taken")
            return
        }
    }
}
