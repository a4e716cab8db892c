package mixtelematics

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider/providertest"
)

func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckOdometer(t, "OdometerKilometres", readings)
}
