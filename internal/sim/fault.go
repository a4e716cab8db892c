package sim

// Broken reports whether a vehicle has a fault: every third one has.
func (v Vehicle) Broken() bool { return v.Index%3 == 0 }
