package metrics

import "tare/analysis/queueing"

// together are the figures of several workers: of their summed events, and of
// the predictions for each.
func together(sums []queueSums, each []Queue) Queue {
	total, lambda := queueSums{}, 0.0
	for i, s := range sums {
		total = total.plus(s)
		lambda += *each[i].Lambda / nsPerSecond
	}
	mean := func(figure func(Queue) *float64) *float64 { return byEvents(sums, each, figure) }
	q := total.moments(lambda)
	q.Workload = mean(func(q Queue) *float64 { return q.Workload })
	if q.ServiceMean == nil {
		return q
	}
	work := total.work()
	q.Rho = defined(lambda * work.Mean / float64(len(sums)))
	q.PK = mean(func(q Queue) *float64 { return q.PK })
	q.Setup = mean(func(q Queue) *float64 { return q.Setup })
	q.Batch = mean(func(q Queue) *float64 { return q.Batch })
	q.GG1 = mean(func(q Queue) *float64 { return q.GG1 })
	q.MGM = predicted(queueing.MGm(lambda, work, len(sums)))
	if q.Setup != nil {
		q.Ratio = defined(*q.Measured / *q.Setup)
	}
	return q
}

// byEvents is the mean of a figure over the events of all workers, nil if a
// worker has none.
func byEvents(sums []queueSums, each []Queue, figure func(Queue) *float64) *float64 {
	total, n := 0.0, 0.0
	for i, s := range sums {
		x := figure(each[i])
		if x == nil {
			return nil
		}
		total += *x * s.wait.n
		n += s.wait.n
	}
	return defined(total / n)
}
