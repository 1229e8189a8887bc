import Testing

@testable import JackdawTransport

@Suite("Codes of errors")
struct LinkErrorCodeTests {
    /// Those that need an action of the user first.
    private static let lasting: Set<String> = [
        "badName", "notPermitted", "unsupported", "rejected", "pairedElsewhere", "cancelled", "full",
    ]
    private static let passing: Set<String> = [
        "notFound", "busy", "disconnected", "system", "outOfRange", "refused", "adapterOff", "serviceMissing",
        "timedOut", "badAnswer",
    ]

    @Test("each code states if another attempt may succeed", arguments: LinkError.Code.Kind.allCases)
    func mayPass(_ kind: LinkError.Code.Kind) {
        let code = LinkError.Code(kind: kind)
        #expect(code.mayPass == Self.passing.contains(code.name))
        #expect(code.mayPass != Self.lasting.contains(code.name))
    }
}
