package mixtelematicstest

import (
	"encoding/json"
	"net/http"
	"time"
)

// faults serves how the faults of assets stand: a broken vehicle has one, and each had one that is
// resolved.
func (s *server) faults(w http.ResponseWriter, r *http.Request) {
	var ids []int64
	if err := json.NewDecoder(r.Body).Decode(&ids); err != nil {
		badArgument(w, "a list of ids is expected")
		return
	}
	vehicles, ok := s.sameOwner(ids)
	if !ok {
		notAuthorised(w)
		return
	}
	now := s.account.Now()
	var list []object
	for _, v := range vehicles {
		fault := func(code string, open bool) object {
			f := object{
				"AssetId": json.Number(AssetID(v)), "Timestamp": timestamp(now.Add(-time.Minute)), "FaultCode": code, "Category": "Engine",
				"Description": "Text of the vendor", "Severity": "High", "IsFaulted": open, "FirstSeen": timestamp(now.Add(-2 * time.Hour)),
				"LastSeen": timestamp(now.Add(-time.Hour)), "Count": 2, "Symptom": "", "Action": "", "DateCleared": nil,
			}
			if !open {
				f["DateCleared"] = timestamp(now.Add(-time.Hour))
			}
			return f
		}
		of := []object{fault("P0300", false)}
		if v.BrokenAt(now) {
			of = append(of, fault("P0420", true))
		}
		if v.Broken() {
			list = append(list, object{"AssetId": json.Number(AssetID(v)), "Faults": of})
		}
	}
	replyList(w, http.StatusOK, list)
}
