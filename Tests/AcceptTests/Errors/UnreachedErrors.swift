@testable import Accept

extension ErrorSituation {
    /// A code that no situation reaches, with the reason.
    struct Unreached: Sendable {
        let code: AcceptError.Code
        let reason: String
    }

    static let unreached: [Unreached] = [
        Unreached(code: .common(.transactionsQueryTokenExpired), reason: "later issue: search"),
        Unreached(code: .common(.transactionsQueryNoConnection), reason: "later issue: search"),
        Unreached(code: .common(.queryStatsTokenExpired), reason: "later issue: statistics"),
        Unreached(code: .common(.queryStatsConnection), reason: "later issue: statistics"),
        Unreached(code: .config(.terminalDisconnected), reason: "later issue: transfer of configurations"),
        Unreached(code: .config(.terminalMayNotBeSet), reason: "later issue: transfer of configurations"),
        Unreached(code: .config(.terminalCancelledFileDownload), reason: "later issue: transfer of configurations"),
        Unreached(code: .config(.productionFirmwareOnDevelopmentTerminal), reason: "later issue: firmware"),
        Unreached(code: .config(.developmentFirmwareOnProductionTerminal), reason: "later issue: firmware"),
        Unreached(code: .config(.terminalFirmwareDoesNotExist), reason: "later issue: firmware"),
    ]
}
