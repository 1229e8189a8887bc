// The rows of the payment's table: phase, event, condition, next phase, changes, effects.
// The order counts: the first row of a cell whose condition holds is taken. Sections are those of EMV 4.3.

extension PaymentTable {
    static func rows(in phase: PaymentPhase) -> [PaymentRow] {
        switch phase {
        case .idle: idle
        case .preparing: preparing
        case .awaitingCard: awaitingCard
        case .choosingApplication: choosingApplication
        case .processingCard: processingCard
        case .enteringPIN: enteringPIN
        case .awaitingHost: awaitingHost
        case .completingCard: completingCard
        case .verifyingSignatureOnReader: verifyingSignatureOnReader
        case .capturingSignature: capturingSignature
        case .verifyingSignature: verifyingSignature
        case .finalising: finalising
        case .crashed: crashed
        case .done: done
        }
    }

    private static let idle = rest(
        .idle,
        [
            on(.start, to: .preparing, do: [.prepare]),
            reject(.amountChanged),
            reject(.cancelled),
        ])

    private static let preparing = busy(
        .preparing,
        [
            on(.prepared, to: .awaitingCard, do: [.acceptCard]),
            on(.preparationFailed, end: .failedPreparation),
            on(.amountChanged, do: [.useNewAmount]),
            on(.cancelled, end: .cancelled, do: [.stopReader]),
            on(.linkLost, end: .failedLink),
            on(.timer, end: .failedTimeout, do: [.stopReader]),
        ])

    private static let awaitingCard = busy(
        .awaitingCard,
        [
            on(.cardInserted, to: .processingCard, note: [.entered(.chip)], do: [.processCard]),
            on(.cardTapped, if: .tapAllowed, to: .processingCard, note: [.entered(.tap)], do: [.processCard]),
            on(.cardTapped, to: .awaitingCard, do: [.prompt(.useOtherInterface), .acceptCard]),
            on(.tapMultipleCards, to: .awaitingCard, do: [.prompt(.presentOneCard), .acceptCard]),
            on(.cardSwiped, to: .awaitingHost, note: [.entered(.swipe), .host(.asked)], do: [.askHost]),
            on(
                .chipCardSwiped, if: .fallbackAllowed, to: .awaitingHost, note: [.entered(.fallback), .host(.asked)],
                do: [.askHost]),
            on(.chipCardSwiped, to: .awaitingCard, do: [.prompt(.useChip), .acceptCard]),
            on(.swipeUnreadable, to: .awaitingCard, do: [.prompt(.tryAgain), .acceptCard]),
            on(.cardRemoved),
            on(.amountChanged, do: [.useNewAmount]),
            on(.cancelled, end: .cancelled, do: [.stopReader]),
            on(.linkLost, end: .failedLink),
            on(.timer, end: .failedTimeout, do: [.stopReader]),
        ])

    // Book 1, 12.4: final selection.
    private static let choosingApplication = busy(
        .choosingApplication,
        [
            on(.applicationChosen, to: .processingCard, do: [.processCard]),
            on(.applicationChoiceInvalid, to: .choosingApplication, do: [.chooseApplication]),
            on(.amountChanged, do: [.useNewAmount]),
            on(.cancelled, end: .cancelled, do: [.stopReader]),
            on(.linkLost, end: .failedLink),
            on(.cardRemoved, end: .failedCardRemoved, do: [.stopReader]),
            on(.kernelFailed, end: .failedKernel),
            on(.timer, end: .failedTimeout, do: [.stopReader]),
        ])

    private static let processingCard = busy(
        .processingCard,
        [
            // Book 1, 12.3 and 12.4: selection.
            on(.applicationsFound, if: .chip, to: .choosingApplication, do: [.chooseApplication]),
            on(
                .noCommonApplication, if: .tap, to: .awaitingCard, note: [.cardReturned, .tapUnusable],
                do: [.prompt(.useOtherInterface), .acceptCard]),
            on(
                .noCommonApplication, if: .fallbackWithoutApplication, to: .awaitingCard,
                note: [.cardReturned, .chipUnusable], do: [.prompt(.swipeCard), .acceptCard]),
            on(.noCommonApplication, end: .notAccepted),
            on(.cardBlocked, if: .chip, end: .notAccepted, note: [.blocked]),
            on(
                .cardBlocked, to: .awaitingCard, note: [.cardReturned, .blocked, .tapUnusable],
                do: [.prompt(.useOtherInterface), .acceptCard]),
            on(.applicationBlocked, if: .chip, end: .notAccepted, note: [.blocked]),
            on(
                .applicationBlocked, to: .awaitingCard, note: [.cardReturned, .blocked, .tapUnusable],
                do: [.prompt(.useOtherInterface), .acceptCard]),
            on(
                .chipUnreadable, if: .chip, to: .awaitingCard, note: [.cardReturned, .chipFailed],
                do: [.prompt(.tryAgain), .acceptCard]),
            on(
                .chipUnreadable, to: .awaitingCard, note: [.cardReturned, .tapUnusable],
                do: [.prompt(.useOtherInterface), .acceptCard]),

            // Book A, 6: the outcomes of a contactless kernel.
            on(
                .tapAgain, if: .tap, to: .awaitingCard, note: [.cardReturned, .tapFailed],
                do: [.prompt(.tryAgain), .acceptCard]),
            on(
                .tapOtherInterface, if: .tap, to: .awaitingCard, note: [.cardReturned, .tapUnusable],
                do: [.prompt(.useOtherInterface), .acceptCard]),
            on(
                .tapSeePhone, if: .tap, to: .awaitingCard, note: [.cardReturned],
                do: [.prompt(.seePhone), .acceptCard]),
            on(
                .tapMultipleCards, if: .tap, to: .awaitingCard, note: [.cardReturned],
                do: [.prompt(.presentOneCard), .acceptCard]),
            on(.tapEnded, if: .tap, end: .failedKernel),

            // Book 3, 10.5: cardholder verification.
            on(.pinRequested, to: .enteringPIN),
            on(.pinBypassed, if: .chip),

            // Book 3, 10.8: the first cryptogram.
            on(.firstTC, to: .finalising, note: [.cryptogram(.tc)], do: [.storeRecord]),
            on(
                .firstTCWithSignature, to: .capturingSignature, note: [.cryptogram(.tc), .signatureNeeded],
                do: [.captureSignature]),
            on(.firstAAC, end: .declinedOffline, note: [.cryptogram(.aac)], do: [.prompt(.removeCard)]),
            on(.firstARQC, to: .awaitingHost, note: [.cryptogram(.arqc), .host(.asked)], do: [.askHost]),

            reject(.amountChanged),
            on(.cancelled, end: .cancelled, do: [.stopReader]),
            on(.linkLost, end: .failedLink),
            on(
                .cardRemoved, if: .tap, to: .awaitingCard, note: [.cardReturned, .tapFailed],
                do: [.prompt(.tryAgain), .acceptCard]),
            on(.cardRemoved, end: .failedCardRemoved, do: [.stopReader]),
            on(.kernelFailed, end: .failedKernel),
            on(.timer, end: .failedTimeout, do: [.stopReader]),
        ])

    // Book 3, 10.5.1: the PIN stays in the reader.
    private static let enteringPIN = busy(
        .enteringPIN,
        [
            on(.pinEntered, to: .processingCard),
            on(.pinTriesExceeded, to: .processingCard),
            on(.pinBypassed, to: .processingCard),
            on(.pinWrong, to: .enteringPIN),
            on(.pinCancelled, end: .cancelled, do: [.stopReader]),
            reject(.amountChanged),
            on(.cancelled, end: .cancelled, do: [.stopReader]),
            on(.linkLost, end: .failedLink),
            on(.cardRemoved, if: .chip, end: .failedCardRemoved, do: [.stopReader]),
            on(.kernelFailed, end: .failedKernel),
            on(.timer, end: .failedTimeout, do: [.stopReader]),
        ])

    // Book 3, 10.9, and Book 4, 12.2: online processing. Only a chip card decides a second time.
    private static let awaitingHost = busy(
        .awaitingHost,
        [
            on(
                .hostApproved, if: .linkLost, end: .failedAutoReversed, note: [.host(.approved)],
                reverse: .linkLost),
            on(
                .hostApproved, if: .cardGone, end: .failedAutoReversed, note: [.host(.approved)],
                reverse: .cardRemoved),
            on(
                .hostApproved, if: .chip, to: .completingCard, note: [.host(.approved)],
                do: [.completeCard(.approved)]),
            on(.hostApproved, to: .finalising, note: [.host(.approved)], do: [.storeRecord]),

            on(
                .hostApprovedWithSignature, if: .linkLost, end: .failedAutoReversed, note: [.host(.approved)],
                reverse: .linkLost),
            on(
                .hostApprovedWithSignature, if: .cardGone, end: .failedAutoReversed, note: [.host(.approved)],
                reverse: .cardRemoved),
            on(
                .hostApprovedWithSignature, if: .chip, to: .completingCard,
                note: [.host(.approved), .signatureNeeded], do: [.completeCard(.approved)]),
            on(
                .hostApprovedWithSignature, to: .capturingSignature, note: [.host(.approved), .signatureNeeded],
                do: [.captureSignature]),
        ],
        notApproved(.hostDeclined, .declined, end: .declinedOnline),
        notApproved(.hostReferred, .declined, end: .declinedOnline),
        notApproved(.hostUnreachable, .unreachable, end: .failedUnableOnline),
        notApproved(.hostAnswerUnreadable, .unknown, end: .failedHostTimeout, reverse: .timeout),
        notApproved(.timer, .unknown, end: .failedHostTimeout, reverse: .timeout),
        [
            on(.linkLost, note: [.linkLost]),
            on(.cardRemoved, if: .chip, note: [.cardGone]),
            reject(.amountChanged),
            reject(.cancelled),
        ])

    /// The rows of a host that did not approve: a chip card in the reader completes, all others end. Book 4, 12.2.3: a
    /// request without an answer is reversed at once, whatever the card decides.
    private static func notApproved(
        _ event: PaymentEvent, _ knowledge: HostKnowledge, end outcome: PaymentOutcome,
        reverse cause: ReversalCause? = nil
    ) -> [Entry] {
        [
            on(event, if: .linkLost, end: outcome, note: [.host(knowledge)], reverse: cause),
            on(event, if: .cardGone, end: outcome, note: [.host(knowledge)], reverse: cause),
            on(
                event, if: .chip, to: .completingCard, note: [.host(knowledge)], reverse: cause,
                do: [.completeCard(knowledge)]),
            on(event, end: outcome, note: [.host(knowledge)], reverse: cause),
        ]
    }

    // Book 3, 10.10 and 10.11: scripts and the second cryptogram. A TC counts only if the host did not decline.
    private static let completingCard = busy(
        .completingCard,
        [
            on(
                .secondTC, if: .approvedWithoutSignature, to: .capturingSignature, note: [.cryptogram(.tc)],
                do: [.captureSignature]),
            on(.secondTC, if: .hostApproved, to: .finalising, note: [.cryptogram(.tc)], do: [.storeRecord]),
            on(.secondTC, if: .hostUnreachable, to: .finalising, note: [.cryptogram(.tc)], do: [.storeRecord]),
            on(.secondTC, if: .timedOutButApproving, to: .finalising, note: [.cryptogram(.tc)], do: [.storeRecord]),
            on(.secondTC, if: .hostDeclined, end: .declinedOnline, note: [.cryptogram(.aac)]),
            on(.secondTC, end: .failedHostTimeout, note: [.cryptogram(.aac)]),

            on(
                .secondTCWithSignature, if: .hostApproved, to: .capturingSignature,
                note: [.cryptogram(.tc), .signatureNeeded], do: [.captureSignature]),
            on(
                .secondTCWithSignature, if: .hostUnreachable, to: .capturingSignature,
                note: [.cryptogram(.tc), .signatureNeeded], do: [.captureSignature]),
            on(
                .secondTCWithSignature, if: .timedOutButApproving, to: .capturingSignature,
                note: [.cryptogram(.tc), .signatureNeeded], do: [.captureSignature]),
            on(.secondTCWithSignature, if: .hostDeclined, end: .declinedOnline, note: [.cryptogram(.aac)]),
            on(.secondTCWithSignature, end: .failedHostTimeout, note: [.cryptogram(.aac)]),

            on(
                .secondAAC, if: .hostApproved, end: .declinedByCard, note: [.cryptogram(.aac)],
                reverse: .cardDeclined),
            on(.secondAAC, if: .hostDeclined, end: .declinedOnline, note: [.cryptogram(.aac)]),
            on(.secondAAC, if: .hostUnreachable, end: .declinedOffline, note: [.cryptogram(.aac)]),
            on(.secondAAC, end: .failedHostTimeout, note: [.cryptogram(.aac)]),

            on(.readerSignatureRequested, if: .hostApproved, to: .verifyingSignatureOnReader),
            reject(.amountChanged),
            reject(.cancelled),
        ],
        noSecondCryptogram(.linkLost, reverse: .linkLost),
        noSecondCryptogram(.cardRemoved, reverse: .cardRemoved),
        noSecondCryptogram(.kernelFailed, reverse: .kernelFailed),
        noSecondCryptogram(.timer, reverse: .timeout))

    /// The rows of a card that gives no second cryptogram: the host's decision gives the outcome.
    private static func noSecondCryptogram(_ event: PaymentEvent, reverse cause: ReversalCause) -> [Entry] {
        [
            on(event, if: .hostApproved, end: .failedAutoReversed, reverse: cause, do: [.stopReader]),
            on(event, if: .hostDeclined, end: .declinedOnline, do: [.stopReader]),
            on(event, if: .hostUnreachable, end: .failedUnableOnline, do: [.stopReader]),
            on(event, end: .failedHostTimeout, do: [.stopReader]),
        ]
    }

    // The reader asks after the host approved and before the second cryptogram.
    private static let verifyingSignatureOnReader = busy(
        .verifyingSignatureOnReader,
        [
            on(.readerSignatureAccepted, to: .completingCard, note: [.signatureVerified]),
            on(.readerSignatureRejected, end: .declinedSignature, reverse: .signatureRejected, do: [.stopReader]),
            on(.timer, end: .declinedSignature, reverse: .signatureRejected, do: [.stopReader]),
            on(.linkLost, end: .failedAutoReversed, reverse: .linkLost),
            on(.cardRemoved, end: .failedAutoReversed, reverse: .cardRemoved, do: [.stopReader]),
            on(.kernelFailed, end: .failedAutoReversed, reverse: .kernelFailed),
            reject(.amountChanged),
            reject(.cancelled),
        ])

    // The card has decided: neither the link nor the card is needed any more.
    private static let capturingSignature = busy(
        .capturingSignature,
        [
            on(.signatureCaptured, to: .verifyingSignature, do: [.verifySignature]),
            on(.signatureRefused, end: .declinedSignature, reverse: .signatureRejected),
            on(.cancelled, end: .declinedSignature, reverse: .signatureRejected),
            on(.timer, end: .declinedSignature, reverse: .signatureRejected),
            on(.linkLost, note: [.linkLost]),
            on(.cardRemoved, note: [.cardGone]),
            reject(.amountChanged),
        ])

    private static let verifyingSignature = busy(
        .verifyingSignature,
        [
            on(.signatureAccepted, to: .finalising, note: [.signatureVerified], do: [.storeRecord]),
            on(.signatureRejected, end: .declinedSignature, reverse: .signatureRejected),
            on(.cancelled, end: .declinedSignature, reverse: .signatureRejected),
            on(.timer, end: .declinedSignature, reverse: .signatureRejected),
            on(.linkLost, note: [.linkLost]),
            on(.cardRemoved, note: [.cardGone]),
            reject(.amountChanged),
        ])

    // The payment is approved, and is complete when its record is durable.
    private static let finalising = busy(
        .finalising,
        [
            on(
                .recordStored, if: .hostApproved, end: .approved, note: [.recordStored], do: [.prompt(.removeCard)]),
            on(.recordStored, end: .approvedOffline, note: [.recordStored], do: [.prompt(.removeCard)]),
            on(.timer, to: .finalising, do: [.storeRecord]),
            on(.linkLost, note: [.linkLost]),
            on(.cardRemoved, note: [.cardGone]),
            reject(.amountChanged),
            reject(.cancelled),
        ])

    // The journal decides on the end.
    private static let crashed = rest(
        .crashed,
        [
            on(.recovered, if: .storedOnline, end: .approved),
            on(.recovered, if: .stored, end: .approvedOffline),
            on(.recovered, end: .failedRecovered, reverse: .crash),
        ])

    private static let done = rest(
        .done,
        [
            reject(.amountChanged),
            reject(.cancelled),
        ])
}
