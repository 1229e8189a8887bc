import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The answers of a simulated cardholder.
@Suite struct SimulatedPayerTests {
    private func payer(_ text: String) throws(SimulationFileError) -> SimulatedPayer {
        try SimulatedPayer(json: Array(text.utf8))
    }

    /// Answers in hexadecimal digits and words.
    private func name(_ answer: SimulatedPayer.Answer?) -> String {
        switch answer {
        case .inserts?: "inserts"
        case .taps?: "taps"
        case .swipes?: "swipes"
        case .chooses(let index)?: "chooses \(index)"
        case .enters(let pin)?: String(decoding: pin.octets, as: UTF8.self)
        case .bypasses?: "bypasses"
        case .cancels?: "cancels"
        case .signs(let isRight)?: "signs \(isRight)"
        case .refuses?: "refuses"
        case nil: "nothing"
        }
    }

    private let question = PINRequest(isOnline: false, triesLeft: 3, isRetry: false)

    @Test(
        arguments: [
            ("{\"pin\": {\"digits\": \"1234\"}}", ["1234", "1234", "1234"]),
            ("{\"pin\": {\"digits\": \"1294\", \"wrong_first\": 2}}", ["2305", "2305", "1294"]),
            ("{\"pin\": {\"action\": \"bypass\"}}", ["bypasses", "bypasses", "bypasses"]),
            ("{\"pin\": {\"action\": \"cancel\"}}", ["cancels", "cancels", "cancels"]),
            ("{}", ["bypasses", "bypasses", "bypasses"]),
        ])
    func thePINIsEnteredAsTheFileSays(_ text: String, _ answers: [String]) throws {
        var payer = try payer(text)
        #expect(answers.map { _ in name(payer.receive(.enterPIN(question), at: .zero)?.answer) } == answers)
    }

    @Test(arguments: [
        ("{}", "signs true"), ("{\"signature\": \"wrong\"}", "signs false"),
        ("{\"signature\": \"refused\"}", "refuses"), ("{\"signature\": \"none\"}", "nothing"),
    ])
    func theSignatureIsThatOfTheFile(_ text: String, _ answer: String) throws {
        var payer = try payer(text)
        #expect(name(payer.receive(.sign, at: .zero)?.answer) == answer)
    }

    @Test func answersTakeTheirTime() throws {
        var payer = try payer(
            "{\"delays\": {\"card\": 1, \"application\": 2, \"pin\": 3, \"signature\": 4}, \"presentations\": 2}")
        // Without candidates, the first is chosen.
        let questions: [SimulatedPayer.Question] = [.presentCard, .chooseApplication([]), .enterPIN(question), .sign]
        let times = questions.map { payer.receive($0, at: .seconds(1))?.at }
        #expect(times == [1, 2, 3, 4].map { .seconds(1) + .milliseconds($0) })
        // The file allows two presentations, and this is the second.
        #expect(payer.receive(.presentCard, at: .zero) != nil)
        #expect(payer.receive(.presentCard, at: .zero) == nil)
    }

    @Test func theCardIsRemovedAfterAnExchange() throws {
        var payer = try payer("{\"removal\": {\"after_exchange\": 3, \"delay\": 40}}")
        _ = payer.receive(.presentCard, at: .zero)
        let removals = (1...5).map { _ in payer.cardAnswered(at: .seconds(1)) }
        #expect(removals == [nil, nil, .seconds(1) + .milliseconds(40), nil, nil])
        #expect(payer.receive(.presentCard, at: .zero) == nil)
    }

    @Test func theCardIsPresentedInTheWaysOfTheFile() throws {
        var payer = try payer("{\"presents\": [\"tap\", \"swipe\", \"tap\", \"insert\"], \"presentations\": 5}")
        let answers = (1...6).map { _ in name(payer.receive(.presentCard, at: .zero)?.answer) }
        #expect(answers == ["taps", "swipes", "taps", "inserts", "inserts", "nothing"])
    }

    /// A card that is torn away twice is presented again.
    @Test func theCardIsRemovedSeveralTimes() throws {
        var payer = try payer("{\"removal\": {\"after_exchange\": 2, \"times\": 2}}")
        for isRemoved in [true, true, false] {
            #expect(payer.receive(.presentCard, at: .zero) != nil)
            #expect(payer.cardAnswered(at: .zero) == nil)
            #expect((payer.cardAnswered(at: .zero) != nil) == isRemoved)
        }
    }

    @Test(
        arguments: [
            ("[]", SimulationFileError.Code.kind, "the file"), ("{", .json, "the file"),
            ("{\"sign\": 1}", .member, "the file"),
            ("{\"pin\": {}}", .member, "pin"), ("{\"pin\": {\"digits\": \"123\"}}", .value, "pin.digits"),
            ("{\"pin\": {\"digits\": \"1234\", \"action\": \"bypass\"}}", .member, "pin"),
            ("{\"pin\": {\"digits\": \"1234\", \"wrong_first\": 16}}", .value, "pin.wrong_first"),
            ("{\"pin\": {\"action\": \"bypass\", \"wrong_first\": 1}}", .member, "pin"),
            ("{\"application\": {}}", .member, "application"),
            ("{\"application\": {\"aid\": \"\"}}", .length, "application.aid"),
            ("{\"signature\": \"ink\"}", .value, "signature"), ("{\"removal\": {}}", .member, "removal"),
            ("{\"removal\": {\"after_exchange\": 0}}", .value, "removal.after_exchange"),
            ("{\"removal\": {\"after_exchange\": 1, \"times\": 0}}", .value, "removal.times"),
            ("{\"presents\": []}", .value, "presents"), ("{\"presents\": [\"wave\"]}", .value, "presents"),
            ("{\"delays\": {\"card\": 0.5}}", .value, "delays.card"),
            ("{\"presentations\": 11}", .value, "presentations"),
        ] as [(String, SimulationFileError.Code, String)])
    func errorsNameTheirPlace(_ text: String, _ code: SimulationFileError.Code, _ place: String) throws {
        let error = #expect(throws: SimulationFileError.self) { try payer(text) }
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    @Test func printedFormsHaveNoPIN() throws {
        let payer = try payer("{\"pin\": {\"digits\": \"1234\"}}")
        var dump = "\(payer)"
        Swift.dump(payer, to: &dump)
        #expect(!dump.contains("1234"))
    }
}
