import JackdawReaders
import JackdawSandbox
import JackdawTestSupport
import Testing

/// The file of users and merchants. Its form is this project's.
@Suite struct SandboxDirectoryTests {
    private func error(_ old: String, _ new: String) -> SandboxFileError? {
        let text = SandboxDirectory.readyText.replacing(old, with: new, maxReplacements: 1)
        #expect(text != SandboxDirectory.readyText, "\(old)")
        do throws(SandboxFileError) {
            _ = try SandboxDirectory(json: Array(text.utf8))
            return nil
        } catch { return error }
    }

    @Test func theDirectoryInsideTheModuleIsRight() throws {
        _ = try SandboxDirectory(json: Array(SandboxDirectory.readyText.utf8))
    }

    @Test(
        arguments: [
            ("{", "[", SandboxFileError.Code.json, "the file"), ("\"brand\"", "\"brands\"", .member, "the file"),
            ("\"name\": \"Jackdaw Test Shop\", ", "", .member, "merchants[0]"),
            (
                "\"currencies\": [\"EUR\", \"USD\", \"JPY\", \"KWD\"]", "\"currencies\": []", .kind,
                "merchants[0].currencies"
            ),
            ("\"KWD\"", "\"ABC\"", .value, "merchants[0].currencies"),
            ("[0, 700, 1900]", "[0.5]", .value, "merchants[0].tax_rates"),
            ("\"upper\": 500000", "\"upper\": -1", .value, "merchants[0].limits.upper"),
            ("\"upper\": 500000", "\"upper\": \"1\"", .value, "merchants[0].limits.upper"),
            ("\"net_taxation\": false", "\"net_taxation\": 0", .kind, "merchants[0].net_taxation"),
            ("\"utc_offset\": 60", "\"utc_offset\": 1441", .value, "merchants[0].utc_offset"),
            ("\"id\": \"2\", \"name\"", "\"id\": \"1\", \"name\"", .value, "merchants"),
            ("\"external_id\": \"till-2\"", "\"external_id\": \"till-1\"", .value, "users"),
            ("\"merchant\": \"1\", \"first_name\"", "\"merchant\": \"9\", \"first_name\"", .value, "users[0].merchant"),
            ("\"terminal\": \"SN00000001\"", "\"terminal\": \"SN00000003\"", .value, "users[0].terminal"),
            ("\"password\": \"till-1-password\",", "", .member, "users[0]"),
            ("\"password\": \"till-1-password\"", "\"password\": \"a\", \"password_hash\": \"b\"", .member, "users[0]"),
            ("\"created\": \"2016-01-01\"", "\"created\": \"2016-13-01\"", .value, "users[0].created"),
            ("\"external_id\": \"till-1\"", "\"external_id\": \"till 1\"", .value, "users[0].external_id"),
            ("\"aid_configurations\": []", "\"aid_configurations\": [{\"a\": 1}]", .kind, "aid_configurations[0].a"),
            ("\"aid_configurations\": []", "\"faults\": [{\"fault\": \"x\"}]", .value, "faults[0].fault"),
            (
                "\"aid_configurations\": []", "\"faults\": [{\"fault\": \"garbled\", \"route\": \"GET x\"}]", .value,
                "faults[0].route"
            ),
            ("\"terminals\": [", "\"terminals\": {}, \"firmware\": [", .json, "the file"),
            (
                "\"terminals\": [\"PosMate\", \"SPm2\"]", "\"url\": \"https://a\", \"terminals\": [\"a\"]", .member,
                "configuration"
            ),
            ("\"terminals\": [\"PosMate\", \"SPm2\"], ", "", .member, "configuration"),
        ] as [(String, String, SandboxFileError.Code, String)])
    func otherFilesAreErrorsWithTheirPlace(
        _ old: String, _ new: String, _ code: SandboxFileError.Code, _ place: String
    ) {
        let error = error(old, new)
        #expect(error?.code == code)
        #expect(error?.place == place)
    }

    @Test func anErrorHasNoPassword() {
        let error = error("\"created\": \"2016-01-01\"", "\"created\": \"x\"")
        #expect(error.map { !"\($0)".contains("password") } == true)
    }
}

/// Times of the calendar: the examples of RFC 3339 and of leap years in the Gregorian calendar.
@Suite struct CivilTimeTests {
    @Test(
        arguments: [
            (0, 0, "1970-01-01T00:00:00Z"), (1_453_992_427, 60, "2016-01-28T15:47:07+01:00"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"), (951_868_799, 0, "2000-02-29T23:59:59Z"),
            (951_868_800, 0, "2000-03-01T00:00:00Z"), (4_107_542_400, 0, "2100-03-01T00:00:00Z"),
            // RFC 3339, 5.8: 1996-12-19T16:39:57-08:00 is 1996-12-20T00:39:57Z.
            (851_042_397, 0, "1996-12-20T00:39:57Z"), (851_042_397, -480, "1996-12-19T16:39:57-08:00"),
            (253_402_300_799, 0, "9999-12-31T23:59:59Z"), (0, -60, "1970-01-01T00:00:00-01:00"),
        ] as [(Int64, Int, String)])
    func timesAreShownInTheirZone(_ seconds: Int64, _ offset: Int, _ wanted: String) {
        #expect(CivilTime(milliseconds: seconds * 1000, offset: offset).iso8601 == wanted)
    }

    @Test func datesGoThereAndBack() {
        for day in stride(from: 0, to: 100_000, by: 17) {
            let time = CivilTime(milliseconds: Int64(day) * 86_400_000, offset: 0)
            #expect(time.dayNumber == day)
            #expect(CivilTime.dayNumber(dashed: String(time.iso8601.prefix(10))) == day)
        }
    }
}
