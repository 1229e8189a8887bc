import JackdawEMV
import JackdawSimulator

extension SandboxDirectory {
    /// The largest size of a file, in bytes.
    public static let maxFileSize = DescriptionObject.maxFileSize

    /// Reads a directory from its file; docs/sandbox.md describes it.
    /// - Parameter json: a JSON object in UTF-8, at most ``maxFileSize`` bytes. The caller wipes it.
    /// - Throws: ``SandboxFileError`` with the place and the reason.
    public init(json: [UInt8]) throws(SandboxFileError) {
        let members = [
            "brand", "clients", "merchants", "users", "terminals", "firmware", "configuration", "aid_configurations",
            "faults",
        ]
        do throws(SimulationFileError) {
            try self.init(DescriptionObject(json: json, allowed: members))
        } catch { throw SandboxFileError(error) }
    }

    private init(_ file: DescriptionObject) throws(SimulationFileError) {
        brand = try file.shortText("brand", or: "Jackdaw sandbox")
        clients = []
        for object in try file.objects("clients", most: 100, allowed: ["id", "secret"]) {
            let secret = SecretOctets(Array(try object.shortText("secret").utf8))
            clients.append(Client(identifier: try object.identifier("id"), secret: secret))
        }
        merchants = []
        for object in try file.objects("merchants", most: 100, allowed: Merchant.members) {
            merchants.append(try Merchant(object))
        }
        users = []
        for object in try file.objects("users", most: 1_000, allowed: User.members) { users.append(try User(object)) }
        terminals = []
        for object in try file.objects("terminals", most: 1_000, allowed: ["serial", "id", "type", "merchant"]) {
            terminals.append(
                Terminal(
                    serial: try object.identifier("serial"), identifier: try object.identifier("id"),
                    type: try object.shortText("type"), merchant: try object.identifier("merchant")))
        }
        firmware = []
        for object in try file.objects("firmware", most: 100, allowed: ["terminal_type"] + VersionedFile.members) {
            firmware.append((try object.shortText("terminal_type"), try VersionedFile(object)))
        }
        configuration = try file.optionalObject("configuration", allowed: Configuration.members)
            .map { (object) throws(SimulationFileError) in try Configuration(object) }
        applications = try file.texts(ofObjects: "aid_configurations", most: 100)
        faults = []
        for object in try file.objects("faults", most: 100, allowed: ["fault", "route", "after", "times"]) {
            faults.append(try PlannedFault(object))
        }
        try check()
    }

    /// Checks that what is named exists, and no identifier comes twice.
    private func check() throws(SimulationFileError) {
        try Self.checkUnique(clients.map(\.identifier), "clients")
        try Self.checkUnique(merchants.map(\.identifier), "merchants")
        try Self.checkUnique(users.map(\.identifier), "users")
        try Self.checkUnique(users.map(\.externalIdentifier), "users")
        try Self.checkUnique(terminals.map(\.serial), "terminals")
        for (index, user) in users.enumerated() {
            guard merchant(user.merchant) != nil else {
                throw SimulationFileError(.value, at: "users[\(index)].merchant", "no merchant has this identifier")
            }
            guard user.terminal.isEmpty || terminal(user.terminal)?.merchant == user.merchant else {
                throw SimulationFileError(.value, at: "users[\(index)].terminal", "the merchant has no such terminal")
            }
        }
        for (index, terminal) in terminals.enumerated() where merchant(terminal.merchant) == nil {
            throw SimulationFileError(.value, at: "terminals[\(index)].merchant", "no merchant has this identifier")
        }
    }

    private static func checkUnique(_ names: [String], _ place: String) throws(SimulationFileError) {
        guard Set(names).count == names.count else {
            throw SimulationFileError(.value, at: place, "an identifier comes twice")
        }
    }
}

extension SandboxDirectory.Merchant {
    fileprivate static let members = [
        "id", "name", "mid", "country", "currencies", "tax_rates", "net_taxation", "limits", "service_charge",
        "utc_offset", "product_list",
    ]

    fileprivate init(_ object: DescriptionObject) throws(SimulationFileError) {
        identifier = try object.identifier("id")
        name = try object.shortText("name")
        // The acquirer's identifier of the merchant, which no answer has.
        _ = try object.shortText("mid", or: "")
        country = try object.shortText("country", or: "DE")
        var found: [Currency] = []
        for code in try object.shortTexts("currencies") {
            guard let currency = Currency.find(alphabeticCode: code) else {
                throw SimulationFileError(.value, at: object.place(of: "currencies"), "ISO 4217 has no such currency")
            }
            found.append(currency)
        }
        currencies = found
        taxRates = try object.numbers("tax_rates", 0...10_000)
        usesNetTaxation = try object.optionalFlag("net_taxation")
        let amounts = 0...999_999_999_999
        let limits = try object.optionalObject("limits", allowed: ["lower", "upper", "daily"])
        self.limits = SandboxDirectory.AmountLimits(
            lower: try limits?.optionalNumber("lower", amounts).map { UInt64($0) },
            upper: try limits?.optionalNumber("upper", amounts).map { UInt64($0) },
            daily: try limits?.optionalNumber("daily", amounts).map { UInt64($0) })
        let charge = try object.optionalObject("service_charge", allowed: ["amount", "tax_rate"])
        serviceCharge = (
            try charge?.optionalNumber("amount", amounts) ?? 0, try charge?.optionalNumber("tax_rate", 0...10_000) ?? 0
        )
        offset = try object.optionalNumber("utc_offset", -1_440...1_440) ?? 0
        products = try object.optionalObject("product_list", allowed: SandboxDirectory.VersionedFile.members)
            .map { (object) throws(SimulationFileError) in try SandboxDirectory.VersionedFile(object) }
    }
}

extension SandboxDirectory.User {
    fileprivate static let members = [
        "id", "external_id", "merchant", "first_name", "last_name", "email", "phone", "password", "password_hash",
        "terminal", "created",
    ]

    fileprivate init(_ object: DescriptionObject) throws(SimulationFileError) {
        identifier = try object.identifier("id")
        externalIdentifier = try object.identifier("external_id")
        merchant = try object.identifier("merchant")
        firstName = try object.shortText("first_name", or: "")
        lastName = try object.shortText("last_name", or: "")
        email = try object.shortText("email", or: "")
        phone = try object.shortText("phone", or: "")
        guard object.has("password") != object.has("password_hash") else {
            throw SimulationFileError(.member, at: object.place, "it must have either password or password_hash")
        }
        password =
            object.has("password")
            ? .plain(SecretOctets(Array(try object.shortText("password").utf8)))
            : .hash(try object.shortText("password_hash"))
        terminal = try object.shortText("terminal", or: "")
        guard let day = CivilTime.dayNumber(dashed: try object.shortText("created", or: "1970-01-01")) else {
            throw SimulationFileError(.value, at: object.place(of: "created"), "it must be a date: 2026-01-28")
        }
        created = day
    }
}

extension SandboxDirectory.VersionedFile {
    fileprivate static let members = ["version", "url", "md5"]

    fileprivate init(_ object: DescriptionObject) throws(SimulationFileError) {
        version = try object.shortText("version")
        url = try object.shortText("url")
        md5 = try object.shortText("md5", or: "")
    }
}

extension SandboxDirectory.Configuration {
    fileprivate static let members = ["version", "url", "md5", "terminals"]

    fileprivate init(_ object: DescriptionObject) throws(SimulationFileError) {
        version = try object.shortText("version")
        guard object.has("url") != object.has("terminals") else {
            throw SimulationFileError(.member, at: object.place, "it must have either url or terminals")
        }
        url = object.has("url") ? try object.shortText("url") : nil
        terminals = object.has("terminals") ? try object.shortTexts("terminals") : []
        md5 = try object.shortText("md5", or: "")
    }
}

extension PlannedFault {
    fileprivate init(_ object: DescriptionObject) throws(SimulationFileError) {
        guard let fault = SandboxFault(try object.shortText("fault")) else {
            throw SimulationFileError(.value, at: object.place(of: "fault"), "it is no fault, such as slow=5000")
        }
        let route = object.has("route") ? try object.shortText("route") : nil
        guard route == nil || SandboxRoute.table.contains(where: { $0.name == route }) else {
            throw SimulationFileError(
                .value, at: object.place(of: "route"), "it is no route, such as POST payments.json")
        }
        self.init(
            fault, route: route, after: try object.optionalNumber("after", 0...1_000_000) ?? 0,
            times: try object.optionalNumber("times", 1...1_000_000))
    }
}
