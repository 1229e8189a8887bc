/// A kind of socket, by the system's numbers.
package struct SocketKind: Hashable, Sendable {
    package let domain: Int32
    package let type: Int32
    package let protocolNumber: Int32

    package init(domain: Int32, type: Int32, protocolNumber: Int32) {
        self.domain = domain
        self.type = type
        self.protocolNumber = protocolNumber
    }
}
