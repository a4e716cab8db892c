package iso15143

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

func answering(body string) providertest.Doer {
	return func(*http.Request) (*http.Response, error) {
		return providertest.Answer(body)
	}
}

func newClient(d providertest.Doer) *Client {
	return New(Options{
		HTTP: d, Base: "https://iso.test/x", Accept: XML, Query: url.Values{"addMetadata": {"true"}},
		Authorize: func(ctx context.Context, call func(context.Context, string) error) error {
			return call(ctx, "Bearer t")
		},
	})
}

var seen = time.Date(2024, 5, 20, 11, 8, 34, 0, time.UTC)

// The same machine in the forms in which producers write it.
var forms = map[string]string{
	"XML with attributes": `<?xml version="1.0"?>
		<Fleet xmlns="http://standards.iso.org/iso/15143/-3" version="1" snapshotTime="2024-05-20T12:00:00Z">
		<Links><rel>self</rel><href>https://iso.test/Fleet/1</href></Links>
		<Links><rel>next</rel><href>https://iso.test/Fleet/2</href></Links>
		<Equipment>
			<EquipmentHeader><OEMName>Takeuchi</OEMName><Model>TB290-2</Model><EquipmentID>007</EquipmentID>
				<SerialNumber>190502580</SerialNumber><PIN>190502580</PIN></EquipmentHeader>
			<Metadata><MachineId>035c52d4</MachineId><UnitId>958947</UnitId></Metadata>
			<Location datetime="2024-05-20T11:08:34Z"><Latitude>49.237090</Latitude><Longitude>8.093496</Longitude></Location>
			<EngineStatus datetime="2024-05-20T10:37:57Z"><Running>true</Running></EngineStatus>
			<Distance datetime="2024-05-20T11:08:34Z"><OdometerUnits>kilometre</OdometerUnits><Odometer>120.4</Odometer></Distance>
		</Equipment></Fleet>`,
	"XML with nested links": `<Fleet version="1" snapshotTime="2024-05-20T12:00:00Z">
		<Links><Link><rel>self</rel><href>https://iso.test/Fleet/1</href></Link><Link><rel>next</rel><href>https://iso.test/Fleet/2</href></Link></Links>
		<Equipment>
			<EquipmentHeader><OEMName>Takeuchi</OEMName><Model>TB290-2</Model><EquipmentID>007</EquipmentID>
				<SerialNumber>190502580</SerialNumber><PIN>190502580</PIN></EquipmentHeader>
			<Metadata><MachineId>035c52d4</MachineId></Metadata>
			<Location datetime="2024-05-20T11:08:34Z"><Latitude>49.23709</Latitude><Longitude>8.093496</Longitude></Location>
			<EngineStatus><Running>true</Running></EngineStatus><Distance><Odometer>120.4</Odometer></Distance>
		</Equipment></Fleet>`,
	"JSON with nested links": `{"Links":{"Link":{"rel":"next"}},
		"equipment":[{"EquipmentHeader":{"OEMName":"Takeuchi","Model":"TB290-2","EquipmentID":"007","SerialNumber":"190502580","PIN":"190502580"},
		"metadata":{"assetId":"035c52d4"},"Location":{"Latitude":49.23709,"Longitude":8.093496,"datetime":"2024-05-20T11:08:34Z"},
		"EngineStatus":{"Running":true},"Distance":{"Odometer":120.4}}]}`,
	"XML with elements and prefixes": "\ufeff" + `<iso:Fleet xmlns:iso="urn:other">
		<iso:Links><iso:rel>NEXT</iso:rel></iso:Links>
		<iso:Equipment>
			<iso:EquipmentHeader><iso:OEMName>Takeuchi</iso:OEMName><iso:Model>TB290-2</iso:Model><iso:EquipmentID> 007 </iso:EquipmentID>
				<iso:SerialNumber>190502580</iso:SerialNumber><iso:PIN>190502580</iso:PIN></iso:EquipmentHeader>
			<iso:Metadata><iso:MachineId>035c52d4</iso:MachineId></iso:Metadata>
			<iso:Location><iso:datetime>2024-05-20T13:08:34+02:00</iso:datetime><iso:Latitude>49.23709</iso:Latitude><iso:Longitude>8.093496</iso:Longitude></iso:Location>
			<iso:EngineStatus><iso:Running>1</iso:Running></iso:EngineStatus>
			<iso:Distance><iso:Odometer>120.4</iso:Odometer></iso:Distance>
		</iso:Equipment></iso:Fleet>`,
	"JSON in lower case": `{"links":[{"rel":"self"},{"rel":"next","href":"https://iso.test/Fleet/2"}],
		"equipment":[{"EquipmentHeader":{"OEMName":"Takeuchi","Model":"TB290-2","EquipmentID":"007","SerialNumber":"190502580","PIN":"190502580"},
		"metadata":{"assetId":"035c52d4"},"Location":{"Latitude":49.23709,"Longitude":8.093496,"datetime":"2024-05-20T11:08:34Z"},
		"EngineStatus":{"Running":true,"datetime":"2024-05-20T10:37:57Z"},"Distance":{"OdometerUnits":"kilometre","Odometer":120.4}}]}`,
	"JSON in capitals": `{"Links":{"rel":"next"},
		"Equipment":{"EquipmentHeader":{"OEMName":"Takeuchi","Model":"TB290-2","EquipmentID":"007","SerialNumber":190502580,"PIN":190502580},
		"Metadata":{"AssetId":"035c52d4"},"Location":{"Latitude":"49.23709","Longitude":"8.093496","Datetime":"2024-05-20T11:08:34"},
		"EngineStatus":{"Running":"true"},"Distance":{"OdometerUnits":"Kilometer","Odometer":120.4}}}`,
}

func TestFleet(t *testing.T) {
	t.Parallel()
	for name, body := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet, more, err := newClient(answering(body)).Fleet(t.Context(), 1)
			if err != nil || !more || len(fleet.Equipment) != 1 {
				t.Fatalf("%d machines, more %t, %v", len(fleet.Equipment), more, err)
			}
			e := fleet.Equipment[0]
			if diff := cmp.Diff(Header{"Takeuchi", "TB290-2", "007", "190502580", "190502580"}, e.Header); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			p, ok := e.Position("007")
			if !ok || !p.Time.Equal(seen) || p.Latitude != 49.23709 || p.Longitude != 8.093496 || p.SystemDeviceID != "007" {
				t.Errorf("position %+v, %t", p, ok)
			}
			if m := p.OdometerMetres; m == nil || *m != 120_400 {
				t.Errorf("%v metres, want 120400", m)
			}
			if asset := e.Metadata.Asset(); asset != "035c52d4" || p.Ignition == nil || !*p.Ignition {
				t.Errorf("asset %q, ignition %v", asset, p.Ignition)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	var got []string
	c := newClient(func(req *http.Request) (*http.Response, error) {
		got = append(got, req.URL.RequestURI())
		if req.Header.Get("Accept") != XML || req.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("headers %v", req.Header)
		}
		return answering(`<Fleet version="1"/>`)(req)
	})
	if fleet, more, err := c.Fleet(t.Context(), 3); err != nil || more || len(fleet.Equipment) != 0 {
		t.Errorf("an empty fleet: %+v, more %t, %v", fleet, more, err)
	}
	if locations, more, err := c.Locations(t.Context(), ByID("a/b c"), seen, seen.Add(time.Hour), 2); err != nil || more || len(locations) != 0 {
		t.Errorf("an empty series: %+v, more %t, %v", locations, more, err)
	}
	want := []string{
		"/x/Fleet/3?addMetadata=true",
		"/x/Fleet/Equipment/ID/a%2Fb%20c/Locations/2024-05-20T11:08:34Z/2024-05-20T12:08:34Z/2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestLocations(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"links":[{"rel":"next"}],"location":[{"Latitude":49.2,"Longitude":8.1,"datetime":"2024-05-20T11:08:34Z"}]}`,
		`{"Links":{"rel":"next"},"version":"1","other":[{"rel":"x"}],"Locations":[{"latitude":49.2,"longitude":8.1,"datetime":"2024-05-20T11:08:34Z"}]}`,
		`<LocationMessages><Links><rel>next</rel></Links><Location datetime="2024-05-20T11:08:34Z"><Latitude>49.2</Latitude><Longitude>8.1</Longitude></Location></LocationMessages>`,
	} {
		got, more, err := newClient(answering(body)).Locations(t.Context(), ByID("1"), seen, seen, 1)
		want := []Location{{wire.TimeOf(seen), wire.NumberOf(49.2), wire.NumberOf(8.1)}}
		if err != nil || !more || !cmp.Equal(want, got, cmp.AllowUnexported(wire.Number{})) {
			t.Errorf("%s: %+v, more %t, %v", body, got, more, err)
		}
	}
	if _, _, err := newClient(answering(`{"location":[{"Latitude":"north"}]}`)).Locations(t.Context(), ByID("1"), seen, seen, 1); err == nil {
		t.Error("a latitude that is no number was passed over")
	}
}

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "<html><body>Scheduled maintenance</body></html>", "<Fleet><Equipment>", "<Fleet", "<!-- nothing -->", "<a></b>", "[1]", "{}",
		"<Fleet/>", "<Error><code>7</code></Error>", strings.Repeat("<a>", 4<<20), // each level takes a part of the stack
	} {
		_, _, err := newClient(answering(body)).Fleet(t.Context(), 1)
		if err == nil || provider.KindOf(err) != provider.KindTemporary || strings.Contains(err.Error(), "Scheduled") {
			t.Errorf("%.200q: %v of kind %s", body, err, provider.KindOf(err))
		}
	}
	_, _, err := newClient(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(io.MultiReader(strings.NewReader("<Fleet>"), failing{errors.New("cut")}))}, nil
	}).Fleet(t.Context(), 1)
	if provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("a body that breaks off: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestPageBeyondTheLast(t *testing.T) {
	t.Parallel()
	c := newClient(func(*http.Request) (*http.Response, error) {
		return providertest.Refuse(http.StatusNotFound)
	})
	if fleet, more, err := c.Fleet(t.Context(), 2); err != nil || more || len(fleet.Equipment) != 0 {
		t.Errorf("page 2: %+v, more %t, %v", fleet, more, err)
	}
	if _, _, err := c.Fleet(t.Context(), 1); err == nil {
		t.Error("page 1 is not there, and no one says so")
	}
}

func TestMetres(t *testing.T) {
	t.Parallel()
	for unit, want := range map[wire.Text]float64{"mile": 1609.344, "Miles ": 1609.344, "km": 1000, "": 1000} {
		if got := (Distance{Units: unit, Odometer: wire.NumberOf(1)}).metres(); got == nil || *got != want {
			t.Errorf("1 %s is %v metres, want %v", unit, got, want)
		}
	}
	if got := (Distance{Units: "furlong", Odometer: wire.NumberOf(1)}).metres(); got != nil {
		t.Errorf("1 furlong is %v metres", *got)
	}
	if _, ok := (Location{Time: wire.TimeOf(seen)}).Position("1"); ok {
		t.Error("a location without a place is a position")
	}
}

func TestElementsOfAnotherTime(t *testing.T) {
	t.Parallel()
	e := Equipment{
		Location: Location{wire.TimeOf(seen), wire.NumberOf(1), wire.NumberOf(2)},
		Engine:   Engine{Time: wire.TimeOf(seen.Add(time.Minute))},
		Distance: Distance{Time: wire.TimeOf(seen.Add(-time.Hour)), Odometer: wire.NumberOf(3)},
	}
	if err := e.Engine.Running.UnmarshalJSON([]byte("false")); err != nil {
		t.Fatal(err)
	}
	if p, ok := e.Position("1"); !ok || p.Ignition != nil || p.OdometerMetres != nil {
		t.Errorf("an engine that stopped later and a distance of an hour ago: %+v, %t", p, ok)
	}
	e.Location.Latitude = wire.Number{}
	if _, ok := e.Position("1"); ok {
		t.Error("a machine without a place has a position")
	}
}
