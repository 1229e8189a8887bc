import JackdawEMV
import JackdawReaders

// The messages of a simulated Miura reader about card, kernel and cardholder.

extension MiuraTerminal {
    mutating func take(_ notices: [TerminalSlot<Primitives>.Notice], at now: Duration) {
        for notice in notices {
            switch notice {
            case .inserted:
                if state == .tapping { end(.abortedByInsertion, at: nil) }
                reportCard()
            case .removed:
                if slot.isOpen { reportCard() }
                if state == .running { end(.noCard, at: now) }
            case .tapped: takeTap(at: now)
            case .event(let event): take(event, at: now)
            case .pinAsked: report(code: 2, "Enter PIN", (MiuraTag.enteredDigits, 0))
            case .pinCancelled: end(.cancelled, at: now)
            case .transactionNeeded: break
            case .waitEnded: if state == .tapping { end(.tapTimedOut, at: nil) }
            }
        }
    }

    private mutating func take(_ event: PaymentEvent, at now: Duration) {
        switch event {
        case .applicationsFound where asksCardholder:
            report(code: 3, "Select", nil)
            slot.askForApplication(at: now)
        case .applicationsFound:
            state = .choosing
            messages += Self.answer(choice)
        case .noCommonApplication: end(.unsupportedCard, at: now)
        case .cardBlocked, .applicationBlocked: end(.invalidCard, at: now)
        case .chipUnreadable: end(.chipUnreadable, at: now)
        case .kernelFailed: end(slot.isCardLost ? .noCard : .invalidCard, at: now)
        case .firstARQC:
            state = .authorising
            messages += Self.answer(
                result(MiuraTag.onlineRequired, slot.authorisation(pinTag: MiuraTag.pinBlock)))
        case .firstTC, .firstTCWithSignature, .secondTC, .secondTCWithSignature: finish(MiuraTag.approved, at: now)
        case .firstAAC, .secondAAC: finish(MiuraTag.declined, at: now)
        case .pinEntered where slot.pinRequest?.isOnline == false:
            report(code: 2, "PIN OK", (MiuraTag.pinStatus, values.pinAccepted))
        case .pinWrong: report(code: 2, "INCORRECT PIN", (MiuraTag.pinStatus, values.pinWrong))
        default: break
        }
    }

    // MARK: cards that are tapped

    /// Runs the kernel with a card that is tapped. After a tap of no use, and one outside of the wait for a tap, the
    /// cardholder presents the card again.
    private mutating func takeTap(at now: Duration) {
        guard state == .tapping, let transaction = tapTransaction else { return presentCard(at: now) }
        let (event, objects) = slot.tap(transaction)
        tapObjects = objects
        endProcess()
        switch event {
        case .firstARQC:
            (state, isTap) = (.authorising, true)
            messages += Self.answer(result(MiuraTag.onlineRequired, objects))
        case .firstTC, .firstTCWithSignature: messages += Self.answer(result(MiuraTag.approved, objects))
        case .firstAAC: messages += Self.answer(result(MiuraTag.declined, objects))
        // How the reader answers a tap that failed otherwise is not published: the card's chip is asked for.
        default:
            messages += Self.status(.insertOrSwipe)
            presentCard(at: now)
        }
    }

    /// Ends a tap with the issuer's answer, which the card does not receive.
    mutating func completeTap(_ data: TerminalObjects) {
        guard case .success(let host) = data.hostAnswer(values) else { return messages += Self.status(.invalidData) }
        var isApproved = false
        if case .answered(let response) = host { isApproved = response.isApproved }
        messages += Self.answer(result(isApproved ? MiuraTag.approved : MiuraTag.declined, tapObjects))
        endProcess()
    }

    // MARK: the end of a payment

    private mutating func finish(_ template: Tag, at now: Duration) {
        messages += Self.answer(result(template, slot.outcome?.objects ?? DataObjectStore()))
        endProcess()
        slot.takeCardOut(after: now)
    }

    /// Ends a payment without a result.
    /// - Parameters:
    ///   - status: the reason.
    ///   - now: the time from which the cardholder takes the card out, and inserts it again if the reader could not use
    ///     it; nil if no card of a payment is in the reader.
    mutating func end(_ status: MiuraStatus, at now: Duration?) {
        messages += Self.status(status)
        endProcess()
        guard let now else { return }
        slot.takeCardOut(after: now)
        if [.chipUnreadable, .unsupportedCard].contains(status) {
            slot.presentCard(at: now + TerminalSlot<Primitives>.takingCard * 2)
        }
    }

    mutating func endProcess() {
        (state, isTap) = (.idle, false)
        slot.endProcess()
    }

    mutating func reportCard() {
        let status = TagLengthValueBuilder.encode(MiuraTag.cardStatus, [slot.isCardIn ? 3 : 0, 0])
        messages += Self.answer(TagLengthValueBuilder.encode(MiuraTag.response, status), isUnsolicited: true)
    }

    private mutating func report(code: UInt8, _ text: String, _ object: (tag: Tag, value: UInt8)?) {
        var objects = TagLengthValueBuilder()
        objects.append(MiuraTag.deviceStatus, [code])
        objects.append(MiuraTag.statusText, Array(text.utf8))
        if let object { objects.append(object.tag, [object.value]) }
        let body = TagLengthValueBuilder.encode(MiuraTag.statusChange, objects.octets)
        messages += Self.answer(body, isUnsolicited: true)
    }
}
