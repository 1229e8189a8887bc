import Glibc
import JackdawTransport
import JackdawSystem

/// How what jacks are read from is opened; tests open what they have scripted.
protocol JackOpenings {
    /// Opens a control device by its ALSA name. The corresponding C function is `snd_ctl_open`.
    func control(_ name: String) throws(SystemFailure) -> any ControlCalls
    /// Opens an input device by its file. The corresponding C function is `open`.
    func inputDevice(_ file: String) throws(SystemFailure) -> any SwitchCalls
}

/// Opens the devices of this system.
struct SystemOpenings: JackOpenings {
    func control(_ name: String) throws(SystemFailure) -> any ControlCalls { try LibraryControl(name) }
    func inputDevice(_ file: String) throws(SystemFailure) -> any SwitchCalls { try EventDevice(file) }
}

/// Finds what a card's jacks can be read from.
struct JackSearch {
    let files: any SystemFiles
    let openings: any JackOpenings

    /// Opens what the jacks of a card can be read from: its control elements, or where they sense none, input switches.
    /// - Parameter name: a number, a short name, or an ALSA name.
    /// - Returns: one source at least.
    /// - Throws: `LinkError`.
    func sources(of name: String) throws(LinkError) -> [any JackSource] {
        let diagnosis = DeviceDiagnosis(files: files)
        let cards = (try? KernelSound(files: files).cards()) ?? []
        let wanted = PCMAddress(name).card ?? name
        guard let card = cards.first(where: { $0.id == wanted || String($0.number) == wanted }) else {
            throw diagnosis.error(opening: "hw:\(wanted)", .capture, errno: ENODEV)
        }
        var failures: [(file: String, cause: SystemFailure)] = []
        do throws(SystemFailure) {
            let source = try ElementJacks(try openings.control("hw:\(card.number)"))
            if !source.initialStates.isEmpty { return [source] }
        } catch {
            failures.append(("/dev/snd/controlC\(card.number)", error))
        }
        var sources: [any JackSource] = []
        for device in InputDevice.ofCard(card, among: cards, files) {
            do throws(SystemFailure) {
                sources.append(try SwitchJacks(device, try openings.inputDevice(device.file)))
            } catch {
                failures.append((device.file, error))
            }
        }
        guard sources.isEmpty else { return sources }
        guard let failure = failures.first else {
            throw LinkError(
                .unsupported, link: name, "card \(card.id) does not sense what is plugged into it",
                remedy: "go by the sound: jackdaw listen")
        }
        throw diagnosis.error(openingFile: failure.file, link: name, failure.cause)
    }
}
