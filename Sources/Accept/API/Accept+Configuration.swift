public import JackdawCards
import JackdawPayments

// Configurations of terminals: the guide 1.6.182, chapters 3.1 and 3.2.

extension Accept {
    /// Fetches the newest configuration for a terminal, checks it, and keeps its version in the journal, so that payments can
    /// begin at the terminal, also after a restart. A terminal that has the newest version stays as it is.
    ///
    /// It is the till's part of the SDK's `updateTerminalsForVendor:andToken:andConfig:completion:`: nothing is transferred to
    /// the device.
    /// - Parameters:
    ///   - terminal: the terminal, as it was found.
    ///   - vendorUUID: its vendor.
    ///   - accessToken: the token of a login.
    ///   - config: the connection to the host, which must have the file, too.
    /// - Returns: the terminal with its version.
    /// - Throws: `config(.unsupportedFeature)` for a terminal that needs none, `config(.terminalUnsupported)` if the file is
    ///   not for it, `config(.zipDownload)` if the file cannot be fetched or is not the announced one, `journalFailed`,
    ///   `notRunning`, and the errors of ``queryConfigFile(_:config:andCurrentVersion:)``.
    public func configure(
        _ terminal: AcceptTerminal, of vendorUUID: String, andToken accessToken: SecretText,
        config: AcceptDataServiceConfig
    ) async throws(AcceptError) -> AcceptTerminal {
        guard terminal.dependsOnConfiguration else {
            throw AcceptError(.config(.unsupportedFeature), "The terminal needs no configuration.")
        }
        let service = try paymentService()
        let files = try await queryConfigFile(
            accessToken, config: config, andCurrentVersion: terminal.configurationVersion ?? "0")
        guard terminal.needs(files) else { return terminal }
        guard let path = files.path(at: config.url) else {
            throw AcceptError(
                .config(.zipDownload), "The file is at another host, to which no token is sent: \(files.url).")
        }
        let answer = try await exchange(requests.file(path), accessToken, config, .configDownload)
        guard try TerminalConfiguration(answer.body, announcedBy: files).isFor(terminal) else {
            throw AcceptError(.config(.terminalUnsupported), "The host's configuration is for other terminals.")
        }
        do throws(DeskRefusal) {
            try await service.writeNote(
                files.version, named: TerminalConfiguration.note(of: terminal.uuid, vendorUUID))
        } catch { throw OperationRules.error(error) }
        var configured = terminal
        configured.configurationVersion = files.version
        return configured
    }

    /// ``configure(_:of:andToken:config:)`` with a completion: the terminal or the error.
    public func configure(
        _ terminal: AcceptTerminal, of vendorUUID: String, andToken accessToken: SecretText,
        config: AcceptDataServiceConfig, completion: @escaping @Sendable (AcceptTerminal?, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.configure(terminal, of: vendorUUID, andToken: accessToken, config: config)
        }
    }

    /// Adds the versions that the journal has to terminals that need a configuration, and report none themselves.
    func remembered(
        _ terminals: [AcceptTerminal], of vendorUUID: String
    ) async throws(AcceptError) -> [AcceptTerminal] {
        guard let service = try? paymentService() else { return terminals }
        var terminals = terminals
        for index in terminals.indices where terminals[index].isUnconfigured {
            let name = TerminalConfiguration.note(of: terminals[index].uuid, vendorUUID)
            do throws(DeskRefusal) {
                terminals[index].configurationVersion = try await service.note(named: name)
            } catch {
                // Terminals can be found before the payment service runs.
                guard error.code == .notRunning else { throw OperationRules.error(error) }
            }
        }
        return terminals
    }
}
