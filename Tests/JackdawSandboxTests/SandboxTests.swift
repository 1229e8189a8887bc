import JackdawSandbox
import Testing

@Suite struct SandboxTests {
}
