import JackdawEMV
import JackdawReaders

extension SandboxDirectory {
    /// The largest size of a file, in bytes.
    public static let maxFileSize = 1 << 18

    /// Reads a directory from its file; docs/sandbox.md describes it.
    /// - Parameter json: a JSON object in UTF-8, at most ``maxFileSize`` bytes. The caller wipes it.
    /// - Throws: ``SandboxFileError`` with the place and the reason.
    public init(json: [UInt8]) throws(SandboxFileError) {
        let content: JSONValue
        do throws(JSONValue.Fault) { content = try JSONValue(json, most: Self.maxFileSize) } catch {
            throw SandboxFileError(.json, at: "", error.message)
        }
        let members = [
            "name", "brand", "clients", "merchants", "users", "terminals", "firmware", "configuration",
            "aid_configurations", "faults",
        ]
        try self.init(DirectoryObject(content, at: "", allowed: members))
    }

    private init(_ file: DirectoryObject) throws(SandboxFileError) {
        brand = try file.text("brand", or: "Jackdaw sandbox")
        clients = []
        for object in try file.objects("clients", most: 100, allowed: ["id", "secret"]) {
            let secret = SecretOctets(Array(try object.text("secret").utf8))
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
                    type: try object.text("type"), merchant: try object.identifier("merchant")))
        }
        firmware = []
        for object in try file.objects("firmware", most: 100, allowed: ["terminal_type"] + VersionedFile.members) {
            firmware.append((try object.text("terminal_type"), try VersionedFile(object)))
        }
        configuration = try file.object("configuration", allowed: VersionedFile.members)
            .map { (object) throws(SandboxFileError) in try VersionedFile(object) }
        applications = try file.texts(ofObjects: "aid_configurations", most: 100)
        faults = []
        for object in try file.objects("faults", most: 100, allowed: ["fault", "route", "after", "times"]) {
            faults.append(try PlannedFault(object))
        }
        try check()
    }

    /// Checks that what is named exists, and no identifier comes twice.
    private func check() throws(SandboxFileError) {
        try Self.checkUnique(clients.map(\.identifier), "clients")
        try Self.checkUnique(merchants.map(\.identifier), "merchants")
        try Self.checkUnique(users.map(\.identifier), "users")
        try Self.checkUnique(users.map(\.externalIdentifier), "users")
        try Self.checkUnique(terminals.map(\.serial), "terminals")
        for (index, user) in users.enumerated() {
            guard merchant(user.merchant) != nil else {
                throw SandboxFileError(.value, at: "users[\(index)].merchant", "no merchant has this identifier")
            }
            guard user.terminal.isEmpty || terminal(user.terminal)?.merchant == user.merchant else {
                throw SandboxFileError(.value, at: "users[\(index)].terminal", "the merchant has no such terminal")
            }
        }
        for (index, terminal) in terminals.enumerated() where merchant(terminal.merchant) == nil {
            throw SandboxFileError(.value, at: "terminals[\(index)].merchant", "no merchant has this identifier")
        }
    }

    private static func checkUnique(_ names: [String], _ place: String) throws(SandboxFileError) {
        guard Set(names).count == names.count else {
            throw SandboxFileError(.value, at: place, "an identifier comes twice")
        }
    }
}

extension SandboxDirectory.Merchant {
    fileprivate static let members = [
        "id", "name", "mid", "country", "currencies", "tax_rates", "net_taxation", "limits", "service_charge",
        "utc_offset", "product_list",
    ]

    fileprivate init(_ object: DirectoryObject) throws(SandboxFileError) {
        identifier = try object.identifier("id")
        name = try object.text("name")
        acquirerIdentifier = try object.text("mid", or: "")
        country = try object.text("country", or: "DE")
        var found: [Currency] = []
        for code in try object.texts("currencies") {
            guard let currency = Currency.find(alphabeticCode: code) else {
                throw SandboxFileError(.value, at: object.place(of: "currencies"), "ISO 4217 has no such currency")
            }
            found.append(currency)
        }
        currencies = found
        taxRates = try object.numbers("tax_rates", 0...10_000)
        usesNetTaxation = try object.flag("net_taxation")
        let amounts = 0...999_999_999_999
        let limits = try object.object("limits", allowed: ["lower", "upper", "daily"])
        self.limits = SandboxDirectory.AmountLimits(
            lower: try limits?.number("lower", amounts).map { UInt64($0) },
            upper: try limits?.number("upper", amounts).map { UInt64($0) },
            daily: try limits?.number("daily", amounts).map { UInt64($0) })
        let charge = try object.object("service_charge", allowed: ["amount", "tax_rate"])
        serviceCharge = (
            try charge?.number("amount", amounts) ?? 0, try charge?.number("tax_rate", 0...10_000) ?? 0
        )
        offset = try object.number("utc_offset", -1_440...1_440) ?? 0
        products = try object.object("product_list", allowed: SandboxDirectory.VersionedFile.members)
            .map { (object) throws(SandboxFileError) in try SandboxDirectory.VersionedFile(object) }
    }
}

extension SandboxDirectory.User {
    fileprivate static let members = [
        "id", "external_id", "merchant", "first_name", "last_name", "email", "phone", "password", "password_hash",
        "terminal", "created",
    ]

    fileprivate init(_ object: DirectoryObject) throws(SandboxFileError) {
        identifier = try object.identifier("id")
        externalIdentifier = try object.identifier("external_id")
        merchant = try object.identifier("merchant")
        firstName = try object.text("first_name", or: "")
        lastName = try object.text("last_name", or: "")
        email = try object.text("email", or: "")
        phone = try object.text("phone", or: "")
        guard object.has("password") != object.has("password_hash") else {
            throw SandboxFileError(.member, at: object.place, "it must have either password or password_hash")
        }
        password =
            object.has("password")
            ? .plain(SecretOctets(Array(try object.text("password").utf8))) : .hash(try object.text("password_hash"))
        terminal = try object.text("terminal", or: "")
        guard let day = CivilTime.dayNumber(dashed: try object.text("created", or: "1970-01-01")) else {
            throw SandboxFileError(.value, at: object.place(of: "created"), "it must be a date: 2026-01-28")
        }
        created = day
    }
}

extension SandboxDirectory.VersionedFile {
    fileprivate static let members = ["version", "url", "md5"]

    fileprivate init(_ object: DirectoryObject) throws(SandboxFileError) {
        version = try object.text("version")
        url = try object.text("url")
        md5 = try object.text("md5", or: "")
    }
}

extension PlannedFault {
    fileprivate init(_ object: DirectoryObject) throws(SandboxFileError) {
        guard let fault = SandboxFault(try object.text("fault")) else {
            throw SandboxFileError(.value, at: object.place(of: "fault"), "it is no fault, such as slow=5000")
        }
        let route = object.has("route") ? try object.text("route") : nil
        guard route == nil || SandboxRoute.table.contains(where: { $0.name == route }) else {
            throw SandboxFileError(.value, at: object.place(of: "route"), "it is no route, such as POST payments.json")
        }
        self.init(
            fault, route: route, after: try object.number("after", 0...1_000_000) ?? 0,
            times: try object.number("times", 1...1_000_000))
    }
}
