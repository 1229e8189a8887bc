/// What a message carries: values, and the descriptors that some of them mean.
struct BusBody: Sendable {
    var values: [BusValue]
    var descriptors: [BusDescriptor]

    init(_ values: [BusValue] = [], descriptors: [BusDescriptor] = []) {
        self.values = values
        self.descriptors = descriptors
    }

    /// The value at a place; nil where there are fewer.
    subscript(index: Int) -> BusValue? { values.indices.contains(index) ? values[index] : nil }

    /// The descriptor that a value means.
    func descriptor(at index: Int) -> BusDescriptor? {
        guard case .descriptor(let place)? = self[index], descriptors.indices.contains(place) else { return nil }
        return descriptors[place]
    }
}

/// A call of a method, on its way out.
struct BusCall: Sendable {
    var destination: String
    var path: String
    var interface: String
    var member: String
    var body = BusBody()

    init(_ destination: String, _ path: String, _ interface: String, _ member: String, _ body: BusBody = BusBody()) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
    }

    /// A call to the bus itself.
    static func daemon(_ member: String, _ values: BusValue...) -> BusCall {
        BusCall(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, BusBody(values))
    }
}

/// An answer to a call.
struct BusReply: Sendable {
    /// The unique name of who answered.
    let sender: String
    let body: BusBody
}

/// A signal.
struct BusSignal: Sendable {
    /// The unique name of who sent it; on the way out, whatever.
    var sender = ""
    var path: String
    var interface: String
    var member: String
    var body = BusBody()
}

/// A call of a method of an exported object, which waits for its answer.
struct BusRequest: Sendable {
    /// What it is answered by.
    let number: Int
    /// The unique name of who asks.
    let sender: String
    let path: String
    let interface: String
    let member: String
    let body: BusBody
}

/// Which signals are asked for.
struct BusMatch: Sendable {
    var sender: String?
    var path: String?
    /// A path and all that lie under it.
    var pathNamespace: String?
    var interface: String?
    var member: String?
    /// The first argument, a string.
    var firstArgument: String?

    /// The rule in the words of D-Bus.
    var rule: String {
        let parts = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", firstArgument),
        ]
        return "type='signal'" + parts.map { key, value in value.map { ",\(key)='\($0)'" } ?? "" }.joined()
    }
}
