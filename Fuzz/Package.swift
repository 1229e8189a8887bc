// swift-tools-version: 6.3
import PackageDescription

/// The fuzz targets test parts that are not public: they are compiled under the package name of the
/// project, the name of its folder.
let folders = Context.packageDirectory.split(separator: "/")
let project: [SwiftSetting] = [.unsafeFlags(["-package-name", folders[folders.count - 2].lowercased()])]

let house: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // libFuzzer brings the main function.
    .unsafeFlags(["-parse-as-library"]),
]

/// A target with libraries of the project.
func fuzzer(_ name: String, _ libraries: String...) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzSupport"] + libraries.map { .product(name: $0, package: "jackdaw") },
        packageAccess: false,
        swiftSettings: house + project)
}

let package = Package(
    name: "jackdaw-fuzz",
    dependencies: [.package(name: "jackdaw", path: "..", traits: [])],
    targets: [
        .target(name: "FuzzSupport"),
        fuzzer("fuzz-decoder", "JackdawDSP"), fuzzer("fuzz-lines", "JackdawDSP"),
        fuzzer("fuzz-cards", "JackdawCards", "JackdawDSP"), fuzzer("fuzz-discovery", "JackdawBluetooth"),
        fuzzer("fuzz-frames", "JackdawReaders"), fuzzer("fuzz-drivers", "JackdawReaders", "JackdawTransport"),
        fuzzer("fuzz-transcripts", "JackdawReaders", "JackdawTransport"), fuzzer("fuzz-wav", "JackdawAudioFile"),
        fuzzer("fuzz-emv", "JackdawEMV"), fuzzer("fuzz-flow", "JackdawEMV"),
        fuzzer("fuzz-payments", "JackdawEMV", "JackdawReaders"),
    ],
    swiftLanguageModes: [.v6]
)
