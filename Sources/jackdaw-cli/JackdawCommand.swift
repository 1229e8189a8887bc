#if Command
    import ArgumentParser

    @main
    struct JackdawCommand: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "jackdaw", abstract: "Reads cards from sound.")
    }
#endif
