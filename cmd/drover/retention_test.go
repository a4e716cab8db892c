package main

import "testing"

func TestTenantRetention(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		expect := func(want string) {
			t.Helper()
			if got := succeed(t, "", with(flags, "tenant", "retention", "acme")...); got != want {
				t.Errorf("tenant retention prints %q, want %q", got, want)
			}
		}
		expect("positions default\n")
		for _, age := range []string{"365d", "off", "7d", "default"} {
			succeed(t, "", with(flags, "tenant", "retention", "acme", "--positions", age)...)
			expect("positions " + age + "\n")
		}
		misuse(t, "at least 7d", "", with(flags, "tenant", "retention", "acme", "--positions", "6d")...)
		misuse(t, "such as 90d", "", with(flags, "tenant", "retention", "acme", "--positions", "a year")...)
		refuse(t, `there is no tenant named "absent"`, "", with(flags, "tenant", "retention", "absent")...)
		expect("positions default\n")
	})
}
