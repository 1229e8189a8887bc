import Foundation
import Testing

/// Plug-ins of ALSA, compiled from C, and a configuration that knows them, in a folder that is removed in the end.
///
/// The library reads its configuration once, and from the environment, which all tests of a process have in common:
/// what uses a plug-in does so in a process of its own, after ``use(in:)``.
final class PlugIns {
    /// What it takes to compile one.
    static let isPossible = [
        "/usr/bin/cc", "/usr/include/alsa/pcm_external.h", "/usr/share/alsa/alsa.conf",
    ]
    .allSatisfy(FileManager.default.fileExists)

    private let files: RecordingFiles

    /// - Parameters:
    ///   - sources: C files, each of which is called as its plug-in is: `ctl_levels.c`, `pcm_jdsim.c`.
    ///   - configuration: gets the folder, and gives what stands in the configuration beside the plug-ins.
    /// - Throws: where one does not compile.
    init(_ sources: [String], _ configuration: (_ folder: String) -> String) throws {
        files = try RecordingFiles()
        var text = "</usr/share/alsa/alsa.conf>\n"
        for source in sources {
            let name = URL(filePath: source).deletingPathExtension().lastPathComponent
            let library = "\(files.path)/libasound_module_\(name).so"
            let compiler = try ChildProgram(
                "/usr/bin/cc", ["-shared", "-fPIC", "-DPIC", "-O2", "-o", library, source, "-lasound"])
            try #require(compiler.wait() == 0, "\(name) does not compile")
            text += name.replacing("_", with: "_type.", maxReplacements: 1) + " { lib \"\(library)\" }\n"
        }
        _ = try files.write(Array((text + configuration(files.path)).utf8), to: "asoundrc")
    }

    var path: String { files.path }

    /// Lets the library of this process know them.
    static func use(in folder: String) { unsafe setenv("ALSA_CONFIG_PATH", folder + "/asoundrc", 1) }

    /// A plug-in of the lab beside the project, in a folder `shared` beside it or above it.
    /// - Parameter name: the name of its C file.
    /// - Returns: the file's path; nil where it is not there.
    static func lab(_ name: String) -> String? {
        sequence(first: URL(filePath: #filePath)) { $0.deletingLastPathComponent() }
            .prefix { $0.path != "/" }
            .map { $0.appending(path: "shared/lab/alsa/\(name)").path }
            .first { FileManager.default.fileExists(atPath: $0) }
    }
}
