package main

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"tare/analysis/experiment"
)

// The size of a chart; one with a row for each cell is as high as these need.
const (
	chartWidth   = 25 * vg.Centimeter
	chartHeight  = 10 * vg.Centimeter
	rowHeight    = 0.7 * vg.Centimeter
	chartMargins = 2 * vg.Centimeter
)

// palette is that of Okabe and Ito (2008), which colour-blind readers can tell
// apart; its yellow is left out, which white paper swallows.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x33, 0x33, 0x33, 0xff},
}

// drawChart draws a chart as SVG, to stand in a page; "" if there is nothing
// to draw.
func drawChart(c experiment.Chart, groups []experiment.Group) (template.HTML, error) {
	curves := c.Curves(groups)
	if len(curves) == 0 {
		return "", nil
	}
	p, legend := newPlot(c), newLegend()
	height := chartHeight
	if c.X == "" {
		rows := c.Rows(groups)
		curves = upright(curves, len(rows))
		slices.Reverse(rows) // the first on top
		p.NominalY(rows...)
		p.Y.Padding = vg.Centimeter // for a browser whose letters are wider
		height = vg.Length(len(rows))*rowHeight + chartMargins
	}
	for _, curve := range curves {
		if err := addCurve(p, &legend, c, curve); err != nil {
			return "", fmt.Errorf("chart %q: %w", c.Title, err)
		}
	}
	if c.X == "" {
		p.Y.Min, p.Y.Max = -0.5, float64(len(c.Rows(groups)))-0.5
	}
	return asSVG(p, legend, height)
}

// newPlot is a chart without its curves.
func newPlot(c experiment.Chart) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = c.XHead, c.YHead
	if strings.Contains(c.Log, "x") {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if strings.Contains(c.Log, "y") {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	grid := plotter.NewGrid()
	faint := color.Gray{0xdd}
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	return p
}

// newLegend is a list with room between its entries.
func newLegend() plot.Legend {
	l := plot.NewLegend()
	l.Top, l.Left, l.Padding, l.ThumbnailWidth = true, true, vg.Millimeter, vg.Centimeter
	return l
}

// upright turns the points of rows: the value goes along the horizontal axis,
// the rows go down from the top.
func upright(curves []experiment.Curve, rows int) []experiment.Curve {
	for _, curve := range curves {
		for i, p := range curve.Points {
			curve.Points[i].X, curve.Points[i].Y = p.Y, float64(rows-1)-p.X
		}
	}
	return curves
}

// addCurve draws a line, its points and their bars, as its style says. Colours
// tell labels apart and dashes the figures; without labels colours do both.
func addCurve(p *plot.Plot, legend *plot.Legend, c experiment.Chart, curve experiment.Curve) error {
	line, marks, err := plotter.NewLinePoints(points(curve.Points))
	if err != nil {
		return err
	}
	hue := curve.Line
	if len(c.By) > 0 {
		hue = curve.Group
		line.Dashes = plotutil.Dashes(curve.Line)
	}
	line.Color = palette[hue%len(palette)]
	marks.Color, marks.Shape = line.Color, plotutil.Shape(hue)
	style := c.Lines[curve.Line].Style
	drawn := []plot.Thumbnailer{line, marks}
	switch {
	case style == experiment.StyleLine:
		drawn = drawn[:1]
	case style == experiment.StyleMarks || c.X == "":
		drawn = drawn[1:]
	}
	for _, d := range drawn {
		p.Add(d.(plot.Plotter))
	}
	if curve.Name != "" {
		legend.Add(curve.Name, drawn...)
	}
	if style == experiment.StyleLine {
		return nil
	}
	return addBars(p, c, curve, line.Color)
}

// addBars draws how far each point reaches.
func addBars(p *plot.Plot, c experiment.Chart, curve experiment.Curve, hue color.Color) error {
	if c.X == "" {
		bars, err := plotter.NewXErrorBars(points(curve.Points))
		if err == nil {
			bars.Color = hue
			p.Add(bars)
		}
		return err
	}
	bars, err := plotter.NewYErrorBars(points(curve.Points))
	if err == nil {
		bars.Color = hue
		p.Add(bars)
	}
	return err
}

// points are a curve as the plotter wants it.
type points []experiment.Point

// Len is the number of points.
func (p points) Len() int { return len(p) }

// XY is a point.
func (p points) XY(i int) (x, y float64) { return p[i].X, p[i].Y }

// YError is how far the bar reaches below and above a point on a curve.
func (p points) YError(i int) (below, above float64) { return p[i].Y - p[i].Lo, p[i].Hi - p[i].Y }

// XError is the same for a point in a row.
func (p points) XError(i int) (below, above float64) { return p[i].X - p[i].Lo, p[i].Hi - p[i].X }

// wordy is how much wider a browser may set the texts that were measured here
// in Liberation Sans, if it has neither that nor a font of its width.
const wordy = 1.2

// asSVG draws the plot with its legend to the right of it, where it hides
// nothing.
func asSVG(p *plot.Plot, legend plot.Legend, height vg.Length) (template.HTML, error) {
	for _, f := range []*font.Variant{
		&p.X.Label.TextStyle.Font.Variant, &p.X.Tick.Label.Font.Variant, &p.Y.Label.TextStyle.Font.Variant,
		&p.Y.Tick.Label.Font.Variant, &legend.TextStyle.Font.Variant,
	} {
		*f = "Sans"
	}
	canvas := vgsvg.New(chartWidth, height)
	whole := draw.New(canvas)
	r := legend.Rectangle(whole)
	beside := wordy * (r.Max.X - r.Min.X)
	p.Draw(draw.Crop(whole, 0, -beside-vg.Centimeter/2, 0, -vg.Millimeter))
	legend.Draw(draw.Crop(whole, chartWidth-beside, 0, 0, 0))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("draw chart: %w", err)
	}
	_, svg, _ := strings.Cut(b.String(), "?>\n") // the page has a declaration of its own
	return template.HTML(svg), nil               // of our own making; the library escapes texts
}
