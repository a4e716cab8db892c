package example

import (
	"time"

	"github.com/drover-fleet/drover"
)

// linkExamples are those of links.
func linkExamples() []any {
	link := drover.MilestoneLink{
		ID: ID, MilestoneID: Tenant, CreatedAt: Time, ExpiresAt: drover.At(Time.Add(7 * 24 * time.Hour)),
		OpenedCount: 3, LastOpenedAt: &Time,
	}
	invite := drover.ConnectionLink{
		ID: ID, State: drover.LinkOpen, BusinessName: "Northern Haulage", Tags: []string{"north"}, Providers: []drover.ProviderName{},
		CreatedAt: Time, ExpiresAt: link.ExpiresAt,
	}
	const page = "https://fleet.example"
	return []any{
		link,
		drover.MilestoneLinkInput{ExpiresAt: &link.ExpiresAt},
		drover.MilestoneLinkCreated{MilestoneLink: link, URL: page + "/share/mfrggzdfmztwq2lknnwg23tpobyxe43u"},
		drover.SharedJourney{
			TenantName: "Northern Haulage", Status: drover.TripInProgress, Destination: drover.Coordinate{Latitude: 53.95, Longitude: 27.61},
			Progress: 0.62,
			Position: &drover.SharedPosition{Timestamp: Time, Longitude: 27.4921, Latitude: 53.9205, Heading: new(102.0)},
			Arrival: &drover.ArrivalRange{
				Earliest: drover.At(Time.Add(33 * time.Minute)),
				Expected: drover.At(Time.Add(41 * time.Minute)), Latest: drover.At(Time.Add(55 * time.Minute)),
			},
			DistanceToDestinationKM: new(12.4), UpdatedAt: &Time, ExpiresAt: link.ExpiresAt,
		},
		drover.Brand{Name: new("Northern Haulage"), Colour: new("#1a5fb4")},
		drover.BrandUpdate{Colour: drover.Some("#1a5fb4")},
		invite,
		drover.ConnectionLinkInput{
			BusinessName: new("Northern Haulage"), Email: new("fleet@northern.example"), Tags: []string{"north"},
			Providers: []drover.ProviderName{drover.Samsara},
		},
		drover.ConnectionLinkCreated{ConnectionLink: invite, URL: page + "/link/mfrggzdfmztwq2lknnwg23tpobyxe43u"},
		drover.LinkInput{IntegrationName: drover.Samsara, Credentials: map[string]string{"api_token": "…"}},
		drover.LinkConsent{URL: "https://signin.provider.example/authorize?client_id=0oa1&redirect_uri=https%3A%2F%2Ffleet.example%2Flink%2Fconsent&response_type=code&state=MFRGGZDFMZTWQ2LKNNWG23TPOB", State: "MFRGGZDFMZTWQ2LKNNWG23TPOB"},
		drover.LinkResult{Connected: true, Trial: drover.ConnectionTrial{OK: true, Devices: 12}},
	}
}
