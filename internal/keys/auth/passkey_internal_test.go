package auth

// Signed checks a signature alone, whatever the device says of the person.
func Signed(spki, message, signature []byte) bool {
	key, err := passkeyKey(spki)
	return err == nil && signed(key, message, signature)
}
