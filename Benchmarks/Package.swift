// swift-tools-version: 6.2
import PackageDescription

/// The benchmarks measure parts that are not public: they are compiled under the package name of the
/// project, the name of its folder.
let folders = Context.packageDirectory.split(separator: "/")
let project: [SwiftSetting] = [.unsafeFlags(["-package-name", folders[folders.count - 2].lowercased()])]

let strictWarnings: [SwiftSetting] =
    Context.environment["JACKDAW_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

let house: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictWarnings

let package = Package(
    name: "jackdaw-benchmarks",
    dependencies: [
        .package(name: "jackdaw", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CDerivation", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "jackdaw-benchmark",
            dependencies: [
                "CDerivation",
                .product(name: "JackdawALSA", package: "jackdaw"),
                .product(name: "JackdawAudioFile", package: "jackdaw"),
                .product(name: "JackdawCryptography", package: "jackdaw"),
                .product(name: "JackdawDSP", package: "jackdaw"),
                .product(name: "JackdawEMV", package: "jackdaw"),
                .product(name: "JackdawReaders", package: "jackdaw"),
                .product(name: "JackdawSimulator", package: "jackdaw"),
                .product(name: "JackdawTransport", package: "jackdaw"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            packageAccess: false, swiftSettings: house + project),
        .testTarget(
            name: "JackdawBenchmarkTests",
            dependencies: [
                "jackdaw-benchmark", .product(name: "JackdawAudioFile", package: "jackdaw"),
            ],
            packageAccess: false, swiftSettings: house + project),
    ],
    swiftLanguageModes: [.v6]
)
