import JackdawReaders
import Testing

/// Requests to SPm20 terminals and the meanings of their frames, made by the published rule.
@Suite struct JSONPOSDialectTests {
    private func frame(_ object: String) throws -> [UInt8] { try JSONPOSFormat.frame(Array(object.utf8)) }

    private func meanings(
        _ object: String, _ dialect: JSONPOSDialect = JSONPOSDialect(), answering request: ReaderRequest? = nil
    ) throws -> [ReaderMeaning] {
        let frame = try frame(object)
        return dialect.understand(frame.span, answering: request)
    }

    /// A dialect that has sent so many requests, the last of a method.
    private func sent(_ method: String) -> (JSONPOSDialect, ReaderRequest) {
        var dialect = JSONPOSDialect()
        let request = ReaderRequest(method, Array(method.utf8))
        _ = dialect.encode(request)
        return (dialect, request)
    }

    @Test func identificationBeginsWithLineFeedsAndAPause() throws {
        var dialect = JSONPOSDialect()
        let requests = dialect.identification
        #expect(dialect.encode(requests[0]) == [UInt8](repeating: 0x0A, count: 64))
        #expect(requests.map(\.isAnswered) == [false, true, true, true])
        #expect(requests[0].pause == .milliseconds(100))
        let sync = #"{"id":"1","jsonrpc":"2.0","method":"_Sync","params":{}}"#
        #expect(dialect.encode(requests[1]) == Array("00000037:\(sync)\n".utf8))
        #expect(sync.utf8.count == 0x37)
        #expect(requests[2...].map(\.name) == ["TerminalInfo", "VersionInfo"])
    }

    @Test func eachRequestHasAnIdentifierOfItsOwn() throws {
        var dialect = JSONPOSDialect()
        let request = try #require(dialect.keepAlive)
        #expect(request.name == "_Keepalive")
        _ = dialect.encode(request)
        _ = dialect.encode(request)
        #expect(
            words(try meanings(#"{"jsonrpc":"2.0","id":"1","result":{}}"#, dialect, answering: request))
                == ["unknown: unsolicitedAnswer"])
        #expect(
            words(try meanings(#"{"jsonrpc":"2.0","id":"2","result":{}}"#, dialect, answering: request)) == ["done"])
        dialect.reset()
        #expect(
            words(try meanings(#"{"jsonrpc":"2.0","id":"2","result":{}}"#, dialect, answering: request))
                == ["unknown: unsolicitedAnswer"])
    }

    @Test func theVersionIsReported() throws {
        for method in ["TerminalInfo", "VersionInfo"] {
            let (dialect, request) = sent(method)
            let result = #"{"jsonrpc":"2.0","id":"1","result":{"version":"18.7.0","link_speed":10240}}"#
            #expect(words(try meanings(result, dialect, answering: request)) == ["done: firmware 18.7.0"])
            // Only one of the two is known to each terminal.
            let missing = #"{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"no"}}"#
            #expect(words(try meanings(missing, dialect, answering: request)) == ["done"])
        }
    }

    @Test(arguments: [
        (-32700, "JSONRPC_PARSE_ERROR"), (-32600, "INVALID_REQUEST"), (-32601, "METHOD_NOT_FOUND"),
        (-32602, "INVALID_PARAMS"), (-32603, "INTERNAL_ERROR"), (-32000, "KEEPALIVE"), (1, "UNKNOWN"), (7, "unknown"),
    ])
    func errorsAreRefusals(code: Int, name: String) throws {
        let (dialect, request) = sent("_Sync")
        let error = #""error":{"code":\#(code),"message":"so it is","data":{"string_code":"X","details":"y"}}"#
        let refused = ["refused: \(code) \(name): so it is"]
        #expect(words(try meanings(#"{"jsonrpc":"2.0","id":"1",\#(error)}"#, dialect, answering: request)) == refused)
        #expect(words(try meanings(#"{"jsonrpc":"2.0","id":null,\#(error)}"#, dialect, answering: request)) == refused)
        let other = try meanings(#"{"jsonrpc":"2.0","id":"9",\#(error)}"#, dialect, answering: request)
        #expect(words(other) == ["unknown: unsolicitedRefusal \(code)"])
        guard case .unknown(let text, _) = other.first else { return }
        #expect(text.hasSuffix(": \(code) \(name)"))
    }

    @Test func statesAreReportedWithoutPossibleCardData() throws {
        let event =
            #"{"jsonrpc":"2.0","method":"StatusEvent","params":{"a":"pay 4111111111111111 now","b":3,"c":{},"d":"é"}}"#
        #expect(
            words(try meanings(event)) == [
                "reported: status a pay **************** now", "reported: status b 3", "reported: status d .",
            ])
    }

    /// A confused terminal has a track where its own words should be: neither number nor name is shown or kept.
    @Test(arguments: ["%B4111111111111111^DOE/JANE^2812101?", "%B4111********1111^DOE/JANE^2812101?", "x^DOE/JANE^"])
    func wordsWithATrackAreCounted(words text: String) throws {
        let (dialect, request) = sent("TerminalInfo")
        let body = #"{"id":"1","jsonrpc":"2.0","result":{"version":"\#(text)"}}"#
        let meanings = try meanings(body, dialect, answering: request)
        #expect(words(meanings).allSatisfy { $0.contains("\(text.utf8.count) characters") && !$0.contains("DOE") })
        let event = #"{"jsonrpc":"2.0","method":"StatusEvent","params":{"a":"\#(text)"}}"#
        #expect(words(try self.meanings(event)).allSatisfy { !$0.contains("DOE") && !$0.contains("JANE") })
        let frame = try JSONPOSFormat.frame(Array(body.utf8))
        guard case .masked(let kept) = dialect.masking([frame]) else {
            Issue.record("it is not masked")
            return
        }
        let shown = String(decoding: kept.joined(), as: UTF8.self)
        #expect(!shown.contains("DOE") && !shown.contains("JANE") && shown.utf8.count == frame.count)
    }

    @Test func requestsOfTheTerminalAreAnswered() throws {
        func reply(_ meanings: [ReaderMeaning]) -> String? {
            guard case .reply(let bytes) = meanings.last else { return nil }
            return String(decoding: bytes.dropFirst(9).dropLast(), as: UTF8.self)
        }
        let alive = try meanings(#"{"jsonrpc":"2.0","id":"t5","method":"_Keepalive","params":{}}"#)
        #expect(reply(alive) == #"{"id":"t5","jsonrpc":"2.0","result":{}}"#)
        let status = try meanings(#"{"jsonrpc":"2.0","id":"t6","method":"StatusEvent","params":{"x":true}}"#)
        #expect(words(status.dropLast()) == ["reported: status x true"])
        #expect(reply(status) == #"{"id":"t6","jsonrpc":"2.0","result":{}}"#)
        let network = try meanings(#"{"jsonrpc":"2.0","id":"t7","method":"NetworkConnect","params":{"host":"a"}}"#)
        #expect(words(network.dropLast()) == ["unknown: a request for NetworkConnect"])
        #expect(
            reply(network)
                == #"{"error":{"code":-32601,"message":"not supported"},"id":"t7","jsonrpc":"2.0"}"#)
        // A notification is not answered.
        #expect(
            words(try meanings(#"{"jsonrpc":"2.0","method":"Data","params":{}}"#)) == ["unknown: a request for Data"])
        let close = #"{"jsonrpc":"2.0","method":"_CloseReason","params":{"error":{"code":-32000,"message":"bye"}}}"#
        #expect(words(try meanings(close)) == ["reported: status closing the link (-32000 KEEPALIVE): bye"])
    }

    @Test(arguments: [
        "{}", #"{"jsonrpc":"1.0","id":"1","result":{}}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#, "{x}",
        #"{"jsonrpc":"2.0","id":"1"}"#, #"{"jsonrpc":"2.0","method":5}"#,
        "{" + String(repeating: "\"a\":{", count: 40) + String(repeating: "}", count: 41),
        "{\"a\":\"" + String(repeating: "x", count: 16_384) + "\"}",
    ])
    func hostileMessagesMeanNothing(object: String) throws {
        let (dialect, request) = sent("_Sync")
        let found = words(try meanings(object, dialect, answering: request))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("unknown: a message that cannot be parsed") == true)
    }

    @Test func aSwipeIsNotToBeHad() {
        let error = #expect(throws: ReaderError.self) { try JSONPOSDialect().arming(for: .seconds(20)) }
        #expect(error?.code == .unsupported)
        #expect(error?.remedy?.contains("another family") == true)
        #expect(throws: ReaderError.self) { try JSONPOSDialect().asking(.keySerialNumber) }
    }

    @Test func timesAreTheSDKs() throws {
        let times = try #require(try ReaderFamily.named("jsonpos")?.profile.times())
        #expect(times == JSONPOSDialect().times)
        #expect(times.answer == .seconds(5))
        #expect(times.keepAlive == .seconds(30))
    }
}
