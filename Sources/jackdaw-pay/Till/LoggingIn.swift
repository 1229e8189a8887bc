#if Payments
import Accept
import JackdawCards
import JackdawConsole
import JackdawPayments
import JackdawStore

/// A login at a host, which later commands of the till use.
struct LoggingIn: Sendable {
    let folder: TillFolder
    let host: TillHost
    let printer: TillPrinter

    /// Logs in, keeps the token, and prints the merchant. No other command can use the journal in that time.
    /// - Throws: `CommandError`: `badData` if the host refuses name, password or secret; `unavailable` if the journal has
    ///   messages for another host or merchant, or is in use.
    func run(
        _ user: String, _ password: SecretText, _ secret: SecretText
    ) async throws(CommandError) -> ExitStatus {
        let journal = try await OpenTill.openJournal(folder)
        do throws(CommandError) {
            let status = try await logIn(user, password, secret, journal)
            await journal.close()
            return status
        } catch {
            await journal.close()
            throw error
        }
    }

    private func logIn(
        _ user: String, _ password: SecretText, _ secret: SecretText, _ journal: DatabaseJournal
    ) async throws(CommandError) -> ExitStatus {
        try await check(journal, for: host)
        let accept = OpenTill.accept(of: host)
        let config = host.config(secret)
        let token: AcceptAccessToken
        let merchant: AcceptUserResponseMerchant
        do throws(AcceptError) {
            token = try await accept.requestAccessToken(user, password: password, config: config)
            merchant = try await accept.requestMerchantInfo(token.accessToken, config: config).merchant
        } catch { throw CommandError(error) }
        var place = host
        place.merchant = merchant.id
        try await check(journal, for: place)
        try folder.keep(TillFolder.Login(host: place, token: token.accessToken, secret: secret))
        report(token, merchant)
        return .done
    }

    /// Checks that no message of the journal is for another host or merchant: it would be sent to this one.
    /// - Parameters:
    ///   - journal: the journal of the till.
    ///   - host: the host of the login. Without its merchant only the address is compared.
    /// - Throws: `CommandError` with status `unavailable` if there is such a message.
    private func check(_ journal: DatabaseJournal, for host: TillHost) async throws(CommandError) {
        let last: TillHost?
        do throws(CommandError) {
            guard let known = try folder.host() else { return }
            guard known.address != host.address || host.merchant != nil && known.merchant != host.merchant else {
                return
            }
            last = known
        } catch {
            // A damaged file may be that of another host.
            guard error.status == .badData else { throw error }
            last = nil
        }
        let needed: NeededRecords
        do throws(JournalError) { needed = try await journal.neededRecords() } catch { throw CommandError(error) }
        guard needed.records.isEmpty, needed.unreadable.isEmpty else {
            guard let last else {
                throw CommandError(
                    .unavailable,
                    "\(folder.hostFile) cannot be read, and the journal has payments that are not over: remove the file if "
                        + "this login is for their host and merchant, or use another --till")
            }
            throw CommandError(
                .unavailable,
                "the journal has payments of merchant \(last.merchant ?? "unknown") at \(last.address) that are not over: "
                    + "finish them by journal flush, or use another --till")
        }
    }

    private func report(_ token: AcceptAccessToken, _ merchant: AcceptUserResponseMerchant) {
        let lifetime = token.expireInSeconds.map { "; the login ends after \($0) s without use" } ?? ""
        let currencies = merchant.currencies.joined(separator: ", ")
        printer.print("login", ["logged in at \(host.address) for \(merchant.name) (\(currencies))\(lifetime)"]) {
            $0.add("host", host.address)
            $0.add("merchant", merchant.id)
            $0.add("name", merchant.name)
            $0.add("currencies", merchant.currencies)
            $0.add("expires_in", token.expireInSeconds)
        }
    }
}
#endif
