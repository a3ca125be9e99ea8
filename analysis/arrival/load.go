package arrival

import "tare/ipc"

// FromLoad returns the schedule of an open-loop step. The error is that of
// the first name or number that cannot be read; Validate finds the rest.
func FromLoad(l ipc.Load) (Spec, error) {
	s := Spec{Burstiness: l.Burstiness, Seed: l.Seed, Duration: l.Duration, Requests: l.Requests}
	if err := s.Law.UnmarshalText([]byte(l.Arrival)); err != nil {
		return Spec{}, err
	}
	var err error
	s.Rate, err = ParseRate(l.Rate)
	return s, err
}
