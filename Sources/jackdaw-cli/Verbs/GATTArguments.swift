#if Command
    import ArgumentParser
    import JackdawBluetooth

    /// How a reader carries its bytes over Bluetooth Low Energy, where no family is known for it.
    struct GATTArguments: ParsableArguments {
        @Option(help: ArgumentHelp("The reader's service.", valueName: "uuid"), transform: Self.uuid)
        var service: String?

        @Option(help: ArgumentHelp("Its characteristic that notifies.", valueName: "uuid"), transform: Self.uuid)
        var notify: String?

        @Option(
            help: ArgumentHelp("Its characteristic that is written (default: the same).", valueName: "uuid"),
            transform: Self.uuid)
        var write: String?

        /// The profile that these make; nil where they are not given.
        var profile: GATTProfile? {
            guard let service, let notify else { return nil }
            return GATTProfile(
                name: "named on the command line", service: service, write: write ?? notify, notify: notify)
        }

        func validate() throws {
            guard (service == nil) == (notify == nil), write == nil || service != nil else {
                throw ValidationError("--service and --notify belong together, and --write to them")
            }
        }

        private static func uuid(_ argument: String) throws -> String {
            guard let uuid = BluetoothUUID(argument) else { throw ValidationError("\(argument) is no UUID") }
            return uuid.description
        }
    }
#endif
