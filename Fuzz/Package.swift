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

let package = Package(
    name: "jackdaw-fuzz",
    dependencies: [.package(name: "jackdaw", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "fuzz-decoder", dependencies: [.product(name: "JackdawDSP", package: "jackdaw")],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-lines", dependencies: [.product(name: "JackdawDSP", package: "jackdaw")],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-cards",
            dependencies: [
                .product(name: "JackdawCards", package: "jackdaw"), .product(name: "JackdawDSP", package: "jackdaw"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-discovery", dependencies: [.product(name: "JackdawBluetooth", package: "jackdaw")],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-frames", dependencies: [.product(name: "JackdawReaders", package: "jackdaw")],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-drivers",
            dependencies: [
                .product(name: "JackdawReaders", package: "jackdaw"),
                .product(name: "JackdawTransport", package: "jackdaw"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-transcripts",
            dependencies: [
                .product(name: "JackdawReaders", package: "jackdaw"),
                .product(name: "JackdawTransport", package: "jackdaw"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz-wav", dependencies: [.product(name: "JackdawAudioFile", package: "jackdaw")],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
