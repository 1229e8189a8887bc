import JackdawEMV
import JackdawPayments
import Testing

/// Payments that cards approve without the host.
@Suite struct OfflineTests {
    private let limits = OfflineLimits(currencyCode: 978, floor: 5000, count: 3, total: 10_000)

    @Test(arguments: [
        (UInt64(5000), [UInt64](), true), (5001, [], false), (4000, [3000, 3000], true), (4001, [3000, 3000], false),
        (1, [1, 1, 1], false), (1, [.max], false),
    ])
    func theLimitsAreInclusive(amount: UInt64, waiting: [UInt64], isAllowed: Bool) {
        #expect(limits.allow(euros(amount), beside: waiting.map { euros($0) }) == isAllowed)
    }

    @Test func otherCurrenciesAreNotApprovedOffline() {
        #expect(!limits.allow(Amount(minorUnits: 1, currencyCode: 756), beside: []))
        #expect(!OfflineLimits.none.allow(Amount(minorUnits: 0, currencyCode: 0), beside: []))
    }

    /// A payment whose first cryptogram is a TC.
    private func pay(_ till: inout TestTill, _ number: Int, _ amount: UInt64) throws {
        till.begin(try purchase("S\(number)", amount))
        till.answer(.prepared, "A\(number)")
        till.answer(.cardInserted, "A\(number)")
        till.answer(.firstTC, "A\(number)", sealed: "TC\(number)")
    }

    @Test func offlineApprovalsAreDeliveredAndCounted() throws {
        var till = TestTill(limits: limits)
        for number in 1...3 {
            try pay(&till, number, 1000)
            #expect(till.reports.last?.outcome == .approvedOffline)
        }
        // The fourth exceeds the number.
        try pay(&till, 4, 1000)
        #expect(till.state("A4") == .declined)
        #expect(till.reports.last?.outcome == .declinedOffline)
        // They count after a restart too.
        till.crash()
        try pay(&till, 1, 1000)
        #expect(till.takeRefusals() == [DeskRefusal(.salePaid, attempt("A1"))])
        for number in 1...3 {
            let advice = try till.takeAsk()
            #expect(advice.request.operation == .advise && advice.request.octets.text == "TC\(number)")
            till.send(.answered(.acknowledged, effect: advice.effect))
        }
        #expect(till.desk.courses.isEmpty)
        #expect(till.store.values.allSatisfy { $0.delivery == nil })
        #expect(till.store.values.filter { $0.state == .approved }.count == 3)
    }

    @Test func aTCWithoutTheHostIsADeclineIfTheLimitsDoNotAllowIt() throws {
        for (limits, state) in [(limits, AttemptState.approved), (OfflineLimits.none, .declined)] {
            var till = TestTill(limits: limits)
            let effect = try till.ask(chip: true)
            #expect(till.desk.allowsOffline(attempt("A1")) == (state == .approved))
            till.send(.unanswered(.unsent, effect: effect))
            #expect(till.task?.action == .completeCard(.unreachable))
            till.answer(.secondTC, sealed: "TC")
            #expect(till.state() == state)
            #expect(till.asks.map(\.request.operation) == (state == .approved ? [.advise] : []))
        }
    }

    @Test func aRefusedAdviceNeedsAPerson() throws {
        for answer in [HostReply.refused(ReasonText("too old")), .decline, .notFound] {
            var till = TestTill(limits: limits)
            try pay(&till, 1, 1000)
            till.send(.answered(answer, effect: try till.takeAsk().effect))
            #expect(till.state() == .needsAttention)
            #expect(till.desk.needingAttention.count == 1)
            till.wait(.seconds(10_000))
            #expect(till.asks.isEmpty)
            // The card's data is kept for a person who has it sent again, also after a restart.
            till.crash()
            till.send(.attend(attempt("A1"), .sendAgain, note: ReasonText("limit raised"), call: 7))
            #expect(till.accepted.map(\.report.state) == [.approved])
            let again = try till.takeAsk()
            #expect(again.request.operation == .advise && again.request.octets.text == "TC1")
            till.send(.answered(.acknowledged, effect: again.effect))
            #expect(till.state() == .approved && till.desk.courses.isEmpty)
        }
    }

    @Test func anAdviceIsRepeatedUntilItIsAnswered() throws {
        var till = TestTill(limits: limits)
        try pay(&till, 1, 1000)
        for _ in 0..<5 {
            let advice = try till.takeAsk()
            #expect(advice.request.octets.text == "TC1" && advice.request.attempt == attempt("A1"))
            till.send(.unanswered(.silent, effect: advice.effect))
            till.wait(until: try #require(till.desk.nextDeadline))
        }
        till.crash()
        let advice = try till.takeAsk()
        till.send(.answered(.approval("R5"), effect: advice.effect))
        #expect(till.store[attempt("A1")]?.delivery == nil)
        #expect(till.store[attempt("A1")]?.reference == HostReference(rawValue: "R5"))
    }

    // MARK: the image of a signature

    /// Has a payment that is delivered after a failure, with the image of its signature.
    private func sign(_ till: inout TestTill) throws {
        try pay(&till, 1, 1000)
        till.send(.unanswered(.silent, effect: try till.takeAsk().effect))
        till.send(.sign(attempt("A1"), of: sale("S1"), HTTPBody("image"), call: 7))
    }

    @Test(arguments: [false, true]) func aSignatureFollowsItsPaymentAlsoAfterARestart(isCrashed: Bool) throws {
        var till = TestTill(limits: limits)
        try sign(&till)
        #expect(till.accepted.last?.report.isDeliveryQueued == true)
        if isCrashed { till.crash() } else { till.wait(until: try #require(till.desk.nextDeadline)) }
        let advice = try till.takeAsk()
        #expect(advice.request.operation == .advise && advice.request.octets.text == "TC1")
        till.send(.answered(.acknowledged, effect: advice.effect))
        if isCrashed { till.crash() }
        let image = try till.takeAsk()
        #expect(image.request.operation == .sign && image.request.octets.text == "image")
        // Without an answer it is sent again.
        till.send(.unanswered(.silent, effect: image.effect))
        till.wait(until: try #require(till.desk.nextDeadline))
        till.send(.answered(.acknowledged, effect: try till.takeAsk().effect))
        #expect(till.state() == .approved && till.desk.courses.isEmpty)
        #expect(till.reports.last?.isDeliveryQueued == false)
    }

    /// No money depends on the image.
    @Test func aSignatureThatTheHostDoesNotTakeIsDropped() throws {
        for answer in [HostReply.refused(ReasonText("too large")), .notFound, .status(.reversed)] {
            var till = TestTill(limits: limits)
            try sign(&till)
            till.crash()
            till.send(.answered(.acknowledged, effect: try till.takeAsk().effect))
            till.send(.answered(answer, effect: try till.takeAsk().effect))
            #expect(till.state() == .approved && till.desk.courses.isEmpty)
        }
    }

    @Test func aSignatureOfAPaymentThatIsTakenBackIsDropped() throws {
        var till = TestTill(limits: limits)
        try sign(&till)
        till.crash()
        till.send(.answered(.acknowledged, effect: try till.takeAsk().effect))
        let image = try till.takeAsk()
        till.send(.reverse(attempt("A1"), of: sale("S1"), call: 8))
        till.send(.answered(.acknowledged, effect: image.effect))
        let reversal = try till.takeAsk()
        #expect(reversal.request.operation == .reverse)
        till.send(.answered(.acknowledged, effect: reversal.effect))
        #expect(till.state() == .reversed && till.desk.courses.isEmpty)
    }

    @Test func onlyAnApprovedPaymentIsSigned() throws {
        var till = TestTill()
        till.send(.sign(attempt("A1"), of: sale("S1"), HTTPBody("image"), call: 7))
        #expect(till.takeRefusals() == [DeskRefusal(.unknownAttempt, attempt("A1"))])
        till.begin(try purchase("S1", 1000))
        till.send(.sign(attempt("A1"), of: sale("S1"), HTTPBody("image"), call: 8))
        #expect(till.takeRefusals() == [DeskRefusal(.originalNotApproved, attempt("A1"))])
        for size in [0, Delivery.maxSignatureBytes + 1] {
            var till = TestTill(limits: limits)
            try pay(&till, 1, 1000)
            let image = HTTPBody(String(repeating: "x", count: size))
            till.send(.sign(attempt("A1"), of: sale("S1"), image, call: 7))
            #expect(till.takeRefusals().map(\.code) == [.notWritable])
        }
    }

    /// The host would refuse a refund of a payment that it does not have, and might book a late copy of the request.
    @Test func aRefundWaitsUntilTheHostHasThePayment() throws {
        var till = TestTill(limits: limits)
        try pay(&till, 1, 1000)
        let advice = try till.takeAsk()
        let refund = try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("A1")), amount: euros(400))
        till.begin(refund, as: "B1")
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
        #expect(till.asks.isEmpty)
        till.send(.answered(.acknowledged, effect: advice.effect))
        till.begin(refund, as: "B1")
        #expect(try till.takeAsk().request.operation == .refund)
    }

    /// A payment that the card approved and the merchant did not is void: the host never hears of it, and it frees the
    /// limits, also if the program is killed before the decision.
    @Test func aVoidOfflineApprovalIsNotSent() throws {
        for event in [PaymentEvent.signatureRejected, .cancelled] {
            var till = TestTill(limits: limits)
            till.begin(try purchase("S1", 5000))
            till.answer(.prepared)
            till.answer(.cardInserted)
            till.answer(.firstTCWithSignature, sealed: "TC1")
            till.answer(.signatureCaptured)
            till.answer(event)
            #expect(till.state() == .declined)
            #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
            #expect(till.store[attempt("A1")]?.delivery == nil)
        }
        var till = TestTill(limits: limits)
        till.begin(try purchase("S1", 5000))
        till.answer(.prepared)
        till.answer(.cardInserted)
        till.answer(.firstTCWithSignature, sealed: "TC1")
        till.crash()
        #expect(till.state() == .failed)
        #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
    }

    /// The host's format cannot express the request, so it could never be delivered.
    @Test func aRequestThatCannotBeWrittenIsNotApprovedOffline() throws {
        let failure = HostFailure(.notWritable, isCertainlyNotSent: true, message: "no such detail")
        for isChip in [false, true] {
            var till = TestTill(limits: limits)
            till.send(.unanswered(failure, effect: try till.ask(chip: isChip)))
            if isChip {
                #expect(till.task?.action == .completeCard(.declined))
                till.answer(.secondAAC)
            }
            #expect(till.state() == .declined)
            #expect(till.reports.last?.reason == ReasonText("no such detail"))
            #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
        }
    }

    @Test func anAdviceThatTheHostHasIsDelivered() throws {
        for (status, state) in [
            (HostStatus.approved(HostReference(rawValue: "R7")), AttemptState.approved),
            (.declined(ReasonText("closed")), .needsAttention), (.reversed, .needsAttention),
        ] {
            var till = TestTill(limits: limits)
            try pay(&till, 1, 1000)
            till.send(.answered(.status(status), effect: try till.takeAsk().effect))
            #expect(till.state() == state)
            #expect(till.desk.courses.isEmpty == (state == .approved))
        }
    }

    @Test func moreSealedOctetsThanTheJournalKeepsEndThePayment() throws {
        for (count, state) in [(Delivery.maxOctets, AttemptState.approved), (Delivery.maxOctets + 1, .failed)] {
            var till = TestTill(limits: limits)
            till.begin(try purchase("S1", 1000))
            till.answer(.prepared)
            till.answer(.cardInserted)
            till.answer(.firstTC, sealed: String(repeating: "T", count: count))
            #expect(till.state() == state)
            for record in till.store.values { _ = try AttemptRecord(decoding: record.encoded) }
        }
    }
}
