package contract_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
)

// The events of alpha's milestone, which come after those of its connections.
const (
	startedEvent = `{"id":"$event_milestone_started","sequence":3,"type":"milestone.started","timestamp":"2024-05-02T10:15:30Z",
		"connection_id":null,"device_id":null,"milestone_id":"$milestone","data":"<any>"}`
	updatedEvent = `{"id":"$event_milestone_updated","sequence":4,"type":"milestone.updated","timestamp":"2024-05-02T10:15:30Z",
		"connection_id":null,"device_id":null,"milestone_id":"$milestone","data":"<any>"}`
)

// typeFault is the refusal of an event type outside the closed set.
func typeFault() string {
	var names []string
	for _, typ := range drover.EventTypes {
		names = append(names, "'"+string(typ)+"'")
	}
	last := len(names) - 1
	return invalid("enum", "Input should be "+strings.Join(names[:last], ", ")+" or "+names[last], "query", "type")
}

// eventRows are the change feed and what leads to a stream.
func eventRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	connectionEvent := func(id, record string) string {
		return `{"id":"<uuid>","sequence":` + id + `,"type":"connection.created","timestamp":"2024-05-02T10:15:30Z",
			"connection_id":"$` + record + `","device_id":null,"milestone_id":null,"data":`
	}
	const notInteger = "Input should be a valid integer, unable to parse string as an integer"
	return []row{
		read("FeedInOrder", alice, "/event", 200, list(connectionEvent("1", "conn")+conn+"}", connectionEvent("2", "plain_conn")+plainConn+"}",
			startedEvent, updatedEvent)),
		read("FeedForViewer", vera, "/event?type=milestone.started", 200, list(startedEvent)),
		read("FeedOfSeveralTypes", alice, "/event?type=milestone.updated&type=milestone.started", 200, list(startedEvent, updatedEvent)),
		read("FeedOfUnknownType", alice, "/event?type=lunch", 422, typeFault()),
		read("FeedIsOwn", carol, "/event", 200, list()),
		read("FeedWaitTooLong", alice, "/event?wait=31", 422,
			invalid("less_than_equal", "Input should be less than or equal to 30", "query", "wait")),
		read("FeedWaitNegative", alice, "/event?wait=-1", 422,
			invalid("greater_than_equal", "Input should be greater than or equal to 0", "query", "wait")),
		read("FeedWaitsOnlyForNothing", alice, "/event?wait=30&type=milestone.started", 200, list(startedEvent)),

		read("NewestFirst", alice, "/event?order=desc&limit=1", 200, list(updatedEvent)),
		read("NewestFirstOfTypes", alice, "/event?order=desc&type=milestone.started&type=milestone.updated", 200,
			list(updatedEvent, startedEvent)),
		read("OtherOrder", alice, "/event?order=up", 422, invalid("enum", "Input should be 'asc' or 'desc'", "query", "order")),
		read("CursorOfTheOtherOrder", alice, "/event?order=desc&cursor=eyJzIjozfQ", 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		read("FeedFromNow", alice, "/event?from=now", 200, list()),
		read("FeedFromNowGoesOn", alice, "/event?from=now&cursor=eyJzIjozfQ", 200, list(updatedEvent)),
		read("FeedFromTime", alice, "/event?from=2024-05-02T10:15:30Z&type=milestone.started", 200, list(startedEvent)),
		read("FeedFromLater", alice, "/event?from=2024-05-02T10:15:31Z", 200, list()),
		read("FeedFromNoTime", alice, "/event?from=noon", 422, timeFault("query", "from")),
		read("FeedTo", alice, "/event?order=desc&to=2024-05-02T10:15:30Z", 200, list()),
		read("FeedToLater", alice, "/event?order=desc&limit=1&to=2024-05-02T10:15:31Z", 200, list(updatedEvent)),
		read("FeedOfConnection", alice, "/event?connection_id=$plain_conn", 200, list(connectionEvent("2", "plain_conn")+plainConn+"}")),
		read("FeedOfForeignConnection", alice, "/event?connection_id=$beta_conn", 200, list()),
		read("FeedOfDevice", alice, "/event?device_id=$device", 200, list()),
		read("StreamBeyondTheFeed", alice, "/stream?last_event_id=5", 409, refusal(409, "The feed ends at 4: it holds no event 5")),

		read("OfMilestone", alice, "/milestone/$milestone/event", 200, list(startedEvent, updatedEvent)),
		read("OfMilestoneWithout", alice, "/milestone/$silent_milestone/event", 200, list()),
		read("OfForeignMilestone", bob, "/milestone/$milestone/event", 403, forbidden),
		read("OfUnknownMilestone", alice, "/milestone/$unknown/event", 404, notFound(noMilestone, "$unknown")),
		read("Predicted", alice, "/milestone/$milestone/eta-history", 200, list(
			`{"predicted_at":"2024-05-02T10:03:30Z","eta":"2024-05-02T12:03:30Z","distance_to_destination_km":90.5,"eta_p10":"2024-05-02T11:48:30Z","eta_p90":"2024-05-02T12:33:30Z","arrived_at":null,"error_seconds":null}`,
			`{"predicted_at":"2024-05-02T10:07:30Z","eta":"2024-05-02T12:07:30Z","distance_to_destination_km":90.5,"eta_p10":"2024-05-02T11:52:30Z","eta_p90":"2024-05-02T12:37:30Z","arrived_at":null,"error_seconds":null}`)),
		read("PredictedOfForeignMilestone", bob, "/milestone/$milestone/eta-history", 403, forbidden),
		read("PredictedOfUnknownMilestone", alice, "/milestone/$unknown/eta-history", 404, notFound(noMilestone, "$unknown")),
		read("OfMilestoneNoUUID", alice, "/milestone/x/event", 404, notFound(noMilestone, "x")),

		read("StreamOfUnknownType", alice, "/stream?type=lunch", 422, typeFault()),
		read("StreamAfterNoNumber", alice, "/stream?last_event_id=x", 422, invalid("int_parsing", notInteger, "query", "last_event_id")),
		{
			name: "StreamAfterNegative", as: alice, method: "GET", path: "/stream", header: map[string]string{"Last-Event-ID": "-1"}, status: 422,
			want: invalid("greater_than_equal", "Input should be greater than or equal to 0", "header", "last-event-id"),
		},
	}
}

// TestStream resumes a stream after an event and reads what came since.
func TestStream(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		header := s.authorized(t, alice)
		header["Last-Event-ID"], header["Accept"] = "2", "text/event-stream"
		req := s.newRequest(t, t.Context(), s.server.URL, request{method: http.MethodGet, path: "/stream", header: header})
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Request-Id") == "" {
			t.Fatalf("status %d, header %v", resp.StatusCode, resp.Header)
		}
		names := &names{t: t, world: s.world, fresh: map[string]string{}}
		lines := bufio.NewScanner(resp.Body)
		for _, want := range []struct{ id, typ, data string }{
			{"3", "milestone.started", startedEvent},
			{"4", "milestone.updated", updatedEvent},
		} {
			frame := readFrame(t, lines)
			if frame["id"] != want.id || frame["event"] != want.typ {
				t.Errorf("event %s %s, want %s %s", frame["id"], frame["event"], want.id, want.typ)
			}
			if diff := bodyDiff(t, names.resolve(want.data), frame["data"]); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		}
	})
}

// readFrame reads lines up to the end of the next event.
func readFrame(t *testing.T, lines *bufio.Scanner) map[string]string {
	t.Helper()
	frame := map[string]string{}
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), ": ")
		switch {
		case ok && name != "" && name != "retry":
			frame[name] = value
		case lines.Text() == "" && len(frame) > 0:
			return frame
		}
	}
	t.Fatalf("the stream ended in %v: %v", frame, lines.Err())
	return nil
}
