package learn

// share is the normal prior of the share of a reference's residual that transfers to another workload.
type share struct{ Mean, SD float64 }

// refShare is the prior for a reference workload, in time and in power.
var refShare = share{0.5, 0.4}

// prior describes a mean function's parameters before a workload is measured: normal with covariance S =
// diag(SD²) + LevelSD² 11ᵀ; the second part covers only the amplitudes.
type prior struct {
	Mean    []float64 // ln of the amplitudes, then ln p
	SD      []float64 // of each fitted parameter
	LevelSD float64   // of the amplitudes' common level
}

// precision returns S⁻¹, row-major, and ln|S|; the first k parameters are amplitudes.
func (q *prior) precision(k int) (inv []float64, lnDet float64) {
	p := len(q.SD)
	s := make([]float64, p*p)
	for i := range p {
		s[i*p+i] = square(q.SD[i])
		for j := range k {
			if i < k {
				s[i*p+j] += square(q.LevelSD)
			}
		}
	}
	cholesky(s, p) // positive definite: check ensures SD > 0
	inv = make([]float64, p*p)
	for i := range p {
		inv[i*p+i] = 1
	}
	forward(s, p, inv, p)
	for j := range p {
		column := make([]float64, p)
		for i := range p {
			column[i] = inv[i*p+j]
		}
		backward(s, p, column)
		for i, v := range column {
			inv[i*p+j] = v
		}
	}
	return inv, 2 * lnDiagonal(s, p)
}

// Target indices of a fit.
const (
	ofTime = iota
	ofPower
)
