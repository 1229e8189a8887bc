import JackdawEMV
import JackdawSimulator

/// Recordings of payments whose events a test chooses.
enum RecordedPayment {
    static let header = PaymentRecording.Header(
        link: "sim:miura", card: "approved-online", amount: Amount(minorUnits: 6000, currencyCode: 978))

    /// A chip card with PIN, which the issuer approves: each event with its time in milliseconds.
    static let approved: [(PaymentEvent, Int)] = [
        (.start, 0), (.prepared, 200), (.cardInserted, 1_700), (.pinRequested, 1_800), (.pinEntered, 4_800),
        (.firstARQC, 5_000), (.hostApproved, 5_100), (.secondTC, 5_300), (.recordStored, 5_305),
    ]

    /// The steps of a payment. Answers name the last effect that is answered.
    static func steps(_ events: [(PaymentEvent, Int)], policy: PaymentPolicy = PaymentPolicy()) -> [PaymentStep] {
        var flow = PaymentFlow(policy: policy)
        var open: Int?
        return events.map { event, milliseconds in
            let now = Duration.milliseconds(milliseconds)
            let answered = event.isAnswer ? open : nil
            let effects = flow.receive(event, answering: answered, at: now)
            for effect in effects {
                switch effect.action {
                case .prepare, .acceptCard, .processCard, .askHost, .completeCard, .storeRecord, .captureSignature,
                    .verifySignature:
                    open = effect.identifier
                default: break
                }
            }
            return PaymentStep(.event(event, answering: answered), flow, effects, at: now)
        }
    }

    /// A recording of steps, with a message after each.
    static func recording(
        _ steps: [PaymentStep], header: PaymentRecording.Header = RecordedPayment.header
    ) -> PaymentRecording {
        PaymentRecording(
            header: header,
            entries: steps.flatMap { step -> [PaymentEntry] in
                let octets: [UInt8?] = [0x00, 0xA4, nil, 0x0F]
                return [.step(step), .message(PaymentMessage(time: step.time, isSent: true, octets: octets))]
            })
    }

    /// The recording of ``approved``.
    static let whole = recording(steps(approved))

    /// The same steps with one of them changed.
    static func changing(
        _ steps: [PaymentStep], _ index: Int, cause: PaymentStep.Cause? = nil, phase: PaymentPhase? = nil,
        deadline: Duration?? = nil, effects: [PaymentEffect]? = nil
    ) -> PaymentRecording {
        var steps = steps
        let step = steps[index]
        steps[index] = PaymentStep(
            time: step.time, cause: cause ?? step.cause, phase: phase ?? step.phase,
            deadline: deadline ?? step.deadline, effects: effects ?? step.effects)
        return recording(steps)
    }
}
