import Foundation

/// A folder that is deleted with this object.
public final class TemporaryFolder: Sendable {
    /// The path without a slash at its end.
    public let path: String

    /// Makes a new folder.
    public init() throws {
        path = NSTemporaryDirectory() + "jackdaw-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, by default for this user alone, and returns its path.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o600) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self(name))
        return self(name)
    }

    /// The mode of a file.
    public func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: self(name))[.posixPermissions] as? Int
    }

    /// The bytes of a file.
    public func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: self(name)))) }

    /// Names of the files in the folder.
    public var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
