package bouncietest

import "net/http"

// Notice is a webhook as Bouncie sends it, with the key of the application.
func Notice(key string) (http.Header, []byte) {
	return http.Header{"Authorization": {key}},
		[]byte(`{"eventType":"tripData","imei":"352602113969379","transactionId":"1","data":[{"timestamp":"2024-05-06T06:00:00Z","speed":2,"gps":{"lat":-37.56,"lon":143.85,"heading":10}}]}`)
}
