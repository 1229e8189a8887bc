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

import ArgumentParser
import JackdawReaders

/// Families of readers on the command line.
enum FamilyArgument {
    /// Finds a family by its name.
    /// - Throws: `ValidationError` with the names that there are.
    static func read(_ name: String) throws -> ReaderFamily {
        guard let family = ReaderFamily.named(name) else {
            let known = ReaderFamily.all.map(\.name).joined(separator: ", ")
            throw ValidationError("No family of readers is named \(name); there are \(known).")
        }
        return family
    }
}

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

import ArgumentParser
import JackdawDecryption

/// Key schemes on the command line.
enum KeySchemeArgument {
    /// Finds a scheme by its name.
    /// - Throws: `ValidationError` with the names that there are.
    static func read(_ name: String) throws -> KeyScheme {
        guard let scheme = KeyScheme(rawValue: name) else {
            let known = KeyScheme.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("No key scheme is named \(name); there are \(known).")
        }
        return scheme
    }
}

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

import ArgumentParser
import JackdawReaders

/// Settings of a reader on the command line: `4C=32`, a number and its value, both in hexadecimal digits.
enum SettingArgument {
    /// Reads a setting.
    /// - Throws: `ValidationError` that says what one is.
    static func read(_ argument: String) throws -> ReaderSetting {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        var value: [UInt8] = []
        guard parts.count == 2, let number = UInt32(parts[0], radix: 16),
            (try? HexadecimalText.read(Array(parts[1].utf8), into: &value)) != nil, value.count <= UInt8.max
        else {
            throw ValidationError("A setting is its number and its bytes in hexadecimal digits, such as 4C=32.")
        }
        return ReaderSetting(Int(number), value)
    }
}
#endif
