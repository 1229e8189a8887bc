import Foundation

/// Why a file cannot be used, in one line.
struct CorpusError: Error, CustomStringConvertible {
    let description: String
}

/// The bytes of a file.
func contents(of path: String) throws(CorpusError) -> Data {
    do {
        return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
        throw CorpusError(description: "\(path): cannot be read: \((error as NSError).localizedDescription)")
    }
}

/// A value out of a JSON file.
func decoded<Value: Decodable>(_ type: Value.Type, from path: String) throws(CorpusError) -> Value {
    let data = try contents(of: path)
    do {
        return try JSONDecoder().decode(type, from: data)
    } catch {
        throw CorpusError(description: "\(path): not what is expected here: \(error)")
    }
}
