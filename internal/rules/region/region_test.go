package region_test

import (
	"math"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/region"
)

func at(lat, lng float64) drover.Coordinate {
	return drover.Coordinate{Latitude: lat, Longitude: lng}
}

func TestAt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lat, lng float64
		want     string
	}{
		"Denver":           {39.74, -104.98, "US-CO"},
		"KansasCityEast":   {39.10, -94.55, "US-MO"},
		"KansasCityWest":   {39.10, -94.66, "US-KS"},
		"Texarkana":        {33.43, -94.06, "US-TX"},
		"TexarkanaEast":    {33.44, -94.02, "US-AR"},
		"FourCorners":      {37, -109.047, "US-CO"}, // on a border, to the north and to the east
		"Chicago":          {41.88, -87.63, "US-IL"},
		"WashingtonDC":     {38.90, -77.04, "US-DC"},
		"Honolulu":         {21.31, -157.86, "US-HI"},
		"Adak":             {51.88, -176.65, "US-AK"},
		"Attu":             {52.90, 173.10, "US-AK"},
		"SanJuan":          {18.40, -66.06, "PR"},
		"SevenMileBridge":  {24.70, -81.15, "US-FL"},
		"Lloydminster":     {53.28, -110.03, "CA-AB"},
		"LloydminsterEast": {53.28, -109.97, "CA-SK"},
		"Ottawa":           {45.40, -75.70, "CA-ON"},
		"Gatineau":         {45.48, -75.72, "CA-QC"},
		"Iqaluit":          {63.75, -68.52, "CA-NU"},
		"Monterrey":        {25.67, -100.31, "MX-NLE"},
		"MexicoCity":       {19.43, -99.13, "MX-CMX"},
		"Tijuana":          {32.50, -117.00, "MX-BCN"},
		"SanYsidro":        {32.56, -117.04, "US-CA"},
		"Albury":           {-36.06, 146.93, "AU-NSW"},
		"Wodonga":          {-36.14, 146.88, "AU-VIC"},
		"Canberra":         {-35.30, 149.13, "AU-ACT"},
		"Hobart":           {-42.88, 147.33, "AU-TAS"},
		"Basel":            {47.56, 7.59, "CH"},
		"Strasbourg":       {48.57, 7.74, "FR"},
		"Kehl":             {48.57, 7.83, "DE"},
		"Oslo":             {59.91, 10.75, "NO"},
		"Vaduz":            {47.14, 9.52, "LI"},
		"Pristina":         {42.66, 21.16, "XK"},
		"Maseru":           {-29.32, 27.48, "LS"},
		"Suva":             {-18.12, 178.43, "FJ"},
		"Anadyr":           {64.73, 177.50, "RU"},
		"BeyondAnadyr":     {66.50, -172.00, "RU"},
		"JustBeyond":       {67.75, -179.75, "RU"},
		"MidAtlantic":      {30, -40, ""},
		"NullIsland":       {0, 0, ""},
		"NorthPole":        {90, 0, ""},
		"SouthPole":        {-90, 180, ""},
		"OffTheCoast":      {37.75, -122.65, "US-CA"},
		"FarOffTheCoast":   {37.75, -123.50, ""},
	} {
		if got := region.At(at(test.lat, test.lng)).Code; got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestSplit parts a straight way from Reno to Salt Lake City at the border of its states, which
// is a meridian.
func TestSplit(t *testing.T) {
	t.Parallel()
	from, to := at(39.53, -119.81), at(40.76, -111.89)
	border := (119.81 - 114.043) / (119.81 - 111.89)
	parts := region.Split(from, to)
	if len(parts) != 2 || parts[0].Code != "US-NV" || parts[1].Code != "US-UT" || parts[1].Name != "Utah" || parts[1].Country() != "US" {
		t.Fatalf("got %v", parts)
	}
	if math.Abs(parts[0].Share-border) > 0.001 || math.Abs(parts[0].Share+parts[1].Share-1) > 1e-9 {
		t.Errorf("got %v, want the border at %v", parts, border)
	}
	back := region.Split(to, from)
	if len(back) != 2 || back[0].Code != "US-UT" || math.Abs(back[1].Share-parts[0].Share) > 1e-9 {
		t.Errorf("the other way it is %v", back)
	}
}

// TestSplitShares go round the world in steps of all lengths: no part is lost, none is counted twice, and
// neighbours differ.
func TestSplitShares(t *testing.T) {
	t.Parallel()
	for i := range 2000 {
		n := float64(i)
		a := at(math.Mod(n*7.31, 140)-60, math.Mod(n*31.7, 360)-180)
		step := math.Mod(n*n, 97) / 10
		b := at(a.Latitude+step*math.Sin(n), a.Longitude+step*math.Cos(n))
		sum := 0.0
		parts := region.Split(a, b)
		for k, p := range parts {
			sum += p.Share
			if k > 0 && p.Region == parts[k-1].Region || p.Share < 0 {
				t.Fatalf("from %v to %v: %v", a, b, parts)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("from %v to %v: the parts are %v of the whole", a, b, sum)
		}
		ends := parts[0].Region == region.At(a) && parts[len(parts)-1].Region == region.At(b)
		if math.Abs(b.Longitude) < 180 && inland(a) && inland(b) && !ends {
			t.Errorf("from %v (%v) to %v (%v): %v", a, region.At(a), b, region.At(b), parts)
		}
	}
}

// inland reports whether no other region, and no sea, is near.
func inland(c drover.Coordinate) bool {
	r := region.At(c)
	for i := range 8 {
		if region.At(at(c.Latitude+0.5*math.Sin(float64(i)), c.Longitude+0.5*math.Cos(float64(i)))) != r {
			return false
		}
	}
	return r.Code != ""
}

func TestSplitOfOnePlace(t *testing.T) {
	t.Parallel()
	if parts := region.Split(at(39.74, -104.98), at(39.74, -104.98)); len(parts) != 1 || parts[0].Code != "US-CO" || parts[0].Share != 1 {
		t.Errorf("got %v", parts)
	}
	if parts := region.Split(at(-16.5, 179.9), at(-16.5, -179.9)); len(parts) != 1 || parts[0].Code != "FJ" || parts[0].Share != 1 {
		t.Errorf("over the antimeridian it is %v", parts)
	}
}
