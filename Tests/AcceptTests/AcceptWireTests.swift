import Accept
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

/// The wire format against the sandbox, and its bytes.
@Suite struct AcceptWireTests {
    // MARK: requests, byte by byte

    /// Names: the Android archive of the Accept SDK. Encoding: `urllib.parse.urlencode` of Python 3.12.
    @Test func aPurchaseIsTheFormOfAnotherEncoder() throws {
        let details = [
            AttemptDetail("tip", "50"), AttemptDetail("items[][note]", "Käse & Brot 2+1=3%"),
            AttemptDetail("items[][gross_price]", "1000"), AttemptDetail("sub_merchant[name]", "Kiosk/Nord~1"),
        ]
        let encoded = try AcceptWire().encode(
            request(
                .authorise, "A1", 1050, details: details, octets: body(hex("9F0206000000001050 9F390105"))))
        #expect(encoded.method == .post)
        #expect(encoded.path == "/v3/payments.json")
        #expect(
            text(encoded.body) == """
                payment%5Bunique_id%5D=A1&payment%5Btransaction_type%5D=purchase&payment%5Bamount%5D=1050&\
                payment%5Bcurrency%5D=EUR&payment%5Btip%5D=50&\
                payment%5Bitems%5D%5B%5D%5Bnote%5D=K%C3%A4se+%26+Brot+2%2B1%3D3%25&\
                payment%5Bitems%5D%5B%5D%5Bgross_price%5D=1000&\
                payment%5Bsub_merchant%5D%5Bname%5D=Kiosk%2FNord~1&\
                payment%5Bpos_data%5D%5Bpos_entry_mode%5D=05&payment%5Braw_data%5D=9F02060000000010509F390105
                """)
        let headers = encoded.headers.map { "\($0.name): \($0.value)" }
        #expect(
            headers == [
                "Accept: application/json", "X-Compatibility-Level: 20",
                "Content-Type: application/x-www-form-urlencoded",
            ])
    }

    /// Encoding of paths: `urllib.parse.quote` of Python 3.12.
    @Test func identifiersAreEncodedInPaths() throws {
        let wire = AcceptWire(basePath: "/host/v3")
        let name = "A/1?#%&+[]"
        #expect(
            try wire.encode(request(.enquire, name)).path == "/host/v3/unique_ids/A%2F1%3F%23%25%26%2B%5B%5D.json")
        let reversal = try wire.encode(request(.reverse, name, cause: .timeout))
        #expect(reversal.path == "/host/v3/unique_ids/A%2F1%3F%23%25%26%2B%5B%5D/reverse.json")
        let form = "fnc_type=technical&note=timeout&amount=1000&currency=EUR&transaction_type=purchase"
        #expect(text(reversal.body) == form)
        #expect(text(try wire.encode(request(.reverse, cause: .signatureRejected)).body).hasPrefix("fnc_type=void"))
    }

    @Test func partsNameTheirOriginalAndTheirOwnIdentifier() throws {
        let refund = try AcceptWire().encode(request(.refund, "R1", 250, kind: .refund(of: attempt("A1"))))
        #expect(refund.path == "/v3/payments/A1/refund.json")
        #expect(text(refund.body) == "unique_id=R1&amount=250")
        let capture = try AcceptWire().encode(request(.capture, "C1", 250, kind: .capture(of: attempt("A1"))))
        #expect(capture.path == "/v3/payments/A1/capture.json")
        let certificate = try AcceptWire().encode(request(.complete, octets: body([0x9F, 0x26, 1, 0xAC])))
        #expect(certificate.method == .put)
        #expect(text(certificate.body) == "payment%5Bcnp_transaction_certificate%5D=9F2601AC")
        let image = try AcceptWire().encode(request(.sign, octets: body([0x89, 0x50])))
        #expect(image.method == .put && image.path == "/v3/payments/A1.json")
        #expect(text(image.body) == "payment%5Bsignature%5D=8950")
    }

    /// The guide's 3.2: amounts are multiplied by 100. JPY has no decimals and KWD three (ISO 4217).
    @Test(arguments: [(978, 1050, "1050"), (392, 500, "50000"), (414, 10_500, "1050")] as [(UInt16, UInt64, String)])
    func amountsAreHundredths(currency: UInt16, units: UInt64, expected: String) throws {
        let encoded = try AcceptWire().encode(
            request(.authorise, "A1", units, currency: currency, octets: body([1])))
        #expect(text(encoded.body).contains("payment%5Bamount%5D=\(expected)&"))
    }

    @Test func whatTheFormatHasNoPlaceForIsNotSent() throws {
        let cases: [HostRequest] = [
            try request(.authorise, "A1", 10_501, currency: 414, octets: body([1])),
            try request(.authorise, "search", octets: body([1])), try request(.authorise, "A.json", octets: body([1])),
            try request(.authorise, details: [AttemptDetail("unique_id", "B")], octets: body([1])),
            try request(.authorise, details: [AttemptDetail("raw_data", "B")], octets: body([1])),
            try request(.authorise, details: [AttemptDetail("raw_data[x]", "B")], octets: body([1])),
            try request(.authorise), try request(.complete), try request(.capture),
            try request(.authorise, octets: body([UInt8](repeating: 0, count: 4097))),
            try request(.complete, octets: body([UInt8](repeating: 0, count: 257))), try request(.sign),
            try request(.sign, octets: body([UInt8](repeating: 0, count: 32_769))),
            try request(.authorise, ".", octets: body([1])), try request(.enquire, ".."), try request(.reverse, ".."),
            try request(.refund, kind: .refund(of: attempt(".."))),
            try request(.capture, ".", kind: .capture(of: attempt("A"))),
        ]
        for request in cases {
            let failure = #expect(throws: HostFailure.self) { try AcceptWire().encode(request) }
            #expect(failure?.code == .notWritable)
            #expect(failure?.isCertainlyNotSent == true)
        }
    }

    // MARK: round trips with the sandbox

    @Test func aPurchaseIsApprovedWithTheIssuersData() throws {
        var till = try AcceptTill()
        let asked = try request(.authorise, octets: card(1000))
        guard case .approved(let approval) = try till.ask(asked) else { return #expect(Bool(false)) }
        #expect(approval.reference?.rawValue.hasPrefix("SANDBOX-") == true)
        // Authorisation response code 00 in tag 8A (EMV Book 4, annex A 6).
        #expect(hexadecimal(bytes(approval.forCard)).hasPrefix("8A023030"))
        #expect(till.paths == ["/v3/oauth2/token", "/v3/payments.json"])
        #expect(try till.ask(request(.enquire)) == .status(.approved(approval.reference)))
        // The same request again is the same payment.
        #expect(try till.ask(asked) == .approved(approval))
        #expect(till.fixture.sandbox.store.paymentCount == 1)
    }

    @Test func declinesHaveTheirReasons() throws {
        var till = try AcceptTill()
        guard case .declined(let decline) = try till.ask(request(.authorise, "A1", 5105, octets: card(5105))) else {
            return #expect(Bool(false))
        }
        #expect(!decline.isReferral)
        #expect(decline.forCard.count > 0)
        #expect(try till.ask(request(.enquire, "A1", 5105)) == .status(.declined(decline.reason)))
        #expect(
            try till.ask(request(.reverse, "A1", 5105, cause: .timeout)) == .status(.declined(decline.reason)))
        guard case .declined(let referral) = try till.ask(request(.authorise, "A2", 40_001, octets: card(40_001)))
        else { return #expect(Bool(false)) }
        #expect(referral.isReferral)
    }

    @Test func aReversalEndsAPaymentAndClosesAnUnknownIdentifier() throws {
        var till = try AcceptTill()
        _ = try till.ask(request(.authorise, octets: card(1000)))
        for _ in 0..<2 { #expect(try till.ask(request(.reverse, cause: .timeout)) == .acknowledged) }
        #expect(try till.ask(request(.enquire)) == .status(.reversed))
        #expect(try till.ask(request(.authorise, octets: card(1000))) == .status(.reversed))
        #expect(try till.ask(request(.enquire, "A2")) == .status(.nothingBooked))
        #expect(try till.ask(request(.reverse, "A2", cause: .crash)) == .acknowledged)
        #expect(try till.ask(request(.enquire, "A2")) == .status(.reversed))
        guard case .declined = try till.ask(request(.authorise, "A2", octets: card(1000, counter: 2))) else {
            return #expect(Bool(false))
        }
    }

    @Test func aReversalOfVersion3FindsPaymentsAlone() throws {
        var till = try AcceptTill()
        till.wire = AcceptWire(reversals: .ofPayments)
        #expect(try till.ask(request(.reverse, cause: .timeout)) == .notFound)
        #expect(try till.ask(request(.enquire)) == .status(.nothingBooked))
        guard case .approved = try till.ask(request(.authorise, octets: card(1000))),
            case .declined = try till.ask(request(.authorise, "A2", 5105, octets: card(5105, counter: 2)))
        else { return #expect(Bool(false)) }
        #expect(try till.ask(request(.reverse, "A2", 5105, cause: .crash)) == .notFound)
        guard case .status(.declined) = try till.ask(request(.enquire, "A2", 5105)) else {
            return #expect(Bool(false))
        }
        for _ in 0..<2 { #expect(try till.ask(request(.reverse, cause: .timeout)) == .acknowledged) }
        #expect(till.paths.last == "/v3/payments/A1/reverse.json")
        #expect(try till.ask(request(.enquire)) == .status(.reversed))
    }

    @Test func anAuthorisationIsCapturedAndRefundedInParts() throws {
        var till = try AcceptTill()
        let authorisation = try request(.authorise, "A1", 2000, kind: .authorisation, octets: card(2000))
        guard case .approved = try till.ask(authorisation) else { return #expect(Bool(false)) }
        let capture = try request(.capture, "C1", 1500, kind: .capture(of: attempt("A1")))
        for _ in 0..<2 {
            guard case .approved = try till.ask(capture) else { return #expect(Bool(false)) }
        }
        let refund = try request(.refund, "R1", 500, kind: .refund(of: attempt("A1")))
        guard case .approved(let approval) = try till.ask(refund) else { return #expect(Bool(false)) }
        let enquiry = try request(.enquire, "R1", 500, kind: .refund(of: attempt("A1")))
        #expect(try till.ask(enquiry) == .status(.approved(approval.reference)))
        // The identifier of a capture is not that of a refund, and the amounts are those of the requests.
        for other in [
            try request(.enquire, "C1", 1500, kind: .refund(of: attempt("A1"))),
            try request(.enquire, "R1", 501, kind: .refund(of: attempt("A1"))),
            try request(.enquire, "R1", 500), try request(.enquire, "A1", 500, kind: .refund(of: attempt("A1"))),
        ] {
            #expect(try till.ask(other) == .status(.otherPayment))
        }
        #expect(try till.ask(request(.enquire, "R2", 1, kind: .refund(of: attempt("A1")))) == .status(.nothingBooked))
        #expect(try till.ask(request(.refund, "R3", 1, kind: .refund(of: attempt("none")))) == .notFound)
    }

    @Test func adviceAndCompletionReachTheIssuer() throws {
        var till = try AcceptTill()
        let advice = try request(.advise, "A1", octets: card(1000, type: 0x40))
        for _ in 0..<2 {
            guard case .approved = try till.ask(advice) else { return #expect(Bool(false)) }
        }
        guard case .approved = try till.ask(request(.authorise, "A2", octets: card(1000, counter: 2))) else {
            return #expect(Bool(false))
        }
        let certificate = card(
            1000, counter: 2, type: 0x40, changes: [0x5A: String?.none, 0x5F20: String?.none, 0x50: String?.none])
        let completion = try request(.complete, "A2", octets: certificate)
        for _ in 0..<2 { #expect(try till.ask(completion) == .acknowledged) }
        #expect(try till.ask(request(.complete, "A3", octets: certificate)) == .notFound)
    }

    // MARK: errors of the host

    @Test func aConflictLeavesTheOutcomeOpen() throws {
        var till = try AcceptTill()
        _ = try till.ask(request(.authorise, octets: card(1000)))
        // The same identifier for another amount: 409. The host has booked the first.
        let other = #expect(throws: HostFailure.self) {
            try till.ask(request(.authorise, "A1", 1100, octets: card(1100)))
        }
        #expect(other?.code == .conflict)
        #expect(other?.isCertainlyNotSent == false)
        // An enquiry about the second finds that it is not the first.
        guard case .status(.otherPayment) = try till.ask(request(.enquire, "A1", 1100)) else {
            return #expect(Bool(false))
        }
        till.fault = "duplicate-id"
        let doubled = #expect(throws: HostFailure.self) { try till.ask(request(.authorise, octets: card(1000))) }
        #expect(doubled?.code == .conflict)
        guard case .status(.approved) = try till.ask(request(.enquire)) else { return #expect(Bool(false)) }
    }

    /// The identifier of a payment, of a refund and of an amount, used for another of them.
    @Test func anotherUseOfAnIdentifierIsRecognised() throws {
        var till = try AcceptTill()
        _ = try till.ask(request(.authorise, octets: card(1000)))
        _ = try till.ask(request(.authorise, "A2", octets: card(1000, counter: 2)))
        _ = try till.ask(request(.refund, "R1", 300, kind: .refund(of: attempt("A1"))))
        let others = [
            try request(.enquire, "A1", 300, kind: .refund(of: attempt("A2"))),
            try request(.enquire, "A1", kind: .authorisation),
            try request(.enquire, "R1", 300),
            try request(.enquire, "R1", 200, kind: .refund(of: attempt("A1"))),
            try request(.enquire, "R1", 300, kind: .refund(of: attempt("A2"))),
            try request(.enquire, "R1", 300, kind: .capture(of: attempt("A1"))),
        ]
        for other in others { #expect(try till.ask(other) == .status(.otherPayment), "\(other)") }
        guard case .status(.approved) = try till.ask(request(.enquire, "R1", 300, kind: .refund(of: attempt("A1"))))
        else { return #expect(Bool(false)) }
    }

    /// The payment of another till stays booked.
    @Test func aReversalTakesBackNoOtherPayment() throws {
        var till = try AcceptTill()
        _ = try till.ask(request(.authorise, octets: card(1000)))
        _ = try till.ask(request(.authorise, "A2", octets: card(1000, counter: 2)))
        _ = try till.ask(request(.refund, "R1", 300, kind: .refund(of: attempt("A2"))))
        for other in [
            try request(.reverse, "A1", 1100, cause: .timeout), try request(.reverse, "R1", 300, cause: .timeout),
            try request(.reverse, "A1", kind: .authorisation, cause: .timeout),
        ] {
            let error = #expect(throws: HostFailure.self) { try till.ask(other) }
            #expect(error?.code == .conflict, "\(other)")
        }
        guard case .status(.approved) = try till.ask(request(.enquire)) else { return #expect(Bool(false)) }
        #expect(try till.ask(request(.reverse, cause: .timeout)) == .acknowledged)
    }

    @Test func identifiersThatPathsReserveAreRefusedBeforeTheyAreUsed() throws {
        let wire = AcceptWire()
        let refund = try request(.refund, "R1", kind: .refund(of: attempt("A1"))).request
        let ofReserved = try request(.refund, "R1", kind: .refund(of: attempt(".."))).request
        #expect(throws: HostFailure.self) { try wire.check(refund, as: attempt("..")) }
        #expect(throws: HostFailure.self) { try wire.check(ofReserved, as: attempt("R1")) }
        try wire.check(refund, as: attempt("R1"))
    }

    @Test func aRefusalIsOneThatNoCopyOfTheRequestCanEscape() throws {
        var till = try AcceptTill()
        // The merchant's upper limit is a decline; a tip that is no number is none.
        guard case .declined = try till.ask(request(.authorise, "A1", 600_000, octets: card(600_000))),
            case .refused = try till.ask(
                request(.authorise, details: [AttemptDetail("tip", "x")], octets: card(1000)))
        else { return #expect(Bool(false)) }
        // The state of a payment may change before a late copy comes.
        _ = try till.ask(request(.authorise, "A2", octets: card(1000)))
        let refund = #expect(throws: HostFailure.self) {
            try till.ask(request(.refund, "R1", 2000, kind: .refund(of: attempt("A2"))))
        }
        #expect(refund?.code == .conflict)
        // A reversal after the period is refused for good.
        till.fixture.now += .seconds(86_401)
        guard case .refused = try till.ask(request(.reverse, "A2", cause: .timeout)) else {
            return #expect(Bool(false))
        }
    }

    /// Each fault at each operation ends in a reply or a failure, and no failure claims more than is certain.
    @Test(
        arguments: [
            "silent-before", "silent-after", "status=400", "status=503", "status-after=500", "status-after=409",
            "status-after=422", "garbled", "cut=0", "cut=17", "duplicate-id", "slow=60000", "token-expired",
        ])
    func faultsEndInAReplyOrAFailure(fault: String) throws {
        for operation in HostRequest.Operation.allCases {
            var till = try AcceptTill()
            var asked = try request(operation, "A2", octets: card(1000, type: operation == .advise ? 0x40 : 0x80))
            switch operation {
            case .capture, .refund:
                let kind = operation == .capture ? AttemptKind.authorisation : .purchase
                _ = try till.ask(request(.authorise, "A1", kind: kind, octets: card(1000)))
                asked = try request(
                    operation, "A2",
                    kind: operation == .capture ? .capture(of: attempt("A1")) : .refund(of: attempt("A1")))
            case .complete, .sign, .reverse, .enquire: _ = try till.ask(request(.authorise, "A2", octets: card(1000)))
            case .authorise, .advise: break
            }
            till.fault = fault
            let before = try #require(till.fixture.sandbox.store.json)
            do throws(HostFailure) {
                _ = try till.ask(asked)
                #expect(fault == "token-expired")
            } catch {
                if error.isCertainlyNotSent { #expect(till.fixture.sandbox.store.json == before) }
                #expect(error.code != .notWritable)
            }
        }
    }

    @Test func whatTheFormatCannotExpressIsKnownBeforeACardIsRead() throws {
        func request(
            _ units: UInt64, _ currency: UInt16, _ details: [AttemptDetail] = []
        ) throws -> AttemptRequest {
            try AttemptRequest(
                sale: SaleIdentifier(rawValue: "S1")!, kind: .purchase,
                amount: Amount(minorUnits: units, currencyCode: currency), details: details)
        }
        let wire = AcceptWire()
        try wire.check(request(1050, 978), as: nil)
        // A dinar of Kuwait has 1000 fils; the format has hundredths.
        try wire.check(request(10_500, 414), as: attempt("A1"))
        for (request, name) in try [
            (request(10_501, 414), "A1"), (request(1, 978, [AttemptDetail("colour", "red")]), "A1"),
            (request(1, 978), "search"), (request(1, 978), "A1.json"),
        ] {
            let failure = #expect(throws: HostFailure.self) { try wire.check(request, as: attempt(name)) }
            #expect(failure?.code == .notWritable)
        }
    }
}

extension SandboxStore {
    /// The books as lines of JSON; nil if they are not in memory.
    var json: [UInt8]? { (self as? MemorySandboxStore)?.lines }
}
