#if Command
import ArgumentParser
import JackdawBytes
import JackdawCards
import JackdawCryptography
import JackdawReaders

struct Frame: Verb {
    static let configuration = CommandConfiguration(
        commandName: "frame",
        abstract: "Explain a frame of a reader's protocol, field by field.",
        discussion: """
            The frame is in hexadecimal digits, with or without blanks or colons; - reads it from standard input. An \
            invalid frame is reported with the offset of the first wrong byte, from 0. Bytes that may be card data are \
            shown only with --reveal.

            With --key-file, the tracks of a swipe of \(String.words(decrypted, "or")) are decrypted. The key is a \
            base derivation key or a fixed key, in hexadecimal digits. It is read from a file, because all users of a \
            machine can see its command lines.

            KEY SCHEMES
            \(KeyScheme.listing())

            PROTOCOLS
            \(String.listing(FrameProtocol.all.map { ($0.name, "\($0.title) (\($0.provenance.rawValue))") }))

            EXIT CODES
              0   the frame is valid
              1   the swipe was decrypted, and has no tracks
              64  usage; no such protocol, or one without swipes that can be decrypted
              65  not hexadecimal digits, not a frame, or not the key of the swipe
              66  the key file is missing, not readable, or writable by other users
              69  libcrypto failed
              74  a file or standard input cannot be read

            EXAMPLES
              jackdaw frame neo 5669564F746563683200 18 01 0000 B3CD
              jackdaw frame miura 01:00:04:D0:62:00:00:B7
              jackdaw frame --json idtech - < frame.txt
              jackdaw frame idtech --key-file key.txt - < swipe.txt
            """)

    /// The protocols whose swipes can be decrypted.
    private static var decrypted: [String] {
        FrameProtocol.all.map(\.name).filter { KeyScheme.published(for: $0) != nil }
    }

    @Argument(
        help: "Name of the protocol.",
        completion: .list(FrameProtocol.all.map(\.name)),
        transform: { name in
            guard let named = FrameProtocol.all.first(where: { $0.name == name }) else {
                let known = FrameProtocol.all.map(\.name).joined(separator: ", ")
                throw ValidationError("Unknown protocol \(name); known protocols: \(known).")
            }
            return named
        })
    var `protocol`: FrameProtocol

    @Argument(help: ArgumentHelp("The frame's bytes; - for standard input.", valueName: "hex"))
    var digits: [String]

    @Option(
        help: "Direction of the frame: command or answer (default: detected).",
        completion: .list(FrameDirection.allCases.map { "\($0)" }),
        transform: { name in
            guard let direction = FrameDirection.allCases.first(where: { "\($0)" == name }) else {
                throw ValidationError("--direction must be command or answer.")
            }
            return direction
        })
    var direction: FrameDirection?

    @OptionGroup
    var decryption: DecryptionArguments

    @Flag(help: "Show card data in clear.")
    var reveal = false

    @Flag(help: "Print one JSON object for each field, and for each decrypted track or MagnePrint.")
    var json = false

    func validate() throws {
        guard decryption.keyFile != "-" || digits != ["-"] else {
            throw ValidationError("Only one of key and frame comes from standard input.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        var text = digits == ["-"] ? try Self.standardInput() : Array(digits.joined(separator: " ").utf8)
        var bytes: [UInt8] = []
        defer {
            text.wipe()
            bytes.wipe()
        }
        try HexadecimalText.read(text, into: &bytes)
        let frames: [ExplainedFrame]
        do throws(FrameFault) {
            frames = try `protocol`.explain(bytes, direction: direction, isRevealing: reveal)
        } catch {
            throw CommandError(.badData, "no frame of \(`protocol`.name): \(error)")
        }
        let swipe = try decryption.keyFile.map { (path) throws(CommandError) in
            try decrypt(bytes, with: environment.key(path, console))
        }
        for frame in frames { print(frame, on: console) }
        if let swipe {
            if json { swipe.json.forEach(console.result) } else { swipe.lines.forEach(console.result) }
            guard swipe.hasTracks else { return .nothingFound }
        }
        return .done
    }

    private func decrypt(
        _ frame: [UInt8], with key: consuming SecretBytes
    ) throws(CommandError) -> DecryptedSwipeReport {
        let decryptor = try decryption.options.decryptor(key, .test)
        do throws(CryptographyError) {
            let swipe = try decryptor.decrypt(frame.span, of: `protocol`)
            return DecryptedSwipeReport(
                swipe, usesPublishedTestKey: decryptor.isPublishedTestKey, isRevealed: reveal)
        } catch {
            throw CommandError(error)
        }
    }

    private func print(_ frame: ExplainedFrame, on console: Console) {
        guard !json else {
            for field in frame.fields { console.result(Self.object(field, of: frame)) }
            return
        }
        var table = Table(.number("byte"), .number("size"), .text("field"), .text("value"))
        for field in frame.fields {
            table.add("\(field.range.lowerBound)", "\(field.range.count)", field.name, field.value)
        }
        console.result(`protocol`.title + (frame.direction == .command ? ", to the reader" : ", from the reader"))
        for line in table.lines { console.result(line) }
    }

    private static func object(_ field: FrameField, of frame: ExplainedFrame) -> JSONObject {
        var object = JSONObject()
        object.add("direction", "\(frame.direction)")
        object.add("offset", field.range.lowerBound)
        object.add("size", field.range.count)
        object.add("field", field.name)
        object.add("value", field.value)
        return object
    }

    private static func standardInput() throws(CommandError) -> [UInt8] {
        var input = StandardInput()
        var text: [UInt8] = []
        do throws(CommandError) {
            repeat {
                try input.read()
                guard input.count <= HexadecimalText.most else {
                    input.bytes.wipe()
                    throw CommandError(.badData, "standard input: too long for a frame")
                }
                text.growWiping(toHold: text.count + input.bytes.count)
                text += input.bytes
            } while !input.bytes.isEmpty
        } catch {
            text.wipe()
            throw error
        }
        return text
    }
}

#endif
