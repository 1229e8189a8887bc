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

    /// The completions that a shell offers. `allValueStrings` would also add every value to the help.
    static var defaultCompletionKind: CompletionKind { .list(["all", "1", "2"]) }
}

/// The options that describe files without a header.
struct HeaderlessOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read headerless sound as RATE,s16|s24|s32|f32|f64,CHANNELS, for example 44100,s16,1.",
            valueName: "format"),
        transform: Self.format)
    var raw: RawAudioFormat?

    /// - Throws: `ValidationError` that names the invalid part of the text.
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

/// Reader families on the command line.
enum FamilyArgument {
    /// Finds a family by its name.
    /// - Throws: `ValidationError` that lists the known names if there is no such family.
    static func read(_ name: String) throws -> ReaderFamily {
        guard let family = ReaderFamily.named(name) else {
            let known = ReaderFamily.all.map(\.name).joined(separator: ", ")
            throw ValidationError("Unknown reader family \(name); known families: \(known).")
        }
        return family
    }
}

import ArgumentParser
import JackdawBluetooth

/// The GATT service and characteristics of a Bluetooth Low Energy reader that belongs to no known family.
struct GATTArguments: ParsableArguments {
    @Option(help: ArgumentHelp("GATT service of the reader.", valueName: "uuid"), transform: Self.uuid)
    var service: String?

    @Option(help: ArgumentHelp("Characteristic that sends notifications.", valueName: "uuid"), transform: Self.uuid)
    var notify: String?

    @Option(
        help: ArgumentHelp("Characteristic to write to (default: that of --notify).", valueName: "uuid"),
        transform: Self.uuid)
    var write: String?

    /// The profile from these options; nil if they are not given.
    var profile: GATTProfile? {
        guard let service, let notify else { return nil }
        return GATTProfile(
            name: "named on the command line", service: service, write: write ?? notify, notify: notify)
    }

    func validate() throws {
        guard (service == nil) == (notify == nil), write == nil || service != nil else {
            throw ValidationError("Give --service and --notify together; --write needs both.")
        }
    }

    private static func uuid(_ argument: String) throws -> String {
        guard let uuid = BluetoothUUID(argument) else { throw ValidationError("\(argument) is not a UUID") }
        return uuid.description
    }
}

import ArgumentParser
import JackdawCryptography

/// Key schemes on the command line.
enum KeySchemeArgument {
    /// Finds a scheme by its name.
    /// - Throws: `ValidationError` that lists the known names if there is no such scheme.
    static func read(_ name: String) throws -> KeyScheme {
        guard let scheme = KeyScheme(rawValue: name) else {
            let known = KeyScheme.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("Unknown key scheme \(name); known key schemes: \(known).")
        }
        return scheme
    }
}

extension KeyScheme {
    /// The families whose encryption is published.
    static var families: [String] { ReaderFamily.all.map(\.name).filter { published(for: $0) != nil } }

    /// The schemes with their descriptions, and the families that use them by default, for help.
    static func listing(_ schemes: [KeyScheme] = allCases) -> String {
        let defaults = schemes.compactMap { (scheme) -> String? in
            let names = families.filter { published(for: $0) == scheme }
            return names.isEmpty ? nil : "\(scheme.rawValue) for \(String.words(names, "and"))"
        }
        return String.listing(schemes.map { ($0.rawValue, $0.summary) })
            + "\n\nBy default \(defaults.joined(separator: "; "))."
    }

    private var summary: String {
        switch self {
        case .fixed: "one fixed key for all swipes"
        case .pin: "triple DES DUKPT, PIN variant"
        case .dataRequest: "triple DES DUKPT, data from the reader"
        case .dataResponse: "triple DES DUKPT, data to the reader"
        case .plainDataRequest: "triple DES DUKPT, data without one-way function"
        case .aesDataEncryption: "AES DUKPT, AES-128 for data from the reader"
        }
    }
}

import ArgumentParser
import JackdawBluetooth
import JackdawSimulator
import JackdawTransport

/// Link names on the command line.
enum LinkArgument {
    /// The beginnings of links, and the whole names of simulated readers.
    static let completions =
        LinkName.Scheme.allCases.filter { $0 != .sim }.map { "\($0.rawValue):" }
        + SimulatedFamily.names.map { LinkName(.sim, $0).description }

    /// Parses a link name.
    /// - Throws: `ValidationError` that describes the form of a link name.
    static func read(_ argument: String) throws -> LinkName {
        do throws(LinkError) {
            return try LinkName(parsing: argument)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// The address of the Bluetooth device that a link names, and the radio that reaches it.
    /// - Throws: `CommandError` if the link does not name a Bluetooth device.
    static func device(_ link: LinkName) throws(CommandError) -> (BluetoothAddress, BluetoothRadio) {
        do throws(LinkError) {
            switch link.scheme {
            case .rfcomm: return (try RFCOMMAddress(link).device, .classic)
            case .ble:
                guard let address = BluetoothAddress(link.address) else {
                    throw LinkError(.badName, link: link.description, "not a device address")
                }
                return (address, .lowEnergy)
            default: throw LinkError(.badName, link: link.description, "not a Bluetooth device")
            }
        } catch {
            throw CommandError(error)
        }
    }
}

import ArgumentParser
import JackdawReaders

/// Reader settings on the command line: `4C=32`, a number and its value, both in hexadecimal digits.
enum SettingArgument {
    /// Parses a setting.
    /// - Throws: `ValidationError` that describes the form of a setting.
    static func read(_ argument: String) throws -> ReaderSetting {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        var value: [UInt8] = []
        guard parts.count == 2, let number = UInt32(parts[0], radix: 16),
            (try? HexadecimalText.read(Array(parts[1].utf8), into: &value)) != nil, value.count <= UInt8.max
        else {
            throw ValidationError("Give a setting as NUMBER=BYTES in hexadecimal digits, such as 4C=32.")
        }
        return ReaderSetting(Int(number), value)
    }
}
#endif
