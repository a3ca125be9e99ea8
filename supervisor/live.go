package supervisor

import (
	"errors"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"tare/ipc"
	"tare/ipc/clock"
)

// Live is the state of a step while it runs.
type Live struct {
	Load    ipc.Load
	Elapsed time.Duration // since the step's epoch

	Due, Sent, OK, Failed, Dropped, InFlight int64 // as last reported, at most a second old

	TTFT    *hdrhistogram.Histogram // wire, µs, of successes on file
	SendLag *hdrhistogram.Histogram // µs
}

// The range of the live histograms, µs, and their precision. Exact figures
// come from the record file.
const (
	liveLowest  = 1
	liveHighest = int64(time.Hour / time.Microsecond)
	liveDigits  = 3
)

// live gathers figures from frames as they pass: the workers' CPUs are spared
// this work.
type live struct {
	load    ipc.Load
	epoch   int64
	rec     ipc.Record
	tell    func(*ipc.Record) // may be nil
	ttft    *hdrhistogram.Histogram
	sendLag *hdrhistogram.Histogram
}

func newLive(tell func(*ipc.Record)) *live {
	return &live{
		tell:    tell,
		ttft:    hdrhistogram.New(liveLowest, liveHighest, liveDigits),
		sendLag: hdrhistogram.New(liveLowest, liveHighest, liveDigits),
	}
}

func (l *live) begin(load ipc.Load, epoch int64) {
	l.load, l.epoch = load, epoch
	l.ttft.Reset()
	l.sendLag.Reset()
}

// take reads the records of the frame that dec has open.
func (l *live) take(dec *ipc.Decoder) error {
	for {
		if err := dec.Record(&l.rec); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if l.tell != nil {
			l.tell(&l.rec)
		}
		if l.rec.Class == ipc.Dropped {
			continue
		}
		record(l.sendLag, l.rec.Sent-l.rec.Scheduled)
		if l.rec.Class == ipc.OK && len(l.rec.Output) > 0 {
			record(l.ttft, l.rec.Output[0].Arrival-l.rec.Sent)
		}
	}
}

func record(h *hdrhistogram.Histogram, ns int64) {
	us := min(max(ns/int64(time.Microsecond), liveLowest), liveHighest)
	_ = h.RecordValue(us) // within the range by now
}

func (l *live) snapshot(children []*child) Live {
	v := Live{Load: l.load, Elapsed: time.Duration(max(clock.Now()-l.epoch, 0)), TTFT: l.ttft, SendLag: l.sendLag}
	for _, c := range children {
		v.Due += c.last.Due
		v.Sent += c.last.Sent
		v.OK += c.last.OK
		v.Failed += c.last.Failed
		v.Dropped += c.last.Dropped
		v.InFlight += c.last.InFlight
	}
	return v
}
