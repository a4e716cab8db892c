package contract_test

import "time"

// consentRows are offers and what becomes of them.
func consentRows() []row {
	const noShare = "Share with ID %s not found"
	ask := func(name, user, method, path, body string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, body: body, status: status, want: want}
	}
	after := func(r row, by time.Duration) row {
		r.after = by
		return r
	}
	offered := `{"id":"$new_share","connection_id":"$new_share_conn","owner_tenant_id":"$work","tenant_id":"$beta","state":"offered","scopes":["positions","drivers","readings","safety"],"created_at":"2024-05-02T10:15:30Z","accepted_at":null,"expires_at":null}`
	accepted := with(offered, "state", `"accepted"`, "accepted_at", `"2024-05-02T10:15:30Z"`)
	made := with(offered, "id", `"<uuid>"`, "connection_id", `"$new_conn"`)
	offer := func(name, body string, status int, want string) row {
		return ask(name, wanda, "POST", "/connection/$new_conn/share", body, status, want)
	}
	fault := func(typ, msg string, loc ...any) string { return invalid(typ, msg, append([]any{"body"}, loc...)...) }
	rows := []row{
		ask("List", carol, "GET", "/share", "", 200, list(with(offered, "id", `"$share"`, "connection_id", `"$conn"`, "owner_tenant_id",
			`"$alpha"`, "tenant_id", `"$gamma"`,
			"state", `"accepted"`, "accepted_at", `"2024-05-02T10:15:30Z"`))),
		ask("ListForMember", mark, "GET", "/share", "", 403, forbidden),
		ask("ListForViewer", vera, "GET", "/share", "", 403, forbidden),
		{name: "Accept", as: bob, method: "POST", path: "/share/$new_share/accept", status: 200, want: data(accepted), then: []row{
			after(ask("", bob, "POST", "/share/$new_share/accept", "", 200, data(accepted)), time.Minute),
			ask("", bob, "GET", "/connection/$new_share_conn/health", "", 200,
				data(`{"connection_id":"$new_share_conn","state":"pending","message":null,"acts":"drover","last_success_at":null,"next_run_at":null,"jobs":[],"streams":[],"runs":[],"inbound":null,"quality":null}`)),
			ask("", bob, "GET", "/connection/$new_share_conn/credentials", "", 403, forbidden),
			ask("", bob, "DELETE", "/share/$new_share", "", 204, ""), // it leaves
			ask("", bob, "GET", "/connection/$new_share_conn/health", "", 403, forbidden),
			ask("", bob, "DELETE", "/share/$new_share", "", 404, notFound(noShare, "$new_share")),
		}},
		{name: "OwnerTakesBack", as: bob, method: "POST", path: "/share/$new_share/accept", status: 200, want: data(accepted), then: []row{
			ask("", wanda, "DELETE", "/share/$new_share", "", 204, ""),
			ask("", bob, "GET", "/connection/$new_share_conn/health", "", 403, forbidden),
		}},
		{name: "Decline", as: bob, method: "DELETE", path: "/share/$new_share", status: 204, then: []row{
			ask("", bob, "POST", "/share/$new_share/accept", "", 404, notFound(noShare, "$new_share")),
		}},
		ask("OwnerCannotAccept", wanda, "POST", "/share/$new_share/accept", "", 403, forbidden),
		ask("AcceptByMember", mark, "POST", "/share/$offered/accept", "", 403, forbidden),
		ask("AcceptForeign", carol, "POST", "/share/$offered/accept", "", 403, forbidden),
		ask("EndForeign", carol, "DELETE", "/share/$offered", "", 403, forbidden),
		ask("AcceptUnknown", alice, "POST", "/share/$unknown/accept", "", 404, notFound(noShare, "$unknown")),
		ask("AcceptNoUUID", alice, "POST", "/share/x/accept", "", 404, notFound(noShare, "x")),
		ask("EndUnknown", alice, "DELETE", "/share/$unknown", "", 404, notFound(noShare, "$unknown")),

		offer("OfferAll", `{"tenant_id":"$beta"}`, 200, data(made)),
		offer("OfferDevicesAlone", `{"tenant_id":"$beta","scopes":[]}`, 200, data(with(made, "scopes", "[]"))),
		offer("OfferPositions", `{"tenant_id":"$beta","scopes":["positions"]}`, 200, data(with(made, "scopes", `["positions"]`))),
		{
			name: "OfferUntil", as: wanda, method: "POST", path: "/connection/$new_conn/share",
			body: `{"tenant_id":"$beta","expires_at":"2024-05-02T10:15:31Z"}`, status: 200,
			want: data(with(made, "expires_at", `"2024-05-02T10:15:31Z"`)), then: []row{
				after(ask("", wanda, "GET", "/connection/$new_conn/share", "", 200,
					list(with(made, "state", `"expired"`, "expires_at", `"2024-05-02T10:15:31Z"`))), time.Second),
			},
		},
		offer("OfferUntilNow", `{"tenant_id":"$beta","expires_at":"2024-05-02T10:15:30Z"}`, 422,
			fault("value_error", "Value error, expires_at must lie in the future", "expires_at")),
		offer("OfferToNoOne", `{}`, 422, fault("missing", "Field required", "tenant_id")),
		offer("OfferToUnknown", `{"tenant_id":"$unknown"}`, 422,
			fault("value_error", "Value error, Tenant with ID $unknown not found", "tenant_id")),
		offer("OfferToItself", `{"tenant_id":"$work"}`, 422,
			fault("value_error", "Value error, a connection is not shared with its owner", "tenant_id")),
		offer("OfferToBoth", `{"tenant_id":"$beta","code":"x"}`, 422,
			fault("value_error", "Value error, tenant_id and code exclude each other", "code")),
		offer("OfferByUnknownCode", `{"code":"x"}`, 422, fault("value_error", "Value error, the code is not known, used or expired", "code")),
		offer("OfferReadings", `{"tenant_id":"$beta","scopes":["readings"]}`, 200, data(with(made, "scopes", `["readings"]`))),
		offer("OfferOtherScope", `{"tenant_id":"$beta","scopes":["secrets"]}`, 422,
			fault("enum", "Input should be 'positions', 'drivers', 'readings' or 'safety'", "scopes", 0)),
		ask("OfferByMember", will, "POST", "/connection/$new_conn/share", `{"tenant_id":"$beta"}`, 403, forbidden),
		ask("OfferForeign", bob, "POST", "/connection/$conn/share", `{"tenant_id":"$beta"}`, 403, forbidden),
		ask("OfferUnknown", wanda, "POST", "/connection/$unknown/share", `{"tenant_id":"$beta"}`, 404, notFound(noConnection, "$unknown")),

		ask("Code", wanda, "POST", "/share-code", "", 200, data(`{"code":"<code>","expires_at":"2024-05-09T10:15:30Z"}`)),
		ask("CodeByMember", will, "POST", "/share-code", "", 403, forbidden),
	}
	return rows
}
