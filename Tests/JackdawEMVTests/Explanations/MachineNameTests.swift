import JackdawEMV
import Testing

/// The names of codes for machines.
@Suite struct MachineNameTests {
    private static let terminations: [KernelTermination.Code] = [
        .cardLost, .status, .malformed, .missing, .repeated, .limitExceeded, .unexpectedCryptogram, .amountTooLarge,
        .cancelled,
    ]
    private static let failures: [AuthenticationFailure.Code] = [
        .missing, .authorityKeyMissing, .length, .format, .hash, .expired, .identifier, .algorithm, .exponent, .revoked,
        .tagList, .dynamicList, .record, .limitExceeded, .cryptogramInformation, .transactionData, .response,
    ]

    @Test func namesAreSmallLettersAndUnderscores() {
        let names = Self.terminations.map(\.name) + Self.failures.map(\.name)
        for name in names { #expect(name.wholeMatch(of: #/[a-z]+(_[a-z]+)*/#) != nil, "\(name)") }
        #expect(Set(Self.terminations.map(\.name)).count == Self.terminations.count)
        #expect(Set(Self.failures.map(\.name)).count == Self.failures.count)
    }
}
