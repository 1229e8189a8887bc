/// Which way sound goes through a device.
public enum PCMDirection: String, Sendable, Hashable, CaseIterable {
    /// From the device to the program.
    case capture
    /// From the program to the device.
    case playback

    /// The letter that ends the names of the kernel's device files and folders: `pcmC0D0c`, `pcm0p`.
    var letter: String { self == .capture ? "c" : "p" }
}
