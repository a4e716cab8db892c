package wire

// All converts the rows of an answer.
func All[R, T any](rows []R, convert func(R) T) []T {
	var records []T
	for _, row := range rows {
		records = append(records, convert(row))
	}
	return records
}

// Records converts the rows of an answer and leaves out those that are no record:
// a position without a place, a trip that is not over.
func Records[R, T any](rows []R, convert func(R) (T, bool)) []T {
	var records []T
	for _, row := range rows {
		if record, ok := convert(row); ok {
			records = append(records, record)
		}
	}
	return records
}
