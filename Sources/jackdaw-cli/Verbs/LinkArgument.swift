#if Command
    import ArgumentParser
    import JackdawBluetooth
    import JackdawTransport

    /// Names of links on the command line.
    enum LinkArgument {
        /// Reads a name.
        /// - Throws: `ValidationError` that says what a name of a link is.
        static func read(_ argument: String) throws -> LinkName {
            do throws(LinkError) {
                return try LinkName(parsing: argument)
            } catch {
                throw ValidationError(error.description)
            }
        }

        /// The Bluetooth device that a name leads to, and how to reach it.
        /// - Throws: ``CommandError`` where it leads to none.
        static func device(_ link: LinkName) throws(CommandError) -> (BluetoothAddress, BluetoothRadio) {
            do throws(LinkError) {
                switch link.scheme {
                case .rfcomm: return (try RFCOMMAddress(link).device, .classic)
                case .ble:
                    guard let address = BluetoothAddress(link.address) else {
                        throw LinkError(.badName, link: link.description, "no address of a device")
                    }
                    return (address, .lowEnergy)
                default: throw LinkError(.badName, link: link.description, "is no Bluetooth device")
                }
            } catch {
                throw CommandError(error)
            }
        }
    }
#endif
