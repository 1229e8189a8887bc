import JackdawEMV
import JackdawSimulator
import Testing

/// Recorded payments, replayed through a fresh flow.
@Suite struct PaymentReplayTests {
    private static let steps = RecordedPayment.steps(RecordedPayment.approved)

    @Test func aRecordingReplaysEqual() {
        let replay = PaymentReplay(RecordedPayment.whole)
        #expect(replay.difference == nil)
        #expect(replay.steps == Self.steps)
        #expect(replay.messages.map(\.count) == Array(repeating: 1, count: Self.steps.count))
        #expect(replay.journal(after: Self.steps.count - 1).outcome == .approved)
    }

    @Test(arguments: Self.steps.indices) func aChangedStepIsDetected(_ index: Int) {
        let step = Self.steps[index]
        let other: PaymentPhase = step.phase == .awaitingHost ? .done : .awaitingHost
        let more = step.effects + [PaymentEffect(identifier: 99, action: .reverse(.timeout))]
        let renumbered = step.effects.map { PaymentEffect(identifier: $0.identifier + 1, action: $0.action) }
        var changed = [
            RecordedPayment.changing(Self.steps, index, phase: other),
            RecordedPayment.changing(Self.steps, index, deadline: .some(.seconds(1_000))),
            RecordedPayment.changing(Self.steps, index, effects: more),
            // An event that no phase of this payment expects.
            RecordedPayment.changing(Self.steps, index, cause: .event(.signatureRejected, answering: nil)),
        ]
        if !step.effects.isEmpty {
            changed.append(RecordedPayment.changing(Self.steps, index, effects: renumbered))
            changed.append(RecordedPayment.changing(Self.steps, index, effects: Array(step.effects.dropLast())))
        }
        for recording in changed {
            let difference = PaymentReplay(recording).difference
            #expect(difference?.index == index)
            #expect(difference?.description.isEmpty == false)
        }
    }

    @Test func aChangedJournalIsDetected() {
        var journal = PaymentJournal()
        journal.entry = .chip
        journal.host = .asked
        let index = Self.steps.firstIndex { $0.phase == .awaitingHost } ?? 0
        #expect(Self.steps[index].effects.first?.action == .writeJournal(journal))
        journal.host = .approved
        var effects = Self.steps[index].effects
        effects[0] = PaymentEffect(identifier: effects[0].identifier, action: .writeJournal(journal))
        #expect(
            PaymentReplay(RecordedPayment.changing(Self.steps, index, effects: effects)).difference?.index == index)
    }

    @Test func aStepThatIsMissingIsDetected() {
        for index in Self.steps.indices.dropLast() {
            var steps = Self.steps
            steps.remove(at: index)
            #expect(PaymentReplay(RecordedPayment.recording(steps)).difference != nil, "step \(index)")
        }
    }

    /// docs/payment-flow.md: a crash after the request was sent is reversed.
    @Test func aRestartGoesOnWithItsJournal() throws {
        var steps = RecordedPayment.steps(RecordedPayment.approved.prefix(6) + [(.crash, 5_050)])
        let journal = PaymentReplay(RecordedPayment.recording(steps)).journal(after: 6)
        #expect(journal.host == .asked)
        var flow = PaymentFlow(restoring: journal)
        steps.append(PaymentStep(.restart(journal), flow, [], at: .seconds(6)))
        let effects = flow.receive(.recovered, at: .seconds(6))
        steps.append(PaymentStep(.event(.recovered, answering: nil), flow, effects, at: .seconds(6)))
        let replay = PaymentReplay(try PaymentRecording(RecordedPayment.recording(steps).octets))
        #expect(replay.difference == nil)
        let end = replay.journal(after: 8)
        #expect(end.outcome == .failedRecovered && end.isReversalQueued)
    }

    // MARK: going on with another answer

    /// The rules of docs/payment-flow.md, from the step in which the issuer was asked.
    @Test(
        arguments: [
            ([.hostDeclined], .declinedOnline, false), ([.hostDeclined, .secondAAC], .declinedOnline, false),
            ([.hostApproved, .secondTC], .approved, false), ([.hostApproved, .secondAAC], .declinedByCard, true),
            ([.hostApproved], .failedAutoReversed, true), ([.hostApproved, .cardRemoved], .failedAutoReversed, true),
            ([.hostUnreachable, .secondTC], .approvedOffline, false),
            ([.hostUnreachable, .secondAAC], .declinedOffline, false),
            ([.hostAnswerUnreadable, .secondAAC], .failedHostTimeout, true), ([.timer], .failedHostTimeout, true),
            ([], .failedHostTimeout, true), ([.linkLost, .hostApproved], .failedAutoReversed, true),
            ([.hostApproved, .secondTC, .crash], .failedRecovered, true), ([.crash], .failedRecovered, true),
            (
                [.hostApprovedWithSignature, .secondTC, .signatureCaptured, .signatureRejected], .declinedSignature,
                true
            ),
        ] as [([PaymentEvent], PaymentOutcome, Bool)])
    func thePaymentGoesOnWithOtherAnswers(_ answers: [PaymentEvent], _ outcome: PaymentOutcome, _ isReversed: Bool) {
        let index = Self.steps.firstIndex { $0.phase == .awaitingHost } ?? 0
        let found = PaymentReplay(RecordedPayment.whole).continuation(after: index, with: answers)
        #expect(found.outcome == outcome)
        #expect(found.journal.isReversalQueued == isReversed)
        #expect(zip(found.steps, answers).allSatisfy { $0.name == $1.rawValue })
    }

    /// Every event from every step: the payment ends, and an approved one and no other has a record.
    @Test func everyOtherAnswerLeadsToAnEnd() {
        let replay = PaymentReplay(RecordedPayment.whole)
        for index in replay.steps.indices {
            for event in PaymentEvent.allCases {
                let found = replay.continuation(after: index, with: [event])
                #expect(found.outcome != nil, "\(event.rawValue) after step \(index)")
                let isApproved = found.outcome?.isApproved == true
                #expect(found.journal.isRecordStored == isApproved)
                #expect(!isApproved || !found.journal.isReversalQueued)
            }
        }
    }

    @Test func timeOutsComeAtTheirTimes() {
        let found = PaymentReplay(RecordedPayment.whole).continuation(after: 1, with: [])
        #expect(found.outcome == .failedTimeout)
        #expect(found.steps.map(\.time) == [.milliseconds(60_200)])
    }

    @Test func answersAreBounded() {
        let answers = Array(repeating: PaymentEvent.amountChanged, count: 1_000)
        let found = PaymentReplay(RecordedPayment.whole).continuation(after: 1, with: answers)
        #expect(found.steps.count == PaymentReplay.maxAnswers + 1)
    }
}
