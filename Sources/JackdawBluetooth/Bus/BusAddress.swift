/// Which bus to connect to.
enum BusAddress: Sendable, Hashable {
    /// The system's.
    case system
    /// One by its address, such as `unix:path=/run/dbus/system_bus_socket`.
    case at(String)
}
