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
        state = .idle
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
