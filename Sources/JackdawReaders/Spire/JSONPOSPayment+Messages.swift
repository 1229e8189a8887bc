import JackdawEMV

// What the terminal sends, and what the payment does then.

extension JSONPOSPayment {
    mutating func take(_ frame: Span<UInt8>, at now: Duration) {
        let message: JSONPOSMessage
        do throws(JSONValue.Fault) {
            message = try JSONPOSMessage(frame)
        } catch {
            return note("a message that cannot be parsed: \(error.message)")
        }
        switch message {
        case .request(let method, let parameters, let id): take(method, parameters, id: id, at: now)
        case .result(let value, let id):
            guard let purpose = close(id) else { return note("a result without a request") }
            take(value, of: purpose, at: now)
        case .failure(let code, let text, let id, let name):
            guard let id, let purpose = close(id) else { return note("an error without a request: \(code)") }
            take(JSONPOSError(rawValue: code), text, name, of: purpose, at: now)
        }
    }

    private mutating func take(_ method: String, _ parameters: JSONValue, id: String?, at now: Duration) {
        switch method {
        case "StatusEvent":
            report(JSONPOSStatus(parameters))
            // The request that the result would answer was lost with the link.
            let isOpen = requests.contains { $0.purpose.isTransaction }
            if isResultAwaited, status?.step == nil, checkTime != nil, !isOpen { check(at: now) }
        case "_Keepalive", "_Sync", "PosMessage": break
        case "_CloseReason", "_Error": note("the terminal reports an error of the link")
        default:
            if let step = tunnel.receive(method, parameters, id: id) { return carryOut(step) }
            note("a request of the terminal that is not known")
            guard let id else { return }
            let error = JSONPOSError.methodNotFound.rawValue
            outputs.append(.send(JSONPOSMessage.failure(code: error, message: "not supported", id: id).frame))
            return
        }
        if let id { outputs.append(.send(JSONPOSMessage.result(.object([:]), id: id).frame)) }
    }

    private mutating func take(_ value: JSONValue, of purpose: Purpose, at now: Duration) {
        switch purpose {
        case .synchronise: request("NetworkStart", .object([:]), .network, at: now)
        case .network: begin(at: now)
        case .purchase, .check:
            let text = value["response_text"]?.text
            if text == settings.approvedText {
                transactionName = value["transaction_id"]?.text
                finish(.approved(transaction: transactionName.map { JSONPOSDialect.plain($0) }), at: now)
            } else if purpose == .check, let text {
                finish(.declined(JSONPOSDialect.plain(text)), at: now)
            } else {
                // A result that is no approval is not published.
                askAgain(after: purpose, at: now)
            }
        case .refund, .refundCheck:
            guard stage == .refunding else { return note("a second result of a refund") }
            let text = value["response_text"]?.text
            if text == settings.approvedText {
                settle(.refunded)
            } else if purpose == .refundCheck, let text {
                refuseRefund(JSONPOSDialect.plain(text), at: now)
            } else {
                askAgain(after: purpose, at: now)
            }
        case .status: report(JSONPOSStatus(value))
        }
    }

    private mutating func report(_ new: JSONPOSStatus) {
        status = new
        outputs.append(.status(new))
    }

    private mutating func take(
        _ error: JSONPOSError, _ text: String, _ name: String?, of purpose: Purpose, at now: Duration
    ) {
        switch purpose {
        case .synchronise: fail("the terminal refuses _Sync: \(error)", at: now)
        case .network:
            // A terminal with a network of its own needs no other.
            note("the terminal refuses NetworkStart: \(error)")
            begin(at: now)
        case .purchase where error == .unknown: finish(.declined(JSONPOSDialect.plain(text)), at: now)
        case .purchase where error.isProtocolError: finish(.notExecuted, at: now)
        case .check where name == settings.notFoundName && isTerminalIdle: finish(.notExecuted, at: now)
        case .purchase, .check: askAgain(after: purpose, at: now)
        case .refund, .refundCheck: take(error, text, name, ofRefund: purpose, at: now)
        case .status: note("the terminal refuses Status: \(error)")
        }
    }

    private mutating func take(
        _ error: JSONPOSError, _ text: String, _ name: String?, ofRefund purpose: Purpose, at now: Duration
    ) {
        guard stage == .refunding else { return note("a second result of a refund") }
        if purpose == .refundCheck {
            guard name == settings.notFoundName, status?.step == nil else {
                return askAgain(after: purpose, at: now)
            }
            // If `Check` did not know refunds, another one could give the money back twice.
            guard settings.repeatsLostRefunds else { return settle(.open("the fate of a refund is not known")) }
            refuseRefund("not found", at: now)
        } else if error.isProtocolError {
            settle(.open("the terminal does not refund: \(error)"))
        } else if error == .unknown {
            refuseRefund(JSONPOSDialect.plain(text), at: now)
        } else {
            askAgain(after: purpose, at: now)
        }
    }

    /// Whether the terminal has no payment under way. A state that was asked for, and not answered, may be another one.
    private var isTerminalIdle: Bool { status?.step == nil && !requests.contains { $0.purpose == .status } }

    /// Plans a `Check` after an answer that does not name the end: at once, or after the interval if it answers a `Check`.
    private mutating func askAgain(after purpose: Purpose, at now: Duration) {
        guard isResultAwaited else { return note("an answer after the end") }
        let isCheck = purpose == .check || purpose == .refundCheck
        checkTime = isCheck ? now + settings.checkInterval : now
    }

    /// The conversation has begun.
    private mutating func begin(at now: Duration) {
        link = .open
        switch stage {
        case .preparing:
            stage = .ready
            emit(.prepared)
        case .paying: resume(at: now)
        case .settling:
            if isReversed { send("Abort") }
            resume(at: now)
        case .refunding where refundTime != nil: break
        case .refunding where refunds == 0: announceRefund()
        case .refunding: resume(at: now)
        case .over: askState(at: now)
        case .idle, .ready: break
        }
    }

    /// Asks for the terminal's state, as its reports were lost with the link, and then for the result.
    private mutating func resume(at now: Duration) {
        askState(at: now)
        check(at: now)
    }

    mutating func askState(at now: Duration) { request("Status", .object([:]), .status, at: now) }

    mutating func giveUp(_ purpose: Purpose, at now: Duration) {
        switch purpose {
        case .synchronise, .network: fail("a request that the terminal does not answer", at: now)
        case .check, .refundCheck: checkTime = now + settings.checkInterval
        case .purchase, .refund: break
        case .status: note("the terminal does not answer Status")
        }
    }

    private mutating func fail(_ text: String, at now: Duration) {
        note(text)
        guard stage == .preparing else {
            link = .waiting(until: now + settings.reconnectDelay)
            return
        }
        link = .down
        stage = .over
        emit(.preparationFailed)
    }

    private mutating func finish(_ result: JSONPOSResult, at now: Duration) {
        let isAwaited = stage == .paying
        let isCorrection = stage == .over && result.isApproval && self.result?.isApproval == false
        guard isAwaited || stage == .settling || isCorrection else { return note("a second result") }
        // An approval may still follow another result: then the terminal has the money.
        requests.removeAll { $0.purpose == .check || ($0.purpose == .purchase && result.isApproval) }
        checkTime = nil
        self.result = result
        outputs.append(.result(result))
        stage = .over
        guard isAwaited else {
            if result.isApproval { takeBack(at: now) }
            return
        }
        switch result {
        case .approved: emit(.hostApproved)
        case .declined: emit(.hostDeclined)
        case .notExecuted: emit(.hostUnreachable)
        }
    }
}
