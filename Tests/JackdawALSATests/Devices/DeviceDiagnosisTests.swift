import Glibc
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Whatever keeps a device from being opened: the error says what to type next.
@Suite struct DeviceDiagnosisTests {
    private func error(
        _ files: FakeFiles, _ device: String, _ code: Int32, _ direction: PCMDirection = .capture
    ) -> LinkError {
        DeviceDiagnosis(files: files).error(opening: device, direction, errno: code)
    }

    @Test(arguments: ["hw:1,0", "hw:1", "plughw:CARD=Device,DEV=0", "hw:Device", "default:CARD=Device", "default"])
    func theProcessThatHasADeviceIsNamed(device: String) {
        var files = FakeFiles.laptop
        files.hold("card1/pcm0c", thread: 4711, process: 4700, name: "arecord")
        let error = error(files, device, -EBUSY)
        #expect(error.code == .busy)
        #expect(error.link == "alsa:\(device)")
        #expect(error.message.hasPrefix("arecord (process 4700) "))
        #expect(error.remedy == "end it: kill 4700")
    }

    @Test func aProcessOfAnotherUserIsEndedByTheAdministrator() {
        var files = FakeFiles.laptop
        files.hold("card0/pcm0c", thread: 31, process: 31, name: "recorderd", user: 0)
        #expect(error(files, "hw:0,0", -EBUSY).remedy == "end it: sudo kill 31")
        files = FakeFiles(texts: files.texts, user: SystemUser(number: 0, name: "root"))
        #expect(error(files, "hw:0,0", -EBUSY).remedy == "end it: kill 31")
    }

    /// Killing a sound server helps for a second: its service starts it again.
    @Test(arguments: [("pipewire", "alsa:pipewire"), ("pulseaudio", "alsa:pulse")])
    func aSoundServerIsSharedOrStopped(name: String, link: String) {
        var files = FakeFiles.laptop
        files.hold("card0/pcm0c", thread: 902, process: 900, name: name)
        let remedy = error(files, "hw:0,0", -EBUSY).remedy ?? ""
        #expect(remedy.contains(link))
        #expect(remedy.contains("systemctl --user stop \(name).socket \(name).service"))
    }

    @Test func aHolderOfTheOtherDirectionOrCardIsNotBlamed() {
        var files = FakeFiles.laptop
        files.hold("card0/pcm0p", thread: 5, process: 5, name: "aplay")
        files.hold("card1/pcm0c", thread: 6, process: 6, name: "arecord")
        let error = error(files, "hw:0,0", -EBUSY)
        #expect(error.code == .busy)
        #expect(!error.message.contains("process"))
        #expect(error.remedy?.contains("fuser -v /dev/snd") == true)
        #expect(self.error(files, "hw:0,0", -EBUSY, .playback).message.hasPrefix("aplay (process 5) "))
    }

    /// Its `/proc` may be hidden, or it is in another container.
    @Test func aHolderWithoutANameIsReportedByItsNumber() {
        var files = FakeFiles.laptop
        files.hold("card1/pcm0c", thread: 77, process: 77, name: "x")
        files.texts["/proc/77/comm"] = nil
        files.texts["/proc/77/status"] = nil
        #expect(error(files, "hw:1,0", -EBUSY).message.hasPrefix("process 77 "))
    }

    @Test(arguments: [EACCES, EPERM]) func aUserOutsideOfGroupAudioIsAdded(code: Int32) {
        var files = FakeFiles.laptop
        files.closed = ["/dev/snd/pcmC1D0c"]
        let error = error(files, "hw:1,0", -code)
        #expect(error.code == .notPermitted)
        #expect(error.message == "user jane may not open /dev/snd/pcmC1D0c")
        #expect(error.remedy == "sudo usermod -aG audio jane, then log out and in again")
    }

    /// Of a card that it may not open, libasound says that there is none, above all where the
    /// card's short name is used.
    @Test(arguments: ["/dev/snd/pcmC1D0c", "/dev/snd/controlC1"])
    func aCardWithoutPermissionIsNotReportedAsMissing(file: String) {
        var files = FakeFiles.laptop
        files.closed = [file]
        for code in [ENOENT, ENODEV] {
            let error = error(files, "hw:CARD=Device,DEV=0", -code)
            #expect(error.code == .notPermitted)
            #expect(error.message == "user jane may not open \(file)")
            #expect(error.underlying == "Permission denied")
            #expect(error.remedy?.contains("usermod -aG audio jane") == true)
        }
    }

    @Test func theDefaultDeviceIsNotPermittedIfNoCardIs() {
        var files = FakeFiles.laptop
        files.closed = ["/dev/snd/controlC0"]
        #expect(error(files, "default", -ENOENT).code == .notFound)
        files.closed.insert("/dev/snd/controlC1")
        #expect(error(files, "default", -ENOENT).code == .notPermitted)
        #expect(error(files, "nonsense", -ENOENT).code == .notFound)
    }

    @Test func aMemberWhoseLoginIsOlderLogsInAgain() {
        var files = FakeFiles.laptop
        files.texts["/etc/group"] = "audio:x:29:pulse,jane\n"
        let error = error(files, "hw:1,0", -EACCES)
        #expect(error.remedy?.contains("usermod") == false)
        #expect(error.remedy?.contains("log out and in again") == true)
    }

    /// Device names, the message if it is about a card, and what is in the remedy.
    private static let missing: [(String, PCMDirection, String?, String)] = [
        ("hw:7,0", .capture, "there is no sound card 7", "jackdaw devices"),
        ("hw:CARD=Gone", .capture, "there is no sound card Gone", "jackdaw devices"),
        ("hw:0,5", .capture, "card PCH has no device 5", "jackdaw devices"),
        ("hw:PCH,3", .capture, "card PCH cannot record at device 3", "open alsa:hw:CARD=PCH,DEV=0"),
        ("hw:1,0", .playback, "card Device cannot play at device 0", "another card may: jackdaw devices"),
        ("nonsense", .capture, nil, "jackdaw devices"),
    ]

    @Test(arguments: missing)
    func missingCardsAndDevicesAreNamed(device: String, direction: PCMDirection, message: String?, remedy: String) {
        for code in [ENOENT, ENODEV, ENXIO] {
            let error = error(.laptop, device, -code, direction)
            #expect(error.code == .notFound)
            if let message { #expect(error.message == message) } else { #expect(!error.message.contains("card")) }
            #expect(error.remedy?.contains(remedy) == true)
        }
    }

    @Test func aSystemWithoutSoundCardsIsReported() {
        for files in [FakeFiles(), FakeFiles(texts: ["/proc/asound/cards": "--- no soundcards ---\n"])] {
            let error = error(files, "hw:0,0", -ENOENT)
            #expect(error.code == .notFound)
            #expect(error.message == "this system has no sound card")
            #expect(error.remedy?.contains("dmesg") == true)
        }
    }

    /// A container sees the kernel's cards, and none of its device files.
    @Test func aMissingDeviceFileIsReported() {
        var files = FakeFiles.laptop
        files.texts["/dev/snd/pcmC1D0c"] = nil
        let error = error(files, "hw:1,0", -ENOENT)
        #expect(error.message.contains("/dev/snd/pcmC1D0c is missing"))
        #expect(error.remedy?.contains("--device /dev/snd") == true)
    }

    @Test(arguments: [EINVAL, ENOTTY, ENOSYS, EOPNOTSUPP]) func errorsOfCapabilitiesAreUnsupported(code: Int32) {
        let error = error(.laptop, "hw:0,0", -code)
        #expect(error.code == .unsupported)
        #expect(error.remedy?.contains("jackdaw devices") == true)
    }

    /// Also with the sign turned, and with numbers that are none of the system's.
    @Test(arguments: [EIO, -EIO, -500_000, .min, .max]) func anythingElseKeepsTheSystemsWords(code: Int32) {
        let error = error(.laptop, "hw:0,0", code)
        #expect(error.code == .system)
        #expect(error.underlying == "Input/output error")
    }
}
