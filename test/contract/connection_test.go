package contract_test

import "strings"

// The connections of alpha, as its fixture makes them.
const (
	conn = `{"id":"$conn","tenant_id":"$alpha","integration_name":"traccar","business_name":"Alpha Haulage","abn":"51824753556","email":"fleet@alpha.example",
		"active":true,"collection_start_time":"2024-05-01T10:15:30.500Z","collection_end_time":"2024-05-03T10:15:30Z",
		"configuration":{"poll_interval_seconds":15,"trips":"native","base_url":"` + publicURL + `","health":"pending"}}`
	plainConn = `{"id":"$plain_conn","tenant_id":"$alpha","integration_name":"traccar","business_name":"Alpha Vans","abn":null,"email":null,
		"active":false,"collection_start_time":"2024-05-02T10:15:30Z","collection_end_time":null,
		"configuration":{"poll_interval_seconds":15,"trips":"native","base_url":"` + publicURL + `","health":"disabled"}}`
	betaConn = `{"id":"$beta_conn","tenant_id":"$beta","integration_name":"traccar","business_name":"Beta","abn":null,"email":null,
		"active":true,"collection_start_time":"2024-05-02T10:15:30Z","collection_end_time":null,
		"configuration":{"poll_interval_seconds":15,"trips":"native","base_url":"` + publicURL + `","health":"pending"}}`
)

// providerFault is the refusal of a provider outside the closed set.
func providerFault(loc ...any) string {
	names := "'automile', 'bouncie', 'cartrack', 'flespi', 'geotab', 'gpswox', 'john_deere', 'mix_telematics', 'motive', 'navixy', " +
		"'ruptela', 'samsara', 'scania', 'teletrac_navman', 'traccar', 'trackunit', 'verizon_connect', 'volvo_trucks', 'webfleet' or 'wialon'"
	return invalid("enum", "Input should be "+names, loc...)
}

// notFound is the refusal of an id that no record has.
func notFound(format, id string) string { return refusal(404, strings.Replace(format, "%s", id, 1)) }

const noConnection = "Connection with ID %s not found"

// connectionRows are what is read of connections.
func connectionRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	tags := `[{"id":"<uuid>","name":"north"},{"id":"<uuid>","name":"south"}]`
	rows := []row{
		read("ListIsOwnOldestFirst", alice, "/connection", 200, list(conn, plainConn)),
		read("ListForViewer", vera, "/connection", 200, list(conn, plainConn)),
		read("ListChangesOfAnotherDatabase", alice, "/connection?sort=updated_at&cursor="+cursorElsewhere("connection"), 410,
			refusal(410, "The changes since then are not known any more: take a new snapshot, from a first page without cursor and updated_after")),
		read("ListChangesByACursorOfAnotherList", alice, "/connection?sort=updated_at&cursor="+cursorElsewhere("trip"), 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		read("ListChangesAfterNoTime", alice, "/connection?updated_after=today", 422, timeFault("query", "updated_after")),
		read("ListChangesWithAFilter", alice, "/connection?updated_after=2024-05-02T00:00:00Z&include=health", 422, noFilterOfChanges),
		read("ListOfOtherTenant", bob, "/connection", 200, list(betaConn)),
		read("ListHasWhatIsShared", carol, "/connection", 200, list(conn)),
		read("ListByProvider", alice, "/connection?telematics_provider=traccar", 200, list(conn, plainConn)),
		read("ListByProviderWithoutAny", alice, "/connection?telematics_provider=wialon", 200, list()),
		read("ListByUnknownProvider", alice, "/connection?telematics_provider=acme", 422, providerFault("query", "telematics_provider")),
		read("ListByProviderInCapitals", alice, "/connection?telematics_provider=Traccar", 422, providerFault("query", "telematics_provider")),
		read("ListByEmptyProvider", alice, "/connection?telematics_provider=", 422, providerFault("query", "telematics_provider")),
		read("ListIgnoresUnknownParameters", alice, "/connection?colour=red", 200, list(conn, plainConn)),

		read("GetOwn", alice, "/connection/$conn", 200, data(with(conn, "connection_tags", tags))),
		read("GetWithoutTags", alice, "/connection/$plain_conn", 200, data(with(plainConn, "connection_tags", "[]"))),
		read("GetShared", carol, "/connection/$conn", 200, data(with(conn, "connection_tags", tags))),
		read("CredentialsOfOwner", alice, "/connection/$conn/credentials", 200,
			data(`{"connection_id":"$conn","credentials":{"base_url":"`+publicURL+`","token":"alpha-secret"}}`)),
		read("CredentialsNotForMembers", mark, "/connection/$conn/credentials", 403, forbidden),
		read("CredentialsNotForViewers", vera, "/connection/$conn/credentials", 403, forbidden),
		read("CredentialsNotForThoseSharedWith", carol, "/connection/$conn/credentials", 403, forbidden),

		{name: "TagsByName", as: alice, method: "GET", path: "/connection-tag", status: 200, want: `{"data":` + tags + `}`},
		{
			name: "TagsOfOtherTenant", as: bob, method: "GET", path: "/connection-tag", status: 200,
			want: list(`{"id":"<uuid>","name":"beta-only"}`),
		},
		{name: "TagsAreNotShared", as: carol, method: "GET", path: "/connection-tag", status: 200, want: list()},
	}
	for _, path := range []string{"/connection/", "/connection/%/credentials"} {
		at := func(id string) string {
			if before, after, ok := strings.Cut(path, "%"); ok {
				return before + id + after
			}
			return path + id
		}
		suffix := "Of" + path
		rows = append(rows,
			read("Foreign"+suffix, bob, at("$conn"), 403, forbidden),
			read("NotShared"+suffix, carol, at("$plain_conn"), 403, forbidden),
			read("Unknown"+suffix, alice, at("$unknown"), 404, notFound(noConnection, "$unknown")),
			read("NoUUID"+suffix, alice, at("nonsense"), 404, notFound(noConnection, "nonsense")),
			read("TextAsGiven"+suffix, alice, at("%C3%A4%20b%2Fc%25"), 404, notFound(noConnection, "ä b/c%")),
			read("UpperCaseIsAnotherText"+suffix, alice, at("01900000-0000-7000-8000-00000000000A"), 404,
				notFound(noConnection, "01900000-0000-7000-8000-00000000000A")),
		)
	}
	return rows
}

// shareRows are the operations on shares.
func shareRows() []row {
	const noTenant = "Tenant with ID %s not found"
	ask := func(name, user, method, path string, status int, want string) row {
		return row{name: name, as: user, method: method, path: path, status: status, want: want}
	}
	shared := `{"id":"<uuid>","connection_id":"$new_conn","owner_tenant_id":"$work","tenant_id":"$beta","state":"offered","scopes":["positions","drivers","readings","safety"],"created_at":"2024-05-02T10:15:30Z","accepted_at":null,"expires_at":null}`
	stops := `{"id":"$share","connection_id":"$conn","owner_tenant_id":"$alpha","tenant_id":"$gamma","state":"accepted","scopes":["positions","drivers","readings","safety"],"created_at":"2024-05-02T10:15:30Z","accepted_at":"2024-05-02T10:15:30Z","expires_at":null}`
	rows := []row{
		ask("List", alice, "GET", "/connection/$conn/share", 200, list(stops)),
		ask("ListWithout", alice, "GET", "/connection/$plain_conn/share", 200, list()),
		{
			name: "ShareAndTakeBack", as: wanda, method: "PUT", path: "/connection/$new_conn/share/$beta", status: 200, want: data(shared),
			then: []row{
				// Again, it changes nothing: the first time stays.
				{as: wanda, method: "PUT", path: "/connection/$new_conn/share/$beta", after: 60e9, status: 200, want: data(shared)},
				ask("", wanda, "GET", "/connection/$new_conn/share", 200, list(shared)),
				ask("", bob, "GET", "/connection/$new_conn/credentials", 403, forbidden),
				ask("", bob, "GET", "/connection/$new_conn/share", 403, forbidden),
				ask("", bob, "GET", "/connection/$new_conn", 403, forbidden), // it is not accepted
				ask("", wanda, "DELETE", "/connection/$new_conn/share/$beta", 204, ""),
				ask("", wanda, "DELETE", "/connection/$new_conn/share/$beta", 404, notFound(noTenant, "$beta")),
				ask("", bob, "GET", "/connection/$new_conn", 403, forbidden),
				ask("", wanda, "GET", "/connection/$new_conn/share", 200, list()),
			},
		},
		ask("WithItsOwner", wanda, "PUT", "/connection/$work_conn/share/$work", 422,
			invalid("value_error", "Value error, a connection is not shared with its owner", "path", "tenant_id")),
		ask("ThoseSharedWithCannotPassItOn", carol, "PUT", "/connection/$conn/share/$beta", 403, forbidden),
		ask("ThoseSharedWithCannotSeeTheOthers", carol, "GET", "/connection/$conn/share", 403, forbidden),
		ask("ThoseSharedWithCannotGiveUp", carol, "DELETE", "/connection/$conn/share/$gamma", 403, forbidden),
	}
	for _, method := range []string{"PUT", "DELETE"} {
		path := func(connection, tenant string) string { return "/connection/" + connection + "/share/" + tenant }
		rows = append(rows,
			ask("Member"+method, mark, method, path("$conn", "$gamma"), 403, forbidden),
			ask("Viewer"+method, vera, method, path("$conn", "$gamma"), 403, forbidden),
			ask("Foreign"+method, bob, method, path("$conn", "$beta"), 403, forbidden),
			ask("UnknownConnection"+method, alice, method, path("$unknown", "$gamma"), 404, notFound(noConnection, "$unknown")),
			ask("NoUUID"+method, alice, method, path("x", "$gamma"), 404, notFound(noConnection, "x")),
			ask("UnknownTenant"+method, alice, method, path("$conn", "$unknown"), 404, notFound(noTenant, "$unknown")),
			ask("TenantNoUUID"+method, alice, method, path("$conn", "x"), 404, notFound(noTenant, "x")),
		)
	}
	return append(rows,
		ask("ListForMember", mark, "GET", "/connection/$conn/share", 403, forbidden),
		ask("ListForeign", bob, "GET", "/connection/$conn/share", 403, forbidden),
		ask("ListUnknown", alice, "GET", "/connection/$unknown/share", 404, notFound(noConnection, "$unknown")),
		ask("ListNoUUID", alice, "GET", "/connection/x/share", 404, notFound(noConnection, "x")),
	)
}
