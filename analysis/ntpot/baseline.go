package ntpot

import (
	"fmt"
	"math"
)

// sameInput is how far apart the mean input lengths of two runs may lie for
// their TTFT to be compared as it is.
const sameInput = 0.01

// Against tells queue from fixed cost by an idle run of the same server, whose
// queue is empty: T_queue = c − c_idle. Where prefill cannot be told from either
// in one of the runs but their input lengths are the same, it cancels, and
// T_queue is the difference of their TTFT.
func (p *Parts) Against(idle *Parts) []Doubt {
	if idle == nil {
		return []Doubt{{"queue_ms", "the baseline has no request with streamed output"}}
	}
	c, idleC := p.queueFixed(), idle.queueFixed()
	told := c != nil && idleC != nil
	if !told {
		if off := math.Abs(*p.Input / *idle.Input - 1); !(off <= sameInput) {
			return []Doubt{{"queue_ms", fmt.Sprintf(
				"prefill is not told from queue and fixed cost, and the baseline's inputs have %.1f tokens in the mean, not %.1f", *idle.Input, *p.Input)}}
		}
		c, idleC = p.wholeTTFT(), idle.wholeTTFT()
	}
	if c == nil || idleC == nil {
		return []Doubt{{"queue_ms", "too few requests to tell it from the baseline"}}
	}
	queue := c.less(*idleC)
	p.Queue, p.QueueLo, p.QueueHi = &queue.value, &queue.lo, &queue.hi
	if told {
		p.Fixed, p.FixedLo, p.FixedHi = &idleC.value, &idleC.lo, &idleC.hi
		p.Of.Queue, p.Of.Fixed = new(queue.value**p.Inverse), new(idleC.value**p.Inverse)
	}
	return nil
}

// queueFixed and wholeTTFT are estimates in ms, nil where undefined.
func (p *Parts) queueFixed() *estimate {
	return estimateOf(p.QueueFixed, p.QueueFixedLo, p.QueueFixedHi)
}

func (p *Parts) wholeTTFT() *estimate { return estimateOf(p.TTFT, p.TTFTLo, p.TTFTHi) }

func estimateOf(value, lo, hi *float64) *estimate {
	if value == nil || lo == nil || hi == nil {
		return nil
	}
	return &estimate{*value, *lo, *hi}
}

// less is the difference of two independent estimates.
func (e estimate) less(o estimate) estimate {
	d := e.value - o.value
	return estimate{d, d - math.Hypot(e.value-e.lo, o.hi-o.value), d + math.Hypot(e.hi-e.value, o.value-o.lo)}
}
