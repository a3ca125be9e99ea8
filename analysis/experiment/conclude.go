package experiment

import "strconv"

// Finding is a conclusion from one claim over all the cells that it concerns.
type Finding struct {
	Text      string   `json:"text"`
	Holds     *bool    `json:"holds"` // in all cells that decide; nil if none does
	Held      int      `json:"held"`  // cells
	Failed    int      `json:"failed"`
	Undecided int      `json:"undecided"`
	Lo        *float64 `json:"lo"` // least and greatest of what cells measured; nil without
	Hi        *float64 `json:"hi"`
	Why       string   `json:"why"` // of the first cell that is undecided; "" without
}

// conclude draws the conclusion from a judged claim.
func (c Claim) conclude(judged []Judged) Finding {
	var f Finding
	for _, j := range judged {
		switch {
		case j.Holds == nil:
			f.Undecided++
			if f.Why == "" {
				f.Why = j.Undecided
			}
		case *j.Holds:
			f.Held++
		default:
			f.Failed++
		}
		f.reach(j.Measured)
	}
	f.Text = c.Holds
	if f.Failed > 0 {
		f.Text = c.Fails
	}
	if f.Held+f.Failed > 0 {
		f.Holds = new(f.Failed == 0)
	}
	return f
}

// reach widens the range of what was measured.
func (f *Finding) reach(measured *float64) {
	if measured == nil {
		return
	}
	if f.Lo == nil || *measured < *f.Lo {
		f.Lo = measured
	}
	if f.Hi == nil || *measured > *f.Hi {
		f.Hi = measured
	}
}

// judgeHighest judges a claim about the greatest value among the cells that
// meet its conditions. Cells without the figure say nothing.
func (c Claim) judgeHighest(groups []Group) Judged {
	want, _ := strconv.ParseFloat(string(c.Predicted), 64) // a number, as checked
	j := Judged{Claim: c.Text, Source: c.Source, Tolerance: c.words(), Predicted: &want, Warnings: []string{}}
	var missed []float64
	for i := range groups {
		g := &groups[i]
		s, ok := g.Figures[c.Figure]
		if !ok || !c.concerns(g.cells[0]) {
			continue
		}
		j.Warnings = append(j.Warnings, g.Warnings...)
		if !c.met(g) {
			missed = append(missed, s.Median)
		} else if j.Measured == nil || s.Median > *j.Measured {
			j.Measured = new(s.Median)
		}
	}
	switch {
	case j.Measured != nil:
		j.Lo, j.Hi = j.Measured, above(missed, *j.Measured)
		lo, hi := c.Tolerance.band(want)
		j.Holds = new(lo <= *j.Measured && *j.Measured <= hi)
	case len(missed) > 0:
		j.Holds = new(false) // no cell meets the conditions
	default:
		j.Undecided = "no cell has this figure"
	}
	return j
}

// met tells whether a group meets all conditions; one whose figure is
// undefined does not.
func (c Claim) met(g *Group) bool {
	for _, m := range c.Highest {
		if s, ok := g.Figures[m.Figure]; !ok || s.Median < m.Least {
			return false
		}
	}
	return true
}

// above is the least value above x, nil without.
func above(values []float64, x float64) (least *float64) {
	for _, v := range values {
		if v > x && (least == nil || v < *least) {
			least = new(v)
		}
	}
	return least
}
