import Glibc

@testable import JackdawALSA
import JackdawSystem

/// A file system of texts, with some files that may not be opened.
struct FakeFiles: SystemFiles {
    /// Texts by their paths; a device file has an empty one.
    var texts: [String: String] = [:]
    /// Files that this user may not open.
    var closed: Set<String> = []
    /// What reading a file fails with.
    var failures: [String: Int32] = [:]
    var user = SystemUser(number: 1000, name: "jane")

    func text(of path: String) throws(SystemFailure) -> String {
        if let code = failures[path] { throw SystemFailure(code: code) }
        guard let text = texts[path] else { throw SystemFailure(code: ENOENT) }
        return text
    }

    func names(in folder: String) -> [String] {
        let below = texts.keys.filter { $0.hasPrefix(folder + "/") }.map { $0.dropFirst(folder.count + 1) }
        return Set(below.map { String($0.prefix { $0 != "/" }) }).sorted()
    }

    func mayOpen(_ path: String) -> Bool? { texts[path] == nil ? nil : !closed.contains(path) }
}

extension FakeFiles {
    /// A laptop: the HDA card as Debian's kernel 6.1 describes it, its digital output, and a USB adapter without
    /// playback.
    static var laptop: FakeFiles {
        var files = FakeFiles()
        files.texts["/proc/asound/cards"] = """
             0 [PCH            ]: HDA-Intel - HDA Intel PCH
                                  HDA Intel PCH at 0xf7f10000 irq 33
             1 [Device         ]: USB-Audio - USB PnP Sound Device
                                  C-Media Electronics Inc. USB PnP Sound Device at usb-0000:00:14.0-1, full speed

            """
        files.texts["/proc/asound/pcm"] = """
            00-00: ALC269VC Analog : ALC269VC Analog : playback 1 : capture 1
            00-03: HDMI 0 : HDMI 0 : playback 1
            01-00: USB Audio : USB Audio : capture 1

            """
        for device in ["pcmC0D0c", "pcmC0D0p", "pcmC0D3p", "pcmC1D0c", "controlC0", "controlC1"] {
            files.texts["/dev/snd/\(device)"] = ""
        }
        for folder in ["card0/pcm0c", "card0/pcm0p", "card0/pcm3p", "card1/pcm0c"] {
            files.texts["/proc/asound/\(folder)/sub0/status"] = "closed\n"
        }
        files.texts["/etc/group"] = "root:x:0:\naudio:x:29:pulse\njane:x:1000:\n"
        return files
    }

    /// Lets a process have a device: the kernel names the thread that opened it.
    mutating func hold(_ folder: String, thread: Int32, process: Int32, name: String, user: UInt32 = 1000) {
        texts["/proc/asound/\(folder)/sub0/status"] = """
            state: RUNNING
            owner_pid   : \(thread)
            trigger_time: 5243.118905443
            tstamp      : 0.000000000
            delay       : 512
            avail       : 512
            avail_max   : 1024
            -----
            hw_ptr      : 53760
            appl_ptr    : 53248

            """
        let fields = ["Name:\tdata-loop.0", "Tgid:\t\(process)", "Pid:\t\(thread)", "Uid:\t\(user)\t\(user)"]
        texts["/proc/\(thread)/status"] = fields.joined(separator: "\n") + "\n"
        texts["/proc/\(process)/comm"] = "\(name)\n"
    }
}
