import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// The service with a host of some attempts beside that of the wire.
@Suite struct OtherHostTests {
    private static let silent = HostFailure(.noAnswer, isCertainlyNotSent: false, message: "no answer")
    private static let busy = HostFailure(.hostError, isCertainlyNotSent: false, message: "busy")
    private static let details = [AttemptDetail("other", "1")]

    @Test func theOtherHostHasItsAttemptsAlone() async throws {
        let other = OtherHost([.failure(Self.silent), .failure(Self.busy), .success(.acknowledged)])
        let till = try await ServiceTill.started(otherHost: other)
        try await till.begin(purchase("S1", 1050, Self.details))
        await till.pass(.seconds(600))
        #expect(try await till.status() == .reversed)
        #expect(other.asked == [.authorise, .reverse, .reverse])
        #expect(till.link.sent.isEmpty)
        try await till.begin(purchase("S2"), as: "X")
        #expect(try await till.status("X") == .approved)
        #expect(till.link.sent.first == .authorise)
        #expect(other.asked.count == 3)
    }

    @Test func itsApprovalIsThatOfAHost() async throws {
        let reference = HostReference(rawValue: "T1")
        let other = OtherHost([.success(.approved(HostApproval(reference: reference)))])
        let till = try await ServiceTill.started(otherHost: other)
        // A swipe takes no further part, as a payment that a terminal processes as a whole.
        till.useCard { $0 == .acceptCard ? .cardSwiped : ServiceTill.card($0) }
        try await till.begin(purchase("S1", 1050, Self.details))
        #expect(try await till.status() == .approved)
        #expect(try await till.service.recordAtOtherHost(of: attempt("A1"))?.reference == reference)
        try await till.begin(purchase("S2"), as: "X")
        #expect(try await till.service.recordAtOtherHost(of: attempt("X")) == nil)
        await #expect(throws: DeskRefusal(.unknownAttempt, attempt("Z"))) {
            try await till.service.recordAtOtherHost(of: attempt("Z"))
        }
        #expect(try await ServiceTill.started().service.recordAtOtherHost(of: attempt("Z")) == nil)
    }

    @Test func aRequestThatItCannotTakeIsRefusedBeforeACardIsRead() async throws {
        let till = try await ServiceTill.started(otherHost: OtherHost([]))
        let request = try AttemptRequest(
            sale: sale("S1"), kind: .authorisation, amount: euros(1050), details: Self.details)
        let refusal = await #expect(throws: DeskRefusal.self) { try await till.begin(request) }
        #expect(refusal?.code == .notWritable)
        #expect(till.tasks.isEmpty)
    }

    /// A service that is shut down does not wait for the answer, and the next one asks for the reversal.
    @Test func theNextServiceAsksTheSameHost() async throws {
        let other = OtherHost([])
        let till = try await ServiceTill.started(otherHost: other)
        _ = try await till.service.begin(purchase("S1", 1050, Self.details))
        await other.asked(1)
        await till.service.shutDown()
        #expect(till.journal.state("A1") == .asked)
        other.add(.success(.acknowledged))
        try await till.start()
        await till.rest()
        #expect(try await till.status() == .reversed)
        #expect(other.asked == [.authorise, .reverse])
        #expect(till.link.sent.isEmpty)
    }
}

/// A host of attempts with the detail `other`. Without an answer it is silent, until the wait is cancelled.
private final class OtherHost: AttemptHost {
    private struct State {
        var asked: [HostRequest.Operation] = []
        var answers: [Result<HostReply, HostFailure>]
    }

    private let state: Lock<State>
    private let changes = AsyncSignal()

    init(_ answers: [Result<HostReply, HostFailure>]) { state = Lock(State(answers: answers)) }

    var asked: [HostRequest.Operation] { state.withLock { $0.asked } }

    func add(_ answer: Result<HostReply, HostFailure>) { state.withLock { $0.answers.append(answer) } }

    /// Waits until a number of requests has come.
    func asked(_ count: Int) async {
        while true {
            let seen = changes.count
            if asked.count >= count { return }
            await changes.wait(after: seen)
        }
    }

    func takes(_ request: AttemptRequest) -> Bool { request.details.contains { $0.name == "other" } }

    func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure) {
        guard request.kind != .purchase else { return }
        throw HostFailure(.notWritable, isCertainlyNotSent: true, message: "purchases alone")
    }

    func answer(_ request: HostRequest, limit: Duration) async throws(HostFailure) -> HostReply {
        let answer = state.withLock { state in
            state.asked.append(request.operation)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        changes.send()
        if let answer { return try answer.get() }
        let (silence, continuation) = AsyncStream<Void>.makeStream()
        defer { continuation.finish() }
        for await _ in silence {}
        throw HostFailure(.noAnswer, isCertainlyNotSent: false, message: "cancelled")
    }
}
