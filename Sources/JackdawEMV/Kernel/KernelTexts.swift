// The steps of a kernel, for people. No text has card data.

extension AuthenticationReport {
    /// The method and the result so far, for people.
    public var text: String {
        guard let method else { return "card and terminal have no method in common" }
        return "\(method.rawValue): \(failure.map { "\($0)" } ?? "no failure")"
    }
}

extension KernelStep {
    /// The thing that the kernel has done, with the reasons, one a line.
    public var text: String {
        switch self {
        case .processingOptions(let profile): Self.lines("the card's application", profile.namedBits.map { $0.text })
        case .record(let record): "record \(record.number) of file \(record.file) read"
        case .offlineAuthentication(let report): "offline data authentication, \(report.text)"
        case .restrictions(let report): Self.lines("processing restrictions", report.findings.map { $0.text })
        case .cardholderVerification(let report): Self.lines("cardholder verification", report.events.map { $0.text })
        case .riskManagement(let report): Self.lines("terminal risk management", report.findings.map { $0.text })
        case .actionAnalysis(let action): "terminal action analysis, \(action.text)"
        case .cryptogramRequest(let type, let isSigned, let tvr, _):
            Self.lines("\(type.name) requested\(isSigned ? " with a signature" : "")", tvr.namedBits.map { $0.text })
        case .firstCryptogram(let information, let decision):
            "the card answers \(information.type?.name ?? "a reserved type"): \(decision.text)"
        case .host(.approved): "the host approved"
        case .host(.declined): "the host declined"
        case .host(.unreachable): "the host was not asked"
        case .host(.unknown): "the host was asked, and its decision is not known"
        case .issuerAuthentication(nil): "the issuer's data do not have 8 to 16 octets and were not sent"
        case .issuerAuthentication(.success?): "the card accepted the issuer's data"
        case .issuerAuthentication(let status?): "the card refused the issuer's data with status \(status)"
        case .script(let result): "issuer script: \(result.text)"
        case .secondCryptogram(let information, let decision):
            "the card answers \(information.type?.name ?? "a reserved type"): \(decision.text)"
        case .ignored(let identifier, .late): "answer to effect \(identifier) ignored: it was answered before"
        case .ignored(let identifier, .unknown): "answer to effect \(identifier) ignored: there is no such effect"
        case .ignored(let identifier, .invalid): "answer to effect \(identifier) ignored: it does not fit"
        }
    }

    private static func lines(_ title: String, _ parts: [String]) -> String {
        parts.reduce(title) { "\($0)\n  \($1)" }
    }
}
