#if Command
    import JackdawALSA
    import JackdawTransport

    /// Tells of plugs at the card that is listened to.
    struct JackWatch {
        let monitor: JackMonitor
        let link: LinkName

        func receive(_ console: Console) {
            _ = try? monitor.receive(within: .zero) { event in
                switch event {
                case .attached(let jack, _): console.message("\(link): \(jack) plugged in")
                case .detached(let jack, _): console.message("\(link): \(jack) pulled out")
                case .gone: break
                }
            }
        }
    }
#endif
