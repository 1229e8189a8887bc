import JackdawReaders
import Testing

/// Profiles in code and in files, those that mean harm included.
@Suite struct ReaderProfileTests {
    private static func read(_ text: String) throws(ReaderError) -> ReaderProfile {
        try ReaderProfile(json: Array(text.utf8))
    }

    /// The place and the reason of the error of a file, if its message names these values.
    private static func fault(_ text: String, _ values: [String] = []) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch {
            guard error.code == .badProfile, let place = error.place, let reason = error.reason,
                error.message.hasPrefix("\(place): "), values.allSatisfy({ error.message.contains($0) })
            else { return "\(error)" }
            return "\(place): \(reason.rawValue)"
        }
    }

    @Test func aFileIsRead() throws {
        let profile = try Self.read(
            """
            {"name": "ours", "family": "epos", "summary": "as its manual says", "values": {
              "frame.start": {"bytes": "02 aF", "provenance": "documented", "source": "manual, p. 3", "title": "start"},
              "times.answer": {"number": 2000, "provenance": "reported"},
              "frame.counted": {"text": "content"},
              "is.so": {"flag": true},
              "frame.end": {"bytes": null, "title": "end"}}}
            """)
        #expect(profile.name == "ours")
        #expect(profile.family == "epos")
        #expect(profile.summary == "as its manual says")
        #expect(profile["frame.start"] == ProfileEntry("start", .bytes([0x02, 0xAF]), .documented, "manual, p. 3"))
        #expect(profile[.answer]?.value == .number(2000))
        #expect(profile[.answer]?.provenance == .reported)
        #expect(profile["frame.counted"]?.value == .text("content"))
        #expect(profile["frame.counted"]?.provenance == .unknown)
        #expect(profile["is.so"]?.value == .flag(true))
        #expect(profile["frame.end"] == ProfileEntry("end", missing: .bytes, ""))
        #expect(profile.missing == ["frame.end"])
    }

    @Test(arguments: ReaderFamily.all.flatMap(\.profiles)) func writtenProfilesAreReadAgain(_ profile: ReaderProfile)
        throws
    {
        #expect(try ReaderProfile(json: profile.json) == profile)
    }

    @Test(arguments: ReaderFamily.all.flatMap(\.profiles))
    func everyValueHasTitleAndSource(_ profile: ReaderProfile) {
        for (key, entry) in profile.entries {
            #expect(!entry.title.isEmpty && !entry.source.isEmpty, "\(key)")
            #expect(entry.value != nil || entry.provenance == .unknown, "\(key)")
        }
        #expect(!profile.summary.isEmpty)
    }

    private static let kinds = ["number", "text", "bytes", "flag"]

    /// Files, the place and the reason of the error, and what its message names.
    private static let refused: [(String, String, [String])] = [
        ("", "the profile: syntax", []), ("{", "the profile: syntax", []),
        ("[1]", "the profile: kind", ["an array", "an object"]),
        (#"{"family": "neo"}"#, "name: missing", []),
        (#"{"name": 5, "family": "neo"}"#, "name: kind", ["a number", "a text"]),
        (#"{"name": "a"}"#, "family: missing", []),
        (
            #"{"name": "a", "family": "b", "valeus": {}}"#, "the profile: member",
            ["\"valeus\"", "name, family, summary, values"]
        ),
        (#"{"name": "a", "family": "b", "values": 3}"#, "values: kind", ["a number", "an object"]),
        (#"{"name": "a", "family": "b", "values": {"x": {}}}"#, "values.x: member", kinds),
        (#"{"name": "a", "family": "b", "values": {"x": {"number": 1, "text": "1"}}}"#, "values.x: member", kinds),
        (
            #"{"name": "a", "family": "b", "values": {"x": {"number": "1"}}}"#, "values.x.number: kind",
            ["a text", "a number"]
        ),
        (
            #"{"name": "a", "family": "b", "values": {"x": {"bytes": "0"}}}"#, "values.x.bytes: kind",
            ["a text", "hexadecimal"]
        ),
        (
            #"{"name": "a", "family": "b", "values": {"x": {"bytes": "0g"}}}"#, "values.x.bytes: kind",
            ["a text", "hexadecimal"]
        ),
        (
            #"{"name": "a", "family": "b", "values": {"x": {"flag": 1}}}"#, "values.x.flag: kind",
            ["a number", "true or false"]
        ),
        (
            #"{"name": "a", "family": "b", "values": {"x": {"flag": true, "provenance": "sworn"}}}"#,
            "values.x.provenance: choice", ["documented, reported, inferred, unknown"]
        ),
        (
            #"{"name": "a", "family": "b", "values": {"x": {"flag": true, "source": []}}}"#, "values.x.source: kind",
            ["an array", "a text"]
        ),
        (#"{"name": "a", "family": "b", "values": {"x": {"number": 1e999}}}"#, "the profile: syntax", []),
        ("{\"name\": \"\u{0}\", \"family\": \"b\"}", "the profile: syntax", []),
    ]

    @Test(arguments: refused)
    func invalidProfilesAreRefusedWithTheReason(text: String, fault: String, values: [String]) {
        #expect(Self.fault(text, values) == fault)
    }

    @Test func invalidTextIsRefused() {
        #expect(throws: ReaderError.self) {
            try ReaderProfile(json: Array("{\"name\": \"".utf8) + [0xFF, 0xC0] + Array("\"}".utf8))
        }
    }

    @Test func aFileThatIsTooMuchIsRefusedBeforeItIsRead() {
        let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
        #expect(Self.fault(deep, ["16"]) == "the profile: depth")
        let unclosed = String(repeating: "{\"a\":", count: 13_000)
        #expect(Self.fault(unclosed, ["16"]) == "the profile: depth")
        let long = String(repeating: " ", count: ReaderProfile.maxFileSize + 1)
        #expect(Self.fault(long, ["65537", "65536"]) == "the profile: size")
        // Brackets in a text are no objects.
        let text = #"{"name": "[[[[[[[[[[[[[[[[[[[[[[[[[\"[[[", "family": "b"}"#
        #expect(Self.fault(text) == nil)
    }

    @Test func valuesAreLaidOverThoseOfTheFamily() throws {
        let family = try #require(ReaderFamily.named("miura"))
        let own = try Self.read(
            """
            {"name": "ours", "family": "miura", "values": {
              "miura.reportFlags": {"number": 3, "provenance": "reported", "source": "tried out"},
              "times.longestSwipe": {"number": 60000}}}
            """)
        let dialect = try #require(try family.makeDialect(own) as? MiuraDialect)
        #expect(dialect.reportFlags == 3)
        #expect(dialect.times.swipe == .seconds(3) ... .seconds(60))
        let both = try family.profile.with(own)
        #expect(both.name == "ours")
        #expect(both[.reportFlags]?.title == family.profile[.reportFlags]?.title)
        #expect(both[.reportFlags]?.source == "tried out")
        #expect(both.entries.count == family.profile.entries.count)
    }

    /// Profiles, the reason of the error, and what its message names.
    private static let unfit: [(String, ReaderError.Reason?, [String])] = [
        (#"{"name": "x", "family": "neo"}"#, .family, ["neo", "miura"]),
        (
            #"{"name": "x", "family": "miura", "values": {"reportFlags": {"number": 1}}}"#,
            .member, [#""x""#, " reportFlags,", "miura"]
        ),
        (
            #"{"name": "x", "family": "miura", "values": {"miura.reportFlags": {"bytes": "01"}}}"#,
            .range, ["values.miura.reportFlags ", #""x" is bytes"#]
        ),
        (
            #"{"name": "x", "family": "miura", "values": {"miura.reportFlags": {"number": 256}}}"#,
            .range, ["values.miura.reportFlags ", #""x" is 256"#]
        ),
        (
            #"{"name": "x", "family": "miura", "values": {"miura.reportFlags": {"number": 1.5}}}"#,
            .range, ["values.miura.reportFlags ", #""x" is 1.5"#]
        ),
        (
            #"{"name": "x", "family": "miura", "values": {"times.answer": {"number": 0}}}"#,
            .range, ["values.times.answer ", #""x" is 0"#]
        ),
        (
            #"{"name": "x", "family": "miura", "values": {"times.answerTries": {"number": -1}}}"#,
            .range, ["values.times.answerTries ", #""x" is -1"#]
        ),
        (
            #"{"name": "x", "family": "miura", "values": {"times.shortestSwipe": {"number": 30000}}}"#,
            .order, [#""x""#]
        ),
    ]

    @Test(arguments: unfit)
    func aProfileThatDoesNotFitTheFamilyIsRefused(
        text: String, reason: ReaderError.Reason?, values: [String]
    ) throws {
        let family = try #require(ReaderFamily.named("miura"))
        do {
            _ = try family.makeDialect(Self.read(text))
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .badProfile)
            #expect(error.reason == reason)
            for value in values { #expect(error.message.contains(value)) }
        }
    }

    @Test func missingValuesAreNamedWithTheirKind() throws {
        var profile = ReaderProfile("x", of: "y")
        profile["a.b"] = ProfileEntry("how it begins", missing: .bytes)
        do {
            try profile.require(["a.b", "c"])
            Issue.record("it was there")
        } catch {
            #expect(error.code == .missingValue)
            #expect(error.message.contains(#""x" of y readers"#))
            #expect(error.message.hasSuffix(": a.b, c"))
            #expect(error.remedy?.hasSuffix(" a.b: how it begins (bytes); c") == true)
        }
        #expect(throws: ReaderError.self) { try profile.require("c") }
        profile["a.b"] = ProfileEntry("how it begins", .bytes([1, 2]), .reported, "here")
        #expect(try profile.require("a.b") == .bytes([1, 2]))
        #expect(try profile.bytes("a.b", count: 1...2) == [1, 2])
        #expect(throws: ReaderError.self) { try profile.bytes("a.b", count: 3...4) }
        #expect(throws: ReaderError.self) { try profile.flag("a.b") }
        #expect(throws: ReaderError.self) { try profile.text("a.b") }
        #expect(throws: ReaderError.self) { try profile.integer("a.b", in: 0...9) }
    }

    @Test func timesAreThoseOfTheFacts() throws {
        // ID TECH's SDK: 2.6 s for a tone, 5 tones, 4 s for a command, 3 tries, a wait of 3 to 20 s.
        for name in ["btmag", "idtech", "ips", "magtek", "miura"] {
            #expect(try ReaderFamily.named(name)?.profile.times() == ReaderTimes())
        }
        let profile = try #require(ReaderFamily.named("idtech")?.profile)
        #expect(profile[.powerUp]?.provenance == .reported)
        #expect(profile[.longestSwipe]?.provenance == .documented)
        #expect(profile[.silence]?.provenance == .inferred)
    }
}
