import Foundation

/// How many descriptors this process has open on what the closure wants.
func openDescriptors(_ isWanted: (String) -> Bool) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { number in
        // One of them was the folder itself.
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")).map(isWanted) ?? false
    }
}
