#if Command
    import ArgumentParser
    import JackdawTransport

    struct Simulate: Verb {
        static let configuration = CommandConfiguration(
            abstract: "Offer a simulated reader to another machine.",
            discussion: """
                The reader is offered as a serial port of Bluetooth, which other machines find and connect to, until \
                interrupted. The one reader so far sends back what it receives: to try links with.

                EXAMPLES
                  jackdaw simulate echo --link rfcomm:1
                """)

        @Argument(help: "The reader: echo.")
        var reader: SimulatedReader

        @Option(
            help: ArgumentHelp("Where it is offered: rfcomm: and a channel from 1 to 30.", valueName: "link"),
            transform: LinkArgument.read)
        var link: LinkName

        @Flag(help: "Print one JSON object an event.")
        var json = false

        func validate() throws {
            guard link.scheme == .rfcomm, channel != nil else {
                throw ValidationError("\(link): a reader is offered at rfcomm: and a channel from 1 to 30")
            }
        }

        private var channel: UInt8? { UInt8(link.address).flatMap { (1...30).contains($0) ? $0 : nil } }

        func run(on console: Console) throws(CommandError) -> ExitStatus { try run(on: console, BluetoothSystem()) }

        /// Does the work with a system's Bluetooth.
        func run(on console: Console, _ system: BluetoothSystem) throws(CommandError) -> ExitStatus {
            guard let channel else { throw CommandError(.usage, "\(link): no channel") }
            let conversation = try Conversation()
            let (isJSON, name) = (json, "Jackdaw \(reader.rawValue)")
            let tell: @Sendable (LinkName, String, Int) -> Void = { link, event, count in
                guard isJSON else {
                    return conversation.message("\(link): \(event)\(count > 0 ? ", \(counted(count, "byte"))" : "")")
                }
                var object = JSONObject()
                object.add("link", link.description)
                object.add("event", event)
                object.add("count", count)
                conversation.result(object)
            }
            try conversation.run(on: console) { () async throws(CommandError) in
                do throws(LinkError) {
                    try await system.serve(channel, name) { link in
                        tell(link.link, "connected", 0)
                        tell(link.link, "ended", await Self.echo(link))
                    }
                } catch {
                    throw CommandError(error)
                }
            }
            return .done
        }

        /// Sends back what comes until it ends.
        /// - Returns: how many bytes came.
        private static func echo(_ link: any Transport) async -> Int {
            var count = 0
            do throws(LinkError) {
                while true {
                    var bytes: [UInt8] = []
                    // They may be card data, whether they can be sent or not.
                    defer { bytes.removeWiping() }
                    let goesOn = try await link.receive { received in
                        bytes = received.indices.map { received[$0] }
                    }
                    guard goesOn else { break }
                    count += bytes.count
                    try await link.send(bytes)
                }
            } catch {
                // It ends as it does, and the next one may come.
            }
            await link.close()
            return count
        }
    }

    /// The readers that can be simulated.
    enum SimulatedReader: String, ExpressibleByArgument, CaseIterable {
        case echo
    }
#endif
