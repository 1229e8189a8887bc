import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSimulator

// The way to the host and back, and the host.

extension SoakWorld {
    // MARK: the client of the till

    func ask(_ request: HostRequest, _ effect: Int) {
        guard !isKilled(at: .beforeRequest) else { return }
        note("ask \(effect) \(request.operation.rawValue) \(request.attempt)")
        checker.check(request, effect: effect, disk, at: tillTime, limit: profile.answerLimit)
        requests[effect] = request
        do throws(HostFailure) {
            let encoded = try wire.encode(request)
            carryOut(session.receive(.send(encoded, call: effect, limit: plan.clientLimit), at: tillTime), request)
        } catch { result(nil, error, effect) }
    }

    /// Sends the card's answer to the host's decline, as Accept does: beside the desk, and without waiting for the result.
    func sendDecline(_ sealed: HTTPBody, _ attempt: AttemptIdentifier) {
        guard let record = disk[attempt],
            let encoded = try? wire.encode(HostRequest(.complete, record, octets: sealed))
        else { return }
        lastUpdate -= 1
        sendBeside(encoded, lastUpdate)
    }

    /// Sends a request of Accept that is none of the desk.
    func sendBeside(_ request: HTTPRequest, _ number: Int) {
        carryOut(session.receive(.send(request, call: number, limit: Accept.requestLimit), at: tillTime), nil)
    }

    /// The result of an exchange.
    func receive(_ event: AcceptSessionEvent, _ exchange: Int) {
        guard exchanges.removeValue(forKey: exchange) != nil else { return }
        guard !isKilled(at: .beforeAnswer) else { return }
        carryOut(session.receive(event, at: tillTime), nil)
        _ = isKilled(at: .afterAnswer)
    }

    /// The first exchange whose time limit is over on the till's clock; nil without one.
    var lateExchange: Int? {
        let first = exchanges.min { ($0.value, $0.key) < ($1.value, $1.key) }
        return first.flatMap { $0.value <= tillTime ? $0.key : nil }
    }

    /// Ends the requests whose time is over while a login is under way.
    func endLateCalls() { carryOut(session.receive(.timer, at: tillTime), nil) }

    private func carryOut(_ effects: [AcceptSessionEffect], _ about: HostRequest?) {
        let started = process
        for effect in effects {
            guard process == started else { return }
            switch effect {
            case .exchange(let number, let request, let limit): transmit(number, request, limit)
            case .abandon(let exchange): exchanges[exchange] = nil
            case .answer(let answer, let call):
                guard let request = requests[call] else {
                    self.answer(.answered(answer), toRequest: call)
                    continue
                }
                do throws(HostFailure) {
                    let reply = try wire.decode(answer, to: request)
                    result(reply, nil, call)
                } catch { result(nil, error, call) }
            case .failure(let failure, let call):
                answer(.unanswered(failure), toRequest: call)
                result(nil, HostFailure(failure), call)
            }
        }
    }

    /// Hands the result of a request to the desk.
    private func result(_ reply: HostReply?, _ failure: HostFailure?, _ effect: Int) {
        guard let request = requests.removeValue(forKey: effect) else { return }
        checker.hear(reply, failure, to: request, effect: effect)
        if let reply {
            note("answer \(effect) \(reply.name)")
            if let fault = take(.doubleAnswer) {
                queue.add(
                    .doubledReply(reply, effect: effect, process: process), at: now + .milliseconds(50 * fault.size))
            }
            send(.answered(reply, effect: effect))
        } else if let failure {
            note("failure \(effect) \(failure.code.name)\(failure.isCertainlyNotSent ? ", not sent" : "")")
            send(.unanswered(failure, effect: effect))
        }
    }

    // MARK: the network between them

    private func transmit(_ exchange: Int, _ request: HTTPRequest, _ limit: Duration) {
        // Logins and the requests of Accept are none of the desk's; of the others path and form have the attempt.
        let isLogin = request.path.hasSuffix("oauth2/token")
        let about = isLogin ? nil : newestRequest(request)
        exchanges[exchange] = tillTime + limit
        let sale = about.flatMap { self.number(of: $0.request.sale) }
        note(
            "send \(exchange) \(request.method.rawValue) \(about?.operation.rawValue ?? (isLogin ? "login" : "payment"))"
        )
        if networkDownUntil > now || host.downUntil > now || take(.unreachable) != nil {
            let failure = HTTPFailure(.unreachable, message: "")
            queue.add(.failure(failure, exchange: exchange, process: process), at: now + wait(50...3000, sale))
            return
        }
        let parcel = Parcel(request: request, exchange: exchange, process: process, about: about)
        if take(.loseRequest) == nil {
            var way = wait(20...150, sale)
            if let fault = take(.slowRequest) { way += .milliseconds(240 * fault.size) }
            queue.add(.arrival(parcel), at: now + way)
            if let fault = take(.doubleRequest) {
                queue.add(.arrival(parcel), at: now + way + .milliseconds(1 + fault.size * fault.size / 20))
            }
        }
        _ = isKilled(at: .afterRequest)
    }

    /// The request of the desk that an HTTP request carries: the newest of that attempt.
    private func newestRequest(_ request: HTTPRequest) -> HostRequest? {
        let carrying = requests.sorted { $0.key > $1.key }.map(\.value)
        return carrying.first {
            (try? wire.encode($0))?.path == request.path && (try? wire.encode($0))?.body == request.body
        }
    }

    // MARK: the host and its answers

    func arrive(_ parcel: Parcel) {
        func fail(_ code: HTTPFailure.Code) {
            queue.add(
                .failure(HTTPFailure(code, message: ""), exchange: parcel.exchange, process: parcel.process),
                at: now + wait(20...150))
        }
        guard host.downUntil <= now else { return fail(.cut) }
        if let fault = take(.hostCrashBefore) {
            killHost(fault)
            return fail(.cut)
        }
        var request = parcel.request
        if let text = hostFault { request.headers.append(HTTPField("X-Sandbox-Fault", text)) }
        if take(.booksFail) != nil { host.books.plan(.fails) }
        if let fault = take(.booksTorn) {
            host.books.plan(.torn)
            tornSize = fault.size
        }
        let output = host.receive(request, at: now)
        if host.books.takeTorn() {
            killHost(tornSize)
            return fail(.cut)
        }
        if let attempt = parcel.about?.attempt { checker.check(books: attempt, host, disk) }
        if let fault = take(.hostCrashAfter) {
            killHost(fault)
            return fail(.cut)
        }
        reply(output, to: parcel)
    }

    /// The fault that the host makes of the next request.
    private var hostFault: String? {
        if let fault = take(.hostSlow) { return "slow=\(fault.size * 100)" }
        if take(.hostSilentBefore) != nil { return "silent-before" }
        if take(.hostSilentAfter) != nil { return "silent-after" }
        if let fault = take(.hostRefuses) { return "status=\([400, 403, 404, 409, 422, 429][fault.size % 6])" }
        if let fault = take(.hostFails) { return "status=\(500 + fault.size % 5)" }
        if let fault = take(.hostFailsAfter) { return "status-after=\(500 + fault.size % 5)" }
        if take(.hostTokenExpired) != nil { return "token-expired" }
        if take(.hostDuplicate) != nil { return "duplicate-id" }
        return nil
    }

    private func reply(_ output: SandboxOutput, to parcel: Parcel) {
        let sale = parcel.about.flatMap { self.number(of: $0.request.sale) }
        func deliver(_ happening: Happening, _ due: Duration) {
            guard take(.loseAnswer) == nil else { return }
            var time = max(due - host.clock, now) + wait(20...150, sale)
            if let fault = take(.slowAnswer) { time += .milliseconds(100 * fault.size) }
            queue.add(happening, at: time)
        }
        let (exchange, sender) = (parcel.exchange, parcel.process)
        switch output.reply {
        case .silent: break
        case .cut(_, _, let due):
            deliver(.failure(HTTPFailure(.cut, message: ""), exchange: exchange, process: sender), due)
        case .answer(let answer, let due):
            if take(.cutAnswer) != nil {
                deliver(.failure(HTTPFailure(.cut, message: ""), exchange: exchange, process: sender), due)
            } else if take(.garbleAnswer) != nil {
                let octets = [UInt8](repeating: 0xFF, count: answer.body.count)
                let garbled = HTTPAnswer(status: answer.status, body: HTTPBody(copying: octets.span))
                deliver(.answer(garbled, exchange: exchange, process: sender), due)
            } else {
                deliver(.answer(answer, exchange: exchange, process: sender), due)
            }
        }
    }

    func killHost(_ fault: SoakFault) { killHost(fault.size) }

    /// Kills the host's program. Its books stay as they are in the file.
    private func killHost(_ size: Int) {
        note("host killed")
        host.downUntil = now + .milliseconds(500 * (size + 1))
        do throws(SandboxStoreError) { try host.restart() } catch {
            checker.fail(.unreadable, nil, "the books cannot be read")
        }
    }
}

extension HostReply {
    /// The kind of the reply, for histories.
    fileprivate var name: String {
        switch self {
        case .approved: "approved"
        case .declined: "declined"
        case .acknowledged: "acknowledged"
        case .refused(let reason): "refused: \(reason)"
        case .notFound: "not found"
        case .status(.approved): "status approved"
        case .status(.declined): "status declined"
        case .status(.reversed): "status reversed"
        case .status(.nothingBooked): "status nothing booked"
        case .status(.pending): "status pending"
        case .status(.otherPayment): "status other payment"
        }
    }
}
