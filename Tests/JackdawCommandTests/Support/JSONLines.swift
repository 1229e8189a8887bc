import Foundation

/// The fields of a JSON object; empty for other JSON.
func jsonObject(_ line: String) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
}

/// The names of all fields in their order, those of inner objects included.
func fieldNames(_ line: String) -> [String] {
    line.matches(of: /"([a-z_]+)":/).map { String($0.1) }
}
