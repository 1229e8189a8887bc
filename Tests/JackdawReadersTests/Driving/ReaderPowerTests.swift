import JackdawReaders
import Testing

/// Power for readers that do not report power-up.
@Suite struct ReaderPowerTests {
    private static func dialect() -> ScriptedDialect {
        var dialect = ScriptedDialect()
        dialect.hasPowerUp = false
        dialect.waking = .seconds(2)
        return dialect
    }

    @Test func aReaderIsAskedOnceItHasHadTimeToWakeUp() {
        var driver = ReaderDriver(Self.dialect())
        #expect(ReaderDriverTests.effects(driver.perform(.connect, at: .seconds(1))) == ["power connecting"])
        #expect(driver.state == .poweringUp)
        #expect(driver.nextDeadline == .seconds(3))
        #expect(ReaderDriverTests.effects(driver.advance(to: .milliseconds(2_999))) == [])
        #expect(ReaderDriverTests.effects(driver.advance(to: .seconds(3))) == ["power connected", "> I"])
        #expect(driver.state == .identifying)
    }

    @Test func wakingUpIsCancelled() {
        var driver = ReaderDriver(Self.dialect())
        _ = driver.perform(.connect, at: .zero)
        #expect(ReaderDriverTests.effects(driver.perform(.cancel, at: .zero)) == ["power off", "cancelled"])
        #expect(driver.nextDeadline == nil)
    }
}
