#if Command
    import ArgumentParser
    import JackdawAudioFile
    import JackdawDSP

    /// `any`, or the number of a track.
    enum TrackChoice: String, ExpressibleByArgument, CaseIterable {
        case any
        case one = "1"
        case two = "2"
        case three = "3"

        var tracks: Set<TrackNumber> {
            switch self {
            case .any: Set(TrackNumber.allCases)
            case .one: [.one]
            case .two: [.two]
            case .three: [.three]
            }
        }
    }

    /// `all`, or the number of a channel from 1.
    struct ChannelChoice: ExpressibleByArgument, CustomStringConvertible {
        /// The channel from 0, nil for all.
        let index: Int?

        static let all = ChannelChoice(index: nil)

        private init(index: Int?) { self.index = index }

        init?(argument: String) {
            guard argument != "all" else {
                self = .all
                return
            }
            guard let number = Int(argument), AudioFormat.channelCounts.contains(number) else { return nil }
            index = number - 1
        }

        var description: String { index.map { String($0 + 1) } ?? "all" }

        /// What a shell offers. Not `allValueStrings`, which the help gives for all that there are.
        static var defaultCompletionKind: CompletionKind { .list(["all", "1", "2"]) }
    }

    /// What is known of files without a header.
    struct HeaderlessOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Read sound without a header as RATE,s16|s24|s32|f32|f64,CHANNELS, for example 44100,s16,1.",
                valueName: "format"),
            transform: Self.format)
        var raw: RawAudioFormat?

        /// - Throws: `ValidationError` that says which part of the text is wrong.
        private static func format(_ argument: String) throws -> RawAudioFormat {
            do throws(AudioFileError) {
                return try RawAudioFormat(parsing: argument)
            } catch {
                throw ValidationError(error.message)
            }
        }
    }
#endif
