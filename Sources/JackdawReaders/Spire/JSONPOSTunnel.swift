/// The connections of an SPm20 terminal to its host: the terminal has no network of its own, and asks the program to
/// carry its bytes. A machine without I/O, whose user opens the connections.
///
/// Source: `NetworkProxy` of the public SDKs of Poplatek (pt-android-sdk, pt-ios-sdk).
package struct JSONPOSTunnel: Sendable {
    /// A task for the user.
    package enum Output: Sendable, Hashable {
        /// Open a connection, and call ``opened(_:)`` or ``closed(_:_:)``.
        case connect(Int, host: String, port: Int)
        /// Bytes for the peer of a connection.
        case send(Int, [UInt8])
        /// Close a connection. It must not be used any more.
        case disconnect(Int)
    }

    /// The effects of a call: messages for the terminal, and tasks for the user.
    package struct Step: Sendable, Hashable {
        package var messages: [JSONPOSMessage] = []
        package var outputs: [Output] = []
    }

    private enum Connection {
        /// The identifier of the request that waits for the connection.
        case opening(String)
        case open
    }

    /// The most bytes of a message: the buffer of the SDK's reads.
    static let maxPartSize = 512
    /// The most connections; further ones are refused.
    static let maxConnections = 16

    private var connections: [Int: Connection] = [:]
    /// The number of requests to the terminal.
    private var count = 0

    package init() {}

    /// Handles a request or notification of the terminal.
    /// - Parameters:
    ///   - method: the method.
    ///   - parameters: its parameters.
    ///   - id: the identifier of a request.
    /// - Returns: the effects; nil if the method is not about the network.
    mutating func receive(_ method: String, _ parameters: JSONValue, id: String?) -> Step? {
        switch method {
        case "NetworkConnect": connect(parameters, id: id)
        case "NetworkDisconnect": disconnect(parameters, id: id)
        case "Data": send(parameters)
        default: nil
        }
    }

    private mutating func connect(_ parameters: JSONValue, id: String?) -> Step {
        guard let id else { return Step() }
        guard let connection = Self.integer(parameters["connection_id"]), let host = parameters["host"]?.text,
            let port = Self.integer(parameters["port"]), (1...65_535).contains(port), !host.isEmpty,
            connections[connection] == nil, connections.count < Self.maxConnections
        else { return Step(messages: [Self.refusal("the connection is not possible", id: id)]) }
        connections[connection] = .opening(id)
        return Step(outputs: [.connect(connection, host: host, port: port)])
    }

    private mutating func disconnect(_ parameters: JSONValue, id: String?) -> Step {
        guard let connection = Self.integer(parameters["connection_id"]),
            connections.removeValue(forKey: connection) != nil
        else { return Step(messages: id.map { [Self.refusal("there is no such connection", id: $0)] } ?? []) }
        return Step(
            messages: id.map { [.result(.object([:]), id: $0)] } ?? [], outputs: [.disconnect(connection)])
    }

    private mutating func send(_ parameters: JSONValue) -> Step {
        guard let connection = Self.integer(parameters["id"]), case .open? = connections[connection] else {
            return Step()
        }
        // The SDK closes a connection whose data it cannot read.
        guard let bytes = parameters["data"]?.base64Octets else {
            var step = closed(connection, "data that is not base64")
            step.outputs.append(.disconnect(connection))
            return step
        }
        return Step(outputs: [.send(connection, bytes)])
    }

    /// The user has opened a connection.
    /// - Parameter connection: the connection.
    /// - Returns: the effects.
    mutating func opened(_ connection: Int) -> Step {
        guard case .opening(let id)? = connections[connection] else { return Step() }
        connections[connection] = .open
        return Step(messages: [.result(.object([:]), id: id)])
    }

    /// The user received bytes from the peer of a connection.
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - connection: the connection.
    /// - Returns: the effects.
    mutating func receive(_ bytes: [UInt8], from connection: Int) -> Step {
        guard case .open? = connections[connection] else { return Step() }
        return Step(
            messages: stride(from: 0, to: bytes.count, by: Self.maxPartSize).map { start in
                let part = Array(bytes[start..<min(start + Self.maxPartSize, bytes.count)])
                return .request(
                    method: "Data", parameters: .object(["id": .number(Double(connection)), "data": .base64(part)]),
                    id: nil)
            })
    }

    /// A connection could not be opened, or its peer closed it.
    /// - Parameters:
    ///   - connection: the connection.
    ///   - reason: the reason in a few words.
    /// - Returns: the effects.
    mutating func closed(_ connection: Int, _ reason: String) -> Step {
        switch connections.removeValue(forKey: connection) {
        case .opening(let id)?: return Step(messages: [Self.refusal(reason, id: id)])
        case .open?:
            count += 1
            return Step(
                messages: [
                    .request(
                        method: "NetworkDisconnected",
                        parameters: .object(["connection_id": .number(Double(connection)), "reason": .text(reason)]),
                        id: "network-\(count)")
                ])
        case nil: return Step()
        }
    }

    /// Forgets all connections, as the link to the terminal was lost.
    /// - Returns: the effects: the connections must be closed.
    mutating func reset() -> Step {
        defer { connections = [:] }
        return Step(outputs: connections.keys.sorted().map { .disconnect($0) })
    }

    private static func refusal(_ message: String, id: String) -> JSONPOSMessage {
        .failure(code: JSONPOSError.unknown.rawValue, message: message, id: id, name: "UNKNOWN")
    }

    private static func integer(_ value: JSONValue?) -> Int? { value?.number.flatMap { Int(exactly: $0) } }
}
