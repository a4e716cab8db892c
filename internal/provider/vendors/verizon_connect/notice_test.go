package verizonconnect

import "testing"

func TestConfirmation(t *testing.T) {
	t.Parallel()
	const address = "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=x"
	for body, want := range map[string]string{
		`{"Type":"SubscriptionConfirmation","SubscribeURL":"` + address + `"}`:                          address,
		`{"Type":"Notification","SubscribeURL":"` + address + `"}`:                                      "",
		`{"Type":"SubscriptionConfirmation","SubscribeURL":"http://sns.us-east-1.amazonaws.com/"}`:      "",
		`{"Type":"SubscriptionConfirmation","SubscribeURL":"https://example.com/sns.amazonaws.com"}`:    "",
		`{"Type":"SubscriptionConfirmation","SubscribeURL":"https://sns.x.amazonaws.com.example.com/"}`: "",
		`{"Type":"SubscriptionConfirmation","SubscribeURL":"https://u@sns.us-east-1.amazonaws.com/"}`:   "",
		`[{"VehicleNumber":"1"}]`: "",
		`nonsense`:                "",
	} {
		if got := confirmation([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
