package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// Result is what an experiment came to.
type Result struct {
	Experiment string    `json:"experiment"`
	Title      string    `json:"title"`
	Claims     []Judged  `json:"claims"`
	Findings   []Finding `json:"findings"`
	Groups     []Group   `json:"cells"`
}

// Judged is a claim and what became of it.
type Judged struct {
	Claim     string   `json:"claim"`
	Source    string   `json:"source"`    // of the prediction: paper, theory or design
	Tolerance string   `json:"tolerance"` // when they agree, in words
	Predicted *float64 `json:"predicted"` // in the figure's unit; nil without results
	Measured  *float64 `json:"measured"`  // median or mean over repeats; nil without results
	Lo        *float64 `json:"lo"`        // least repeat, or end of the interval; the highest itself
	Hi        *float64 `json:"hi"`        // greatest repeat, or end of the interval; the next higher that misses
	Holds     *bool    `json:"holds"`     // nil: not decided
	Undecided string   `json:"undecided"` // why not; "" if it was
	Warnings  []string `json:"warnings"`
}

// Group is a cell over its repeats: a row of the table.
type Group struct {
	Name     string            `json:"name"`
	Series   string            `json:"series"`
	Labels   []string          `json:"labels"` // in the order of the series' axes
	Repeats  int               `json:"repeats"`
	Figures  map[string]Spread `json:"figures"` // those that are defined
	Warnings []string          `json:"warnings"`
	// Others is how many CPUs' worth of time other programs took in the worst
	// repeat.
	Others float64 `json:"others_cpus"`

	cells    []Cell
	values   map[int]Values // by repeat; those that count
	document map[string]any // of the first repeat that counts
}

// Spread is a figure over the repeats of a cell.
type Spread struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"` // least
	Hi     float64 `json:"hi"` // greatest
}

// Judge judges all claims of an experiment at a size from the outcomes that
// there are, on a host that allows so many CPUs. Cells without an outcome were
// not run: their claims are undecided.
func (e *Experiment) Judge(size string, outcomes []Outcome, cpus int) Result {
	groups := e.groups(size, outcomes, cpus)
	r := Result{Experiment: e.Name, Title: e.Title, Claims: []Judged{}, Findings: []Finding{}, Groups: groups}
	for _, c := range e.Claims {
		judged := c.judgeAll(groups, cpus)
		r.Claims = append(r.Claims, judged...)
		if c.Holds != "" {
			r.Findings = append(r.Findings, c.conclude(judged))
		}
	}
	return r
}

// judgeAll judges a claim in every group that it concerns.
func (c Claim) judgeAll(groups []Group, cpus int) (judged []Judged) {
	if len(c.Highest) > 0 {
		return []Judged{c.judgeHighest(groups)}
	}
	for i := range groups {
		if c.concerns(groups[i].cells[0]) {
			judged = append(judged, c.judge(groups, &groups[i], cpus))
		}
	}
	return judged
}

// concerns tells whether the claim is about a cell.
func (c Claim) concerns(cell Cell) bool {
	for axis, labels := range c.Where {
		if !slices.Contains(labels, cell.Label(axis)) {
			return false
		}
	}
	return true
}

// judge judges a claim in one group.
func (c Claim) judge(groups []Group, g *Group, cpus int) Judged {
	j := Judged{Claim: c.text(g.cells[0]), Source: c.Source, Tolerance: c.words(), Warnings: slices.Clone(g.Warnings)}
	other := c.partner(groups, g)
	if other == nil {
		j.Undecided, j.Warnings = "there is no cell to compare with", []string{}
		return j
	}
	if need := max(c.CPUs, g.cells[0].CPUs, other.cells[0].CPUs); need > cpus {
		j.Undecided, j.Warnings = tooFew(need, cpus), []string{}
		return j
	}
	measured, predicted := c.pairs(g, other)
	if 2*len(measured) < len(g.cells) || len(measured) == 0 {
		j.Undecided = fmt.Sprintf("%d of %d repeats have this figure", len(measured), len(g.cells))
		return j
	}
	want := spread(predicted).Median
	j.Predicted = &want
	c.decide(&j, measured, want)
	return j
}

func tooFew(need, cpus int) string {
	return fmt.Sprintf("not decidable here: needs %d CPUs, this host allows %d", need, cpus)
}

// text puts the labels of a cell into the claim.
func (c Claim) text(cell Cell) string {
	pairs := []string{"{" + seriesAxis + "}", cell.Series}
	for _, l := range cell.Labels {
		pairs = append(pairs, "{"+l.Axis+"}", l.Label)
	}
	return strings.NewReplacer(pairs...).Replace(c.Text)
}

// partner is the group that g is compared with: g itself without Against, nil
// if there is none.
func (c Claim) partner(groups []Group, g *Group) *Group {
	same := func(other Group) bool {
		cell := g.cells[0]
		for _, axis := range append([]Label{{Axis: seriesAxis}}, cell.Labels...) {
			want := cell.Label(axis.Axis)
			if label, ok := c.Against[axis.Axis]; ok {
				want = label
			}
			if other.cells[0].Label(axis.Axis) != want {
				return false
			}
		}
		return true
	}
	if i := slices.IndexFunc(groups, same); i >= 0 {
		return &groups[i]
	}
	return nil
}

// pairs are the measured and predicted values of all repeats that have both.
func (c Claim) pairs(g, other *Group) (measured, predicted []float64) {
	for _, cell := range g.cells {
		v, o := g.values[cell.Repeat], other.values[cell.Repeat]
		m, ok := v[c.Figure]
		p, known := scope{values: v}.value(c.Predicted)
		if len(c.Against) > 0 {
			base, there := o[c.Figure]
			m, ok = m/base, ok && there && base != 0
		}
		if ok && known {
			measured, predicted = append(measured, m), append(predicted, p)
		}
	}
	return measured, predicted
}

// decide fills in what was measured and whether the claim holds.
func (c Claim) decide(j *Judged, measured []float64, want float64) {
	lo, hi := c.Tolerance.band(want)
	if c.By != ByInterval {
		s := spread(measured)
		j.Measured, j.Lo, j.Hi = &s.Median, &s.Lo, &s.Hi
		j.Holds = new(lo <= s.Median && s.Median <= hi)
		return
	}
	mean, half, ok := meanInterval(measured)
	j.Measured = &mean
	if !ok {
		j.Undecided = "one repeat makes no interval"
		return
	}
	j.Lo, j.Hi = new(mean-half), new(mean+half)
	switch {
	case lo <= *j.Lo && *j.Hi <= hi:
		j.Holds = new(true)
	case *j.Hi < lo || hi < *j.Lo:
		j.Holds = new(false)
	default:
		j.Undecided = fmt.Sprintf("the interval of %d repeats reaches across the limit", len(measured))
	}
}
