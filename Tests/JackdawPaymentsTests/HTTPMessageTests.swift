import JackdawPayments
import Testing

@Suite struct HTTPMessageTests {
    @Test func descriptionsHaveNoSecrets() {
        let body = HTTPBody(copying: Array("4111111111111111".utf8).span)
        let request = HTTPRequest(
            .post, "/payments.json", query: [HTTPField("token", "s3cret")],
            headers: [HTTPField("Authorization", "s3cret")], body: body)
        #expect("\(request)" == "POST /payments.json, 16 bytes")
        #expect("\(HTTPAnswer(status: 200, headers: request.headers, body: body))" == "status 200, 16 bytes")
        #expect("\(request.headers)" == "[Authorization]")
        #expect(body.withBytes { $0.count } == 16 && HTTPBody().withBytes { $0.count } == 0)
    }

    /// An error in the settings of the client, which a person can correct, must not take messages out of the queue.
    @Test func aRequestThatTheClientRefusesStaysQueued() {
        let failure = HostFailure(HTTPFailure(.invalidRequest, message: "the address has a space"))
        #expect(failure.code == .noAnswer)
        #expect(failure.isCertainlyNotSent)
    }
}
