package verizonconnecttest

import "net/http"

// Notice is a message of the GPS Push Service, which no secret signs.
func Notice(string) (http.Header, []byte) {
	return http.Header{"X-Amz-Sns-Message-Type": {"Notification"}},
		[]byte(`{"Type":"Notification","Message":"{\"VehicleNumber\":\"1\",\"UpdateUTC\":\"2024-05-06T06:00:00Z\"}"}`)
}
