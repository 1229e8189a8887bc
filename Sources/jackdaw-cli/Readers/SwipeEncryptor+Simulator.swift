public import JackdawDecryption
public import JackdawSimulator

/// Simulated readers encrypt with libcrypto, which the simulator itself does without.
extension SwipeEncryptor: SwipeCipher {}
