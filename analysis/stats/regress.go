package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrCollinear says that the columns of a regression cannot be told apart.
var ErrCollinear = errors.New("columns are linearly dependent")

const (
	// huber is where a residual begins to count as an outlier, in standard
	// deviations: 95 % efficient on normal data.
	huber = 1.345
	// madScale turns a median absolute deviation into a standard deviation.
	madScale = 0.6744897501960817
	// maxCondition is the condition of the columns, each scaled to unit mean
	// square, above which a Fit bears a warning. A constant beside a length
	// reaches it when the length varies by 2 %.
	maxCondition = 1e4
	iterations   = 100
)

// Fit is a linear model y ≈ Σ βⱼ·xⱼ.
type Fit struct {
	// Coefficients are the βⱼ in the order of the columns, each in the unit
	// of y over that of its column.
	Coefficients []Interval
	// Residual is the mean of y − Σβⱼxⱼ, in the unit of y: what a robust
	// fit leaves to outliers and skew.
	Residual float64
	// Scale is the robust standard deviation of the residuals.
	Scale float64
	// Warnings are doubts about the fit.
	Warnings []string
}

// Regress fits y by the columns, all in the order of time, with Huber's
// M-estimator, so that a few wild values move it little: a residual beyond
// 1.345 scales (median absolute residual/0.6745) counts as one at 1.345. A
// constant is a column of ones.
//
// The intervals are Student's t on the sandwich A⁻¹BA⁻¹, B being summed over
// blocks so that correlated residuals are told as such. With skewed residuals
// the constant is that of the typical, not of the mean value; Residual holds
// the difference. The error wraps ErrCollinear, or says what is missing.
func Regress(y []float64, columns [][]float64, level float64) (Fit, error) {
	if err := checkRegression(y, columns, level); err != nil {
		return Fit{}, err
	}
	r := newRegression(y, columns)
	condition, err := r.fit()
	if err != nil {
		return Fit{}, err
	}
	f := Fit{Scale: r.scale}
	f.Residual, _ = Mean(r.residuals)
	if condition > maxCondition {
		f.Warnings = append(f.Warnings, fmt.Sprintf(
			"the columns vary too little to tell their coefficients apart (condition %.0f)", condition))
	}
	f.Coefficients, err = r.intervals(level)
	return f, err
}

func checkRegression(y []float64, columns [][]float64, level float64) error {
	switch {
	case !valid(level):
		return fmt.Errorf("confidence level %v must lie between 0 and 1", level)
	case len(columns) == 0:
		return errors.New("a regression needs a column")
	case len(y) < MinValues:
		return fmt.Errorf("a regression needs %d values, not %d", MinValues, len(y))
	}
	for j, c := range columns {
		if len(c) != len(y) {
			return fmt.Errorf("column %d has %d values for %d of y", j, len(c), len(y))
		}
	}
	return nil
}

// regression is a fit under way, on columns scaled to unit mean square.
type regression struct {
	y, residuals []float64
	columns      [][]float64
	units        []float64 // root mean squares of the columns as given
	beta         *mat.VecDense
	scale        float64
}

func newRegression(y []float64, columns [][]float64) *regression {
	r := &regression{y: y, residuals: make([]float64, len(y)), beta: mat.NewVecDense(len(columns), nil)}
	for _, c := range columns {
		square := 0.0
		for _, v := range c {
			square += v * v / float64(len(c))
		}
		unit := math.Sqrt(square)
		scaled := make([]float64, len(c))
		for i, v := range c {
			scaled[i] = v / max(unit, math.SmallestNonzeroFloat64)
		}
		r.columns, r.units = append(r.columns, scaled), append(r.units, unit)
	}
	return r
}

// fit iterates reweighted least squares from the plain ones. It returns the
// condition of the columns.
func (r *regression) fit() (condition float64, err error) {
	weights := make([]float64, len(r.y))
	for i := range weights {
		weights[i] = 1
	}
	for k := range iterations {
		before := mat.VecDenseCopyOf(r.beta)
		c, err := r.solve(weights)
		if err != nil {
			return 0, err
		}
		if k == 0 {
			condition = c
		}
		r.update(weights)
		before.SubVec(before, r.beta)
		if mat.Norm(before, 2) <= 1e-10*mat.Norm(r.beta, 2) {
			break
		}
	}
	return condition, nil
}

// solve sets beta to the weighted least squares.
func (r *regression) solve(weights []float64) (condition float64, err error) {
	right := mat.NewVecDense(len(r.columns), nil)
	for j, c := range r.columns {
		sum := 0.0
		for i, w := range weights {
			sum += w * c[i] * r.y[i]
		}
		right.SetVec(j, sum)
	}
	var chol mat.Cholesky
	if !chol.Factorize(r.gram(weights)) || chol.Cond() > 1e12 {
		return 0, fmt.Errorf("%w: give columns that vary apart", ErrCollinear)
	}
	return chol.Cond(), chol.SolveVecTo(r.beta, right)
}

// gram returns Σ w·x·xᵀ.
func (r *regression) gram(weights []float64) *mat.SymDense {
	g := mat.NewSymDense(len(r.columns), nil)
	for a := range r.columns {
		for b := range a + 1 {
			sum := 0.0
			for i, w := range weights {
				sum += w * r.columns[a][i] * r.columns[b][i]
			}
			g.SetSym(a, b, sum)
		}
	}
	return g
}

// update computes residuals, scale and Huber's weights min(1, 1.345·s/|r|).
func (r *regression) update(weights []float64) {
	sizes := make([]float64, len(r.y))
	total := 0.0
	for i, y := range r.y {
		for j, c := range r.columns {
			y -= r.beta.AtVec(j) * c[i]
		}
		r.residuals[i], sizes[i] = y, math.Abs(y)
		total += math.Abs(r.y[i])
	}
	r.scale = middle(sizes) / madScale
	// Where more than half of the values fit exactly, the scale is rounding.
	edge := huber * max(r.scale, 1e-12*total/float64(len(r.y)), math.SmallestNonzeroFloat64)
	for i, s := range sizes {
		weights[i] = min(1, edge/max(s, edge))
	}
}

// intervals returns the coefficients in the units of the caller.
func (r *regression) intervals(level float64) ([]Interval, error) {
	b := blocksFor(r.residuals)
	covariance, err := r.sandwich(b)
	if err != nil {
		return nil, err
	}
	t := student(1-tail(level), float64(b-1))
	worth := effective(r.residuals, varianceOfMean(r.residuals, b))
	list := make([]Interval, len(r.columns))
	for j, unit := range r.units {
		half := t * math.Sqrt(max(0, covariance.At(j, j)))
		value := r.beta.AtVec(j)
		low, high := (value-half)/unit, (value+half)/unit
		list[j] = Interval{Value: value / unit, Low: &low, High: &high, Level: level, Effective: worth}
	}
	return list, nil
}

// sandwich returns A⁻¹BA⁻¹: A sums x·xᵀ over the values that are no outliers,
// B the squares of the block sums of the clipped residual times x.
func (r *regression) sandwich(blocks int) (*mat.Dense, error) {
	p, length := len(r.columns), len(r.y)/blocks
	edge := huber * r.scale
	inside := make([]float64, len(r.y))
	middleSum := mat.NewSymDense(p, nil)
	for k := range blocks {
		sums := mat.NewVecDense(p, nil)
		for i := k * length; i < (k+1)*length; i++ {
			clipped := max(-edge, min(edge, r.residuals[i]))
			for j, c := range r.columns {
				sums.SetVec(j, sums.AtVec(j)+clipped*c[i])
			}
		}
		middleSum.SymRankOne(middleSum, 1, sums)
	}
	for i, v := range r.residuals {
		if math.Abs(v) <= edge {
			inside[i] = 1
		}
	}
	var chol mat.Cholesky
	var left, both mat.Dense
	if !chol.Factorize(r.gram(inside)) {
		return nil, fmt.Errorf("%w among the values that are no outliers", ErrCollinear)
	}
	if err := chol.SolveTo(&left, middleSum); err != nil {
		return nil, fmt.Errorf("spread of coefficients: %w", err)
	}
	if err := chol.SolveTo(&both, left.T()); err != nil {
		return nil, fmt.Errorf("spread of coefficients: %w", err)
	}
	both.Scale(float64(blocks)/float64(blocks-1)*float64(len(r.y))/float64(blocks*length), &both)
	return &both, nil
}
