// swift-tools-version: 6.3
import PackageDescription

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
        name: name, dependencies: libraries.map { .product(name: $0, package: "jackdaw") }, swiftSettings: house)
}

let package = Package(
    name: "jackdaw-fuzz",
    dependencies: [.package(name: "jackdaw", path: "..", traits: [])],
    targets: [
        fuzzer("fuzz-decoder", "JackdawDSP"), fuzzer("fuzz-lines", "JackdawDSP"),
        fuzzer("fuzz-cards", "JackdawCards", "JackdawDSP"), fuzzer("fuzz-discovery", "JackdawBluetooth"),
        fuzzer("fuzz-frames", "JackdawReaders"), fuzzer("fuzz-drivers", "JackdawReaders", "JackdawTransport"),
        fuzzer("fuzz-transcripts", "JackdawReaders", "JackdawTransport"), fuzzer("fuzz-wav", "JackdawAudioFile"),
    ],
    swiftLanguageModes: [.v6]
)
